package diff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A text is a file as lines, each with its newline; the last one may lack it.
type text struct {
	lines [][]byte
}

func newText(p []byte) text {
	var t text
	for line := range bytes.Lines(p) {
		t.lines = append(t.lines, line)
	}
	return t
}

// A change replaces lines a0 to a1 of the first file by b0 to b1 of the second; counted from 0, the
// ends not included.
type change struct {
	a0, a1, b0, b1 int
	trivial        bool // nothing but what -B and -I leave out of account
}

// matching says which lines are taken for equal.
type matching struct {
	fold, allSpace, spaceAmount, trailing, blankLines, tabs, cr bool
	// of -I: changes of nothing but such lines are none
	ignore *regex.Regexp
}

// key returns what is compared of a line.
func (m *matching) key(line []byte) string {
	s := string(line)
	if m.cr && strings.HasSuffix(s, "\r\n") {
		s = s[:len(s)-2] + "\n"
	}
	if m.tabs {
		s = expandTabs(s)
	}
	switch {
	case m.allSpace:
		s = strings.Map(func(c rune) rune {
			if c == ' ' || '\t' <= c && c <= '\r' {
				return -1
			}
			return c
		}, s)
	case m.spaceAmount:
		fields := strings.Fields(s)
		lead := ""
		if s != "" && strings.IndexByte(" \t\v\f\r", s[0]) >= 0 && len(fields) > 0 {
			lead = " "
		}
		s = lead + strings.Join(fields, " ")
	case m.trailing:
		s = strings.TrimRight(s, " \t\n\v\f\r")
	}
	if m.fold {
		s = strings.ToLower(s)
	}
	return s
}

// exact reports whether only equal lines are taken for equal.
func (m *matching) exact() bool { return *m == (matching{blankLines: m.blankLines, ignore: m.ignore}) }

// same reports whether two lines are taken for equal.
func (m *matching) same(a, b []byte) bool {
	return bytes.Equal(a, b) || !m.exact() && m.key(a) == m.key(b)
}

// common returns how many lines at the front and at the back are the same.
func (m *matching) common(a, b [][]byte) (front, back int) {
	most := min(len(a), len(b))
	for front < most && m.same(a[front], b[front]) {
		front++
	}
	for back < most-front && m.same(a[len(a)-1-back], b[len(b)-1-back]) {
		back++
	}
	return front, back
}

func expandTabs(s string) string {
	var b strings.Builder
	column := 0
	for _, c := range s {
		if c == '\t' {
			b.WriteString(strings.Repeat(" ", 8-column%8))
			column += 8 - column%8
			continue
		}
		b.WriteRune(c)
		column++
	}
	return b.String()
}

// changes compares two texts. At both ends, what is equal is no part of the comparison but for the
// horizon, some lines next to what differs: changes don't move there. Trivial ones are among them.
func (m *matching) changes(a, b text, horizon int) []change {
	front, back := m.common(a.lines, b.lines)
	front, back = max(0, front-horizon), max(0, back-horizon)
	ids := map[string]int{}
	exact := m.exact()
	number := func(lines [][]byte) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			if !exact {
				line = []byte(m.key(line))
			}
			id, ok := ids[string(line)]
			if !ok {
				id = len(ids)
				ids[string(line)] = id
			}
			out[i] = id
		}
		return out
	}
	numbersA, numbersB := number(a.lines[front:len(a.lines)-back]), number(b.lines[front:len(b.lines)-back])
	goneA, goneB := compareLines(numbersA, numbersB, len(ids))
	var list []change
	for i, j := 0, 0; i < len(goneA) || j < len(goneB); {
		if i < len(goneA) && goneA[i] || j < len(goneB) && goneB[j] {
			c := change{a0: front + i, b0: front + j}
			for i < len(goneA) && goneA[i] {
				i++
			}
			for j < len(goneB) && goneB[j] {
				j++
			}
			c.a1, c.b1 = front+i, front+j
			c.trivial = m.trivial(a.lines[c.a0:c.a1]) && m.trivial(b.lines[c.b0:c.b1])
			list = append(list, c)
			continue
		}
		i++
		j++
	}
	return list
}

// trivial reports whether all of the lines are such as -B and -I leave out of account.
func (m *matching) trivial(lines [][]byte) bool {
	for _, l := range lines {
		if m.blankLines && len(l) == 1 && l[0] == '\n' {
			continue
		}
		if m.ignore != nil {
			if ok, _ := m.ignore.Match(bytes.TrimSuffix(l, []byte("\n"))); ok {
				continue
			}
		}
		return false
	}
	return true
}

// A hunk is changes so close that their context would overlap, with that context.
type hunk struct {
	a0, a1, b0, b1 int
	changes        []change
}

// hunks joins what is close. Trivial changes are in the hunks of others, since the lines of both
// files are counted there, and in none of their own. How close one has to be is GNU's.
func hunks(list []change, a, b text, context int) []hunk {
	var out []hunk
	for _, c := range list {
		if n := len(out); n > 0 {
			last := out[n-1].changes[len(out[n-1].changes)-1]
			most := 2 * context
			if c.trivial {
				most = context - 1
			}
			if c.a0-last.a1 <= most {
				out[n-1].changes = append(out[n-1].changes, c)
				continue
			}
		}
		out = append(out, hunk{changes: []change{c}})
	}
	out = slices.DeleteFunc(out, func(h hunk) bool {
		return !slices.ContainsFunc(h.changes, func(c change) bool { return !c.trivial })
	})
	for i := range out {
		h := &out[i]
		first, last := h.changes[0], h.changes[len(h.changes)-1]
		h.a0, h.b0 = max(0, first.a0-context), max(0, first.b0-context)
		h.a1, h.b1 = min(len(a.lines), last.a1+context), min(len(b.lines), last.b1+context)
	}
	return out
}
