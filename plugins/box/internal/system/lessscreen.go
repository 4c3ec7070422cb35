package system

import (
	"fmt"
	"io"
	"strings"
)

// numbered is how many columns the number of a line takes.
const numbered = 8

func (p *pager) width() int {
	if p.number {
		return max(p.cols-numbered, 1)
	}
	return p.cols
}

// draw shows the screen, and the prompt in its last row.
func (p *pager) draw() {
	var b strings.Builder
	b.WriteString("\x1b[H")
	line, part := p.top, p.part
	for range p.rows - 1 {
		text, ok := p.text.line(line)
		if !ok {
			b.WriteString("\x1b[1m~\x1b[m\x1b[K\n")
			continue
		}
		rows := p.layout(text)
		if part >= len(rows) {
			part = len(rows) - 1
		}
		if p.number {
			if part == 0 {
				fmt.Fprintf(&b, "%7d ", line+1)
			} else {
				b.WriteString(strings.Repeat(" ", numbered))
			}
		}
		b.WriteString(rows[part].text + "\x1b[m\x1b[K\n")
		if part++; part >= len(rows) {
			line, part = line+1, 0
		}
	}
	b.WriteString("\r\x1b[K" + p.prompt() + "\x1b[K")
	p.message = ""
	io.WriteString(p.out, b.String())
}

// forward goes on by so many rows, as far as there are any.
func (p *pager) forward(n int) {
	for range n {
		if p.atEnd() {
			return
		}
		text, _ := p.text.line(p.top)
		if p.part++; p.part >= p.height(text) {
			p.top, p.part = p.top+1, 0
		}
	}
}

// back goes back by so many rows.
func (p *pager) back(n int) {
	for range n {
		switch {
		case p.part > 0:
			p.part--
		case p.top > 0:
			p.top--
			text, _ := p.text.line(p.top)
			p.part = p.height(text) - 1
		default:
			return
		}
	}
}

// atEnd reports whether the last line is on the screen.
func (p *pager) atEnd() bool {
	rows := -p.part
	for line := p.top; rows < p.rows; line++ {
		text, ok := p.text.line(line)
		if !ok {
			return true
		}
		rows += p.height(text)
	}
	return false
}

// toEnd shows the last line, in the last row.
func (p *pager) toEnd() {
	p.top, p.part = p.text.count(), 0
	p.back(p.rows - 1)
}

// toLine shows a line, from 1, in the first row.
func (p *pager) toLine(n int) {
	p.top, p.part = 0, 0
	if _, ok := p.text.line(n - 1); ok {
		p.top = max(n-1, 0)
	} else {
		p.toEnd()
	}
}
