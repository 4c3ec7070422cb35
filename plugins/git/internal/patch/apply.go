package patch

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
)

// An Application says how to apply hunks. The zero value asks for all of their context.
type Application struct {
	Reduce      bool // whether Context counts
	Context     int  // lines of context that must match at least: -C
	UnidiffZero bool // whether hunks may have no context
	IgnoreSpace bool // whether context may differ in whitespace
	Continue    bool // whether to go on behind a hunk that does not fit
}

// A Placement tells where a hunk went.
type Placement struct {
	Hunk    int // from 1
	Line    int // where it went, from 1
	Offset  int // how far from where it was meant to go
	Context [2]int
	Reduced bool // whether only Context lines of context matched
}

// A Mismatch is a hunk whose lines are not in the text.
type Mismatch struct {
	Hunk int    // from 1
	Line int    // where it was meant to go
	Old  string // what was looked for
}

// Apply applies the hunks to text. A hunk that does not fit is left out and reported.
func (a Application) Apply(text []byte, hunks []Hunk) (out []byte, placed []Placement, failed []Mismatch) {
	img := &image{lines: diff.Lines(text)}
	img.patched = make([]bool, len(img.lines))
	for i, h := range hunks {
		p, ok := a.one(img, h)
		if !ok {
			failed = append(failed, Mismatch{i + 1, h.OldStart, string(bytes.Join(side(h, '-'), nil))})
			if !a.Continue {
				break
			}
			continue
		}
		p.Hunk = i + 1
		placed = append(placed, p)
	}
	return bytes.Join(img.lines, nil), placed, failed
}

// An image is a text to which hunks are applied; lines of earlier hunks are not touched again.
type image struct {
	lines   [][]byte
	patched []bool
}

func side(h Hunk, op byte) (lines [][]byte) {
	for _, l := range h.Lines {
		if l.Op == ' ' || l.Op == op {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

func (a Application) one(img *image, h Hunk) (Placement, bool) {
	old, new := side(h, '-'), side(h, '+')
	leading, trailing := 0, 0
	for leading < len(h.Lines) && h.Lines[leading].Op == ' ' {
		leading++
	}
	for trailing < len(h.Lines)-leading && h.Lines[len(h.Lines)-1-trailing].Op == ' ' {
		trailing++
	}
	first := h.OldStart == 0 || h.OldStart == 1 && !a.UnidiffZero
	last := !a.UnidiffZero && trailing == 0
	pos := max(h.NewStart-1, 0)
	reduced := false
	for {
		if at, ok := img.find(old, pos, first, last, a.IgnoreSpace); ok {
			img.replace(at, old, new, leading, trailing)
			return Placement{Line: at + 1, Offset: at - pos, Context: [2]int{leading, trailing}, Reduced: reduced}, true
		}
		if !a.Reduce || leading <= a.Context && trailing <= a.Context {
			return Placement{}, false
		}
		if first || last {
			first, last = false, false
			continue
		}
		reduced = true
		if leading >= trailing {
			old, new, pos, leading = old[1:], new[1:], max(pos-1, 0), leading-1
		}
		if trailing > leading {
			old, new, trailing = old[:len(old)-1], new[:len(new)-1], trailing-1
		}
	}
}

// find looks for lines, first where they should be and then farther and farther from there.
func (img *image) find(old [][]byte, at int, first, last, ignoreSpace bool) (int, bool) {
	n := len(img.lines)
	switch {
	case first:
		at = 0
	case last:
		at = n - len(old)
	}
	if at < 0 || at > n {
		at = n
	}
	fits := func(at int) bool {
		if at+len(old) > n || last && at+len(old) != n || first && at != 0 {
			return false
		}
		for i, l := range old {
			if img.patched[at+i] || !bytes.Equal(l, img.lines[at+i]) && !(ignoreSpace && sameButSpace(l, img.lines[at+i])) {
				return false
			}
		}
		return true
	}
	for distance := 0; distance <= n; distance++ {
		if at+distance <= n && fits(at+distance) {
			return at + distance, true
		}
		if distance > 0 && at-distance >= 0 && fits(at-distance) {
			return at - distance, true
		}
	}
	return 0, false
}

func sameButSpace(a, b []byte) bool {
	return strings.Join(strings.Fields(string(a)), " ") == strings.Join(strings.Fields(string(b)), " ")
}

func (img *image) replace(at int, old, new [][]byte, leading, trailing int) {
	lines := append([][]byte{}, img.lines[:at]...)
	patched := append([]bool{}, img.patched[:at]...)
	for i, l := range new {
		if i < leading { // context stays as it is in the text
			l = img.lines[at+i]
		} else if back := len(new) - i; back <= trailing {
			l = img.lines[at+len(old)-back]
		}
		lines, patched = append(lines, l), append(patched, true)
	}
	img.lines = append(lines, img.lines[at+len(old):]...)
	img.patched = append(patched, img.patched[at+len(old):]...)
}

// Text writes a hunk as a patch has it.
func (h Hunk) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%s +%s @@\n", rangeText(h.OldStart, h.OldLines), rangeText(h.NewStart, h.NewLines))
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.Write(l.Text)
		if !bytes.HasSuffix(l.Text, []byte("\n")) {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return b.String()
}

func rangeText(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
