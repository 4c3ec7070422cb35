// Package said keeps the last lines that a program has said.
package said

import (
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const (
	maxLines     = 12
	defaultWidth = 400
)

// Lines keeps the last lines that are written to it, without blank ones. A carriage return ends a
// line, too, as it does where progress is shown. The zero value is ready. It is for one goroutine
// at a time.
type Lines struct {
	Width int               // bytes of a line that are kept; 0 for 400
	Each  func(line string) // is told each line when it has ended; or nil

	kept []string
	line []byte // the one that has not ended yet, as far as it is kept
}

// Write implements io.Writer. It does not fail, and keeps nothing of p itself.
func (l *Lines) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '\n' || b == '\r':
			l.End()
		case len(l.line) < l.width():
			l.line = append(l.line, b)
		}
	}
	return len(p), nil
}

func (l *Lines) width() int {
	if l.Width == 0 {
		return defaultWidth
	}
	return l.Width
}

// End ends the last line, where nothing more comes.
func (l *Lines) End() {
	text := l.unfinished()
	l.line = l.line[:0]
	if text == "" {
		return
	}
	if l.kept = append(l.kept, text); len(l.kept) > maxLines {
		l.kept = append(l.kept[:0], l.kept[1:]...)
	}
	if l.Each != nil {
		l.Each(text)
	}
}

// unfinished returns the line that has not ended yet, fit to be shown.
func (l *Lines) unfinished() string { return printable.Text(strings.TrimSpace(string(l.line))) }

// All returns what is kept, fit to be shown. What has no end yet is the last line.
func (l *Lines) All() []string {
	all := append([]string(nil), l.kept...)
	if text := l.unfinished(); text != "" {
		all = append(all, text)
	}
	return all
}

// Last returns the last line, or "".
func (l *Lines) Last() string {
	all := l.All()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
