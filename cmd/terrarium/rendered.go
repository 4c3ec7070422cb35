package main

import (
	"io"

	"github.com/terrarium-dev/terrarium/core/render"
)

// A rendered writer writes what a rendering makes of output as soon as it can't change any
// more: a line of text when it is whole, one of a screen when it scrolls out.
type rendered struct {
	w      io.Writer
	render *render.Stream
	lines  render.Buffer // not written yet
}

func newRendered(w io.Writer, r render.Renderer) *rendered {
	return &rendered{w: w, render: render.NewStream(r)}
}

// stream returns the writer of standard output, 1, or standard error, 2.
func (r *rendered) stream(number uint8) io.Writer { return renderedStream{r, number} }

// flush writes the line that has no end, or what is left on the screen.
func (r *rendered) flush() error {
	r.render.Flush(&r.lines)
	return r.pass()
}

func (r *rendered) pass() error {
	if len(r.lines) == 0 {
		return nil
	}
	_, err := r.w.Write(r.lines)
	r.lines = r.lines[:0]
	return err
}

type renderedStream struct {
	*rendered
	number uint8
}

func (s renderedStream) Write(p []byte) (int, error) {
	s.render.Write(&s.lines, s.number, p)
	return len(p), s.pass()
}
