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
	Width int // bytes of a line that are kept; 0 for 400

	kept []string
	line []byte // the one that has not ended yet, as far as it is kept
}

// Write implements io.Writer. It does not fail, and keeps nothing of p itself.
func (l *Lines) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '\n' || b == '\r':
			l.end()
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

// end ends a line.
func (l *Lines) end() {
	text := strings.TrimSpace(string(l.line))
	l.line = l.line[:0]
	if text == "" {
		return
	}
	if l.kept = append(l.kept, printable.Text(text)); len(l.kept) > maxLines {
		l.kept = append(l.kept[:0], l.kept[1:]...)
	}
}

// All returns what is kept, fit to be shown. What has no end yet is a line.
func (l *Lines) All() []string {
	l.end()
	return append([]string(nil), l.kept...)
}

// Last returns the last line, or "".
func (l *Lines) Last() string {
	all := l.All()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
