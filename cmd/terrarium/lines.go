package main

import (
	"cmp"
	"io"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/text"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// A screenWriter writes what a person would see of two streams: each line as it
// scrolls out of the screen, and at the end those that are left. core keeps the
// same for RenderScreen.
type screenWriter struct {
	w      io.Writer
	screen *vt.Screen
	repair [2]text.Repairer
	lines  []byte
}

func newScreenWriter(w io.Writer, c *core.Command) *screenWriter {
	s := &screenWriter{w: w}
	s.screen = vt.NewScreen(vt.Options{
		Rows: cmp.Or(c.Rows, defaultRows), Cols: cmp.Or(c.Cols, defaultCols), Scrolled: s, Newline: !(c.Pty && c.Interactive),
	})
	return s
}

// Append implements vt.Sink.
func (s *screenWriter) Append(p []byte) { s.lines = append(s.lines, p...) }

// flush writes what is left on the screen.
func (s *screenWriter) flush() error {
	for i := range s.repair {
		s.screen.Write(s.repair[i].Flush())
	}
	s.lines = s.screen.AppendLines(s.lines)
	return s.pass()
}

func (s *screenWriter) pass() error {
	if len(s.lines) == 0 {
		return nil
	}
	_, err := s.w.Write(s.lines)
	s.lines = s.lines[:0]
	return err
}

// A screenStream is one of the two.
type screenStream struct {
	*screenWriter
	number int
}

func (s screenStream) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		var valid []byte
		valid, rest = s.repair[s.number].Next(rest)
		s.screen.Write(valid)
	}
	return len(p), s.pass()
}
