package diff

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A printer writes changes in one of the formats.
type printer struct {
	out       *bufio.Writer
	a, b      text
	nameA     string // of the headers, with the time behind it
	nameB     string
	context   int
	functions bool          // -p
	heading   *regex.Regexp // of -F: what begins a function
	spaces    bool          // -t: tabs are written as blanks
}

// line writes a line behind a mark, and says so where its newline is missing.
func (p *printer) line(mark string, line []byte) {
	p.out.WriteString(mark)
	if p.spaces {
		line = []byte(expandTabs(string(line)))
	}
	p.out.Write(line)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		p.out.WriteString("\n\\ No newline at end of file\n")
	}
}

// normal is the format without options.
func (p *printer) normal(list []change) {
	for _, c := range list {
		kind := "c"
		switch {
		case c.a0 == c.a1:
			kind = "a"
		case c.b0 == c.b1:
			kind = "d"
		}
		p.out.WriteString(normalRange(c.a0, c.a1) + kind + normalRange(c.b0, c.b1) + "\n")
		for _, l := range p.a.lines[c.a0:c.a1] {
			p.line("< ", l)
		}
		if kind == "c" {
			p.out.WriteString("---\n")
		}
		for _, l := range p.b.lines[c.b0:c.b1] {
			p.line("> ", l)
		}
	}
}

// normalRange is "first,last", or one number; for no lines the one before.
func normalRange(lo, hi int) string {
	switch hi - lo {
	case 0:
		return fmt.Sprint(lo)
	case 1:
		return fmt.Sprint(hi)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi)
}

func (p *printer) unified(list []change) {
	p.out.WriteString("--- " + p.nameA + "\n+++ " + p.nameB + "\n")
	for _, h := range hunks(list, p.a, p.b, p.context) {
		fmt.Fprintf(p.out, "@@ -%s +%s @@%s\n", unifiedRange(h.a0, h.a1), unifiedRange(h.b0, h.b1), p.function(h.a0))
		i := h.a0
		for _, c := range h.changes {
			for ; i < c.a0; i++ {
				p.line(" ", p.a.lines[i])
			}
			for _, l := range p.a.lines[c.a0:c.a1] {
				p.line("-", l)
			}
			for _, l := range p.b.lines[c.b0:c.b1] {
				p.line("+", l)
			}
			i = c.a1
		}
		for ; i < h.a1; i++ {
			p.line(" ", p.a.lines[i])
		}
	}
}

// unifiedRange is "first,count".
func unifiedRange(lo, hi int) string {
	switch hi - lo {
	case 0:
		return fmt.Sprintf("%d,0", lo)
	case 1:
		return fmt.Sprint(hi)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi-lo)
}

// function returns the last line before a hunk that looks like the beginning of a function.
func (p *printer) function(before int) string {
	if !p.functions {
		return ""
	}
	for i := before - 1; i >= 0; i-- {
		l := p.a.lines[i]
		if p.begins(l) {
			s := string(l[:min(len(l), 40)])
			return " " + strings.TrimRight(s, " \t\n\r")
		}
	}
	return ""
}

// begins reports whether a line looks like the beginning of a function.
func (p *printer) begins(line []byte) bool {
	if p.heading != nil {
		ok, _ := p.heading.Match(bytes.TrimSuffix(line, []byte("\n")))
		return ok
	}
	c := line[0]
	return c == '_' || c == '$' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (p *printer) contextual(list []change) {
	p.out.WriteString("*** " + p.nameA + "\n--- " + p.nameB + "\n")
	for _, h := range hunks(list, p.a, p.b, p.context) {
		p.out.WriteString("***************" + p.function(h.a0) + "\n")
		p.out.WriteString("*** " + contextRange(h.a0, h.a1) + " ****\n")
		p.side(p.a, h.a0, h.a1, "- ", h.changes, func(c change) (lo, hi int, both bool) {
			return c.a0, c.a1, c.b1 > c.b0
		})
		p.out.WriteString("--- " + contextRange(h.b0, h.b1) + " ----\n")
		p.side(p.b, h.b0, h.b1, "+ ", h.changes, func(c change) (lo, hi int, both bool) {
			return c.b0, c.b1, c.a1 > c.a0
		})
	}
}

// side writes one file's half of a hunk, if something changed in it.
func (p *printer) side(t text, lo, hi int, mark string, list []change, of func(change) (int, int, bool)) {
	any := false
	for _, c := range list {
		l, h, _ := of(c)
		any = any || h > l
	}
	if !any {
		return
	}
	i := lo
	for _, c := range list {
		l, h, both := of(c)
		for ; i < l; i++ {
			p.line("  ", t.lines[i])
		}
		m := mark
		if both {
			m = "! "
		}
		for ; i < h; i++ {
			p.line(m, t.lines[i])
		}
	}
	for ; i < hi; i++ {
		p.line("  ", t.lines[i])
	}
}

func contextRange(lo, hi int) string {
	if hi-lo <= 1 {
		return fmt.Sprint(hi)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi)
}

// ed is a script for ed, the last change first.
func (p *printer) ed(list []change) {
	for i := len(list) - 1; i >= 0; i-- {
		c := list[i]
		switch {
		case c.a0 == c.a1:
			fmt.Fprintf(p.out, "%da\n", c.a0)
		case c.b0 == c.b1:
			p.out.WriteString(normalRange(c.a0, c.a1) + "d\n")
			continue
		default:
			p.out.WriteString(normalRange(c.a0, c.a1) + "c\n")
		}
		for _, l := range p.b.lines[c.b0:c.b1] {
			if string(l) == ".\n" {
				p.out.WriteString("..\n.\ns/.//\na\n")
				continue
			}
			p.out.Write(l)
		}
		p.out.WriteString(".\n")
	}
}

// rcs is the format of -n.
func (p *printer) rcs(list []change) {
	for _, c := range list {
		if c.a1 > c.a0 {
			fmt.Fprintf(p.out, "d%d %d\n", c.a0+1, c.a1-c.a0)
		}
		if c.b1 > c.b0 {
			fmt.Fprintf(p.out, "a%d %d\n", c.a1, c.b1-c.b0)
			for _, l := range p.b.lines[c.b0:c.b1] {
				p.out.Write(l)
			}
		}
	}
}
