package diff

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteCombined writes how a text differs from two or more others at once, as git's combine-diff.c
// does. Dense leaves out places where the text is as one of the others has it. Nothing is written
// where nothing is left; head is called before the first hunk.
func WriteCombined(w io.Writer, parents [][]byte, result []byte, context int, dense, colored bool, head func()) {
	c := combine(parents, result, context)
	c.choose(dense)
	c.write(w, colored, head)
}

// A combination is a text, line by line, with what each parent has otherwise. There is one more
// line than the text has, for what was lost at its end.
type combination struct {
	parents, context int
	lines            []combinedLine
}

type combinedLine struct {
	text   []byte
	added  uint // a bit for each parent that lacks the line
	lost   []lost
	number []int // of this line in each parent, from 1, counted before what was lost
	shown  bool
	noLost bool // whether what was lost before it is left out
}

// lost is a line that some parents have and the text lacks.
type lost struct {
	text []byte
	by   uint // a bit for each of these parents
}

func combine(parents [][]byte, result []byte, context int) *combination {
	text := Lines(result)
	c := &combination{parents: len(parents), context: context, lines: make([]combinedLine, len(text)+1)}
	for i, l := range text {
		c.lines[i].text = l
	}
	for p, parent := range parents {
		c.add(p, Lines(parent), text)
	}
	return c
}

func (c *combination) add(p int, parent, text [][]byte) {
	bit := uint(1) << p
	for _, e := range Compare(parent, text) {
		for i := e.B0; i < e.B1; i++ {
			c.lines[i].added |= bit
		}
		c.lines[e.B0].lost = mergeLost(c.lines[e.B0].lost, parent[e.A0:e.A1], bit)
	}
	n := 1
	for i := range c.lines {
		l := &c.lines[i]
		l.number = append(l.number, n)
		for _, x := range l.lost {
			if x.by&bit != 0 {
				n++
			}
		}
		if i < len(text) && l.added&bit == 0 {
			n++
		}
	}
}

// mergeLost adds the lines that one more parent has, where others have them too as one line.
func mergeLost(have []lost, more [][]byte, bit uint) []lost {
	old := make([][]byte, len(have))
	for i, l := range have {
		old[i] = l.text
	}
	var out []lost
	at, from := 0, 0
	same := func(to int) {
		for ; at < to; at, from = at+1, from+1 {
			out = append(out, lost{have[at].text, have[at].by | bit})
		}
	}
	for _, e := range Compare(old, more) {
		same(e.A0)
		out = append(out, have[e.A0:e.A1]...)
		for _, l := range more[e.B0:e.B1] {
			out = append(out, lost{l, bit})
		}
		at, from = e.A1, e.B1
	}
	same(len(have))
	return out
}

// choose marks the lines to show: first those that differ, then what is around them.
func (c *combination) choose(dense bool) {
	for i := range c.lines {
		l := &c.lines[i]
		l.shown = l.added != 0 || len(l.lost) > 0
	}
	if dense {
		c.thin()
	}
	end := len(c.lines)
	i := c.next(0, true)
	for i < end {
		for j := max(0, i-c.context); j < i; j++ {
			l := &c.lines[j]
			l.noLost = l.noLost || !l.shown
			l.shown = true
		}
		for {
			j := c.next(i, false)
			if j >= end {
				return
			}
			k := c.next(j, true)
			j = c.tail(i, j)
			if k >= j+c.context {
				i = k
				for end := min(j+c.context, end); j < end; j++ {
					c.lines[j].shown = true
				}
				break
			}
			for ; j < k; j++ {
				c.lines[j].shown = true
			}
			i = k
			if i >= end {
				return
			}
		}
	}
}

// next returns the first line from i on that is shown, or is not; behind the last if there is none.
func (c *combination) next(i int, shown bool) int {
	for i < len(c.lines) && c.lines[i].shown != shown {
		i++
	}
	return i
}

// tail returns where the context behind a hunk begins: a line that only has lost ones before it
// belongs to the context.
func (c *combination) tail(begin, end int) int {
	if begin+1 <= end && c.lines[end-1].added == 0 {
		return end - 1
	}
	return end
}

// thin hides the hunks in which the text is as one of only two versions.
func (c *combination) thin() {
	for i := c.next(0, true); i < len(c.lines); {
		end := i + 1
		for ; end < len(c.lines); end++ {
			if c.lines[end].shown {
				continue
			}
			ahead := min(c.tail(i, end)+c.context, len(c.lines)) - 1
			for ahead >= end && !c.lines[ahead].shown {
				ahead--
			}
			if ahead < end {
				break
			}
			end = ahead
		}
		if !c.matters(i, end) {
			for j := i; j < end; j++ {
				c.lines[j].shown = false
			}
		}
		i = c.next(end, true)
	}
}

func (c *combination) matters(from, to int) bool {
	all := uint(1)<<c.parents - 1
	versions := uint(0)
	differs := func(by uint) bool {
		if versions == 0 {
			versions = by
		}
		return by != 0 && by != versions
	}
	for _, l := range c.lines[from:to] {
		if differs(l.added) || slices.ContainsFunc(l.lost, func(x lost) bool { return differs(x.by) }) {
			return true
		}
	}
	return versions == all
}

func (c *combination) write(w io.Writer, colored bool, head func()) {
	paint := func(color, text string) string {
		if !colored || color == "" {
			return text
		}
		return color + text + reset
	}
	marks := strings.Repeat("@", c.parents+1)
	title := ""
	for i := 0; i < len(c.lines); {
		if !c.lines[i].shown {
			if t := c.lines[i].text; isTitle(t) {
				title = cutTitle(t)
			}
			i++
			continue
		}
		if head != nil {
			head()
			head = nil
		}
		end := c.next(i, false)
		count := end - i
		last := c.lines[len(c.lines)-1].number
		if end == len(c.lines) {
			count--
		}
		at := marks
		for p := range c.parents {
			until := 0
			if end < len(c.lines) {
				until = c.lines[end].number[p]
			} else {
				until = last[p]
				for _, x := range c.lines[len(c.lines)-1].lost {
					until += int(x.by >> p & 1)
				}
			}
			at += fmt.Sprintf(" -%d,%d", c.lines[i].number[p], until-c.lines[i].number[p])
		}
		fmt.Fprintf(w, "%s", paint(fragment, fmt.Sprintf("%s +%d,%d %s", at, i+1, count, marks)))
		if title != "" {
			fmt.Fprintf(w, " %s", title)
		}
		fmt.Fprintln(w)
		for ; i < end; i++ {
			c.line(w, c.lines[i], i+1 == len(c.lines), paint)
		}
	}
}

func (c *combination) line(w io.Writer, l combinedLine, last bool, paint func(color, text string) string) {
	if !l.noLost {
		for _, x := range l.lost {
			fmt.Fprintln(w, paint(oldColor, c.signs(x.by, '-')+strings.TrimSuffix(string(x.text), "\n")))
		}
	}
	if last {
		return
	}
	color := ""
	if l.added != 0 {
		color = newColor
	}
	fmt.Fprintln(w, paint(color, c.signs(l.added, '+')+strings.TrimSuffix(string(l.text), "\n")))
}

func (c *combination) signs(by uint, sign byte) string {
	b := bytes.Repeat([]byte{' '}, c.parents)
	for p := range b {
		if by>>p&1 != 0 {
			b[p] = sign
		}
	}
	return string(b)
}

// isTitle reports whether a line looks like the head of a function.
func isTitle(l []byte) bool {
	if len(l) == 0 {
		return false
	}
	c := l[0]
	return c == '_' || c == '$' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// cutTitle shortens a title as combine-diff.c does, which drops its last character.
func cutTitle(l []byte) string {
	l = bytes.TrimRight(l[:min(len(l), 40)], " \t\r\n")
	return string(l[:max(len(l)-1, 0)])
}
