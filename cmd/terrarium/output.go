package main

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/text"
)

// An output passes on what a command writes, as it comes. A reader that is slow
// slows the command down; one that does not read at all can be given up.
type output struct {
	jobs   chan job      // what the one goroutine that writes has to do
	over   chan struct{} // closed by finish: nothing more is passed on
	gaveUp chan struct{} // closed when nobody waits for a write any longer
	broken chan struct{} // closed once err is set

	once    sync.Once   // for gaveUp
	writing atomic.Bool // somebody writes

	size atomic.Uint64 // of the screen, as rows<<32 + columns, if it has changed

	// These are the writing goroutine's.
	streams [2]io.Writer
	flushes []func() error // write what the streams have held back
	screen  *screenWriter  // nil unless lines are those of a screen
	buf     []byte
	err     error // the first error; nothing is written after it
}

// A job is a write or a flush.
type job struct {
	do   func() error
	done chan struct{} // closed when it was done
}

// drainLimit is how long one who does not read holds us up when there is no
// more to come that the command itself has written.
const drainLimit = 250 * time.Millisecond

// newOutput returns an output to the two streams, of what c writes. On a screen
// the two are one, and go to stdout.
func newOutput(stdout, stderr io.Writer, r core.Rendering, c *core.Command) *output {
	o := &output{
		jobs: make(chan job), over: make(chan struct{}), gaveUp: make(chan struct{}), broken: make(chan struct{}),
		streams: [2]io.Writer{stdout, stderr},
	}
	switch r {
	case core.RenderText:
		text := [2]textWriter{{w: stdout}, {w: stderr}}
		o.streams = [2]io.Writer{&text[0], &text[1]}
		o.flushes = []func() error{text[0].flush, text[1].flush}
	case core.RenderScreen:
		o.screen = newScreenWriter(stdout, c)
		o.streams = [2]io.Writer{screenStream{o.screen, 0}, screenStream{o.screen, 1}}
		o.flushes = []func() error{o.screen.flush}
	}
	return o
}

// run does the jobs until the end of finish, or is left behind in a write that
// nobody takes.
func (o *output) run(c *console) {
	defer c.guard()
	for {
		select {
		case j := <-o.jobs:
			if size := o.size.Swap(0); size != 0 && o.screen != nil {
				o.screen.screen.Resize(int(size>>32), int(uint32(size)))
			}
			if o.err == nil {
				o.fail(j.do())
			}
			close(j.done)
		case <-o.gaveUp:
			return
		}
	}
}

func (o *output) fail(err error) {
	if err != nil {
		o.err = err
		close(o.broken)
	}
}

// resize tells the screen, if there is one, before it is next written to.
func (o *output) resize(rows, cols int) { o.size.Store(uint64(rows)<<32 | uint64(cols)) }

// write is a driver's OnOutput.
func (o *output) write(_ core.TerminalID, stream uint8, p []byte) {
	o.writing.Store(true) // before we look, or finish could miss both
	defer o.writing.Store(false)
	select {
	case <-o.over:
		return
	default:
	}
	o.buf = append(o.buf[:0], p...) // p is lent, and a write that was given up goes on
	w := o.streams[0]
	if stream == 2 {
		w = o.streams[1]
	}
	j := job{done: make(chan struct{}), do: func() error {
		_, err := w.Write(o.buf)
		return err
	}}
	select {
	case o.jobs <- j:
	case <-o.over:
		return
	}
	select {
	case <-j.done:
	case <-o.gaveUp:
	}
}

// finish is called when all that the command itself has written was passed on.
// It returns when the streams' last lines were, too, or when giveUp is called.
// Others may still write: that is cut off.
func (o *output) finish() {
	close(o.over)
	defer o.giveUp()
	j := job{done: make(chan struct{}), do: func() error {
		for _, flush := range o.flushes {
			if err := flush(); err != nil {
				return err
			}
		}
		return nil
	}}
	var late <-chan time.Time
	if o.writing.Load() { // not the command: that has ended
		late = time.After(drainLimit)
	}
	select {
	case o.jobs <- j:
	case <-late:
		return
	case <-o.gaveUp:
		return
	}
	select {
	case <-j.done:
	case <-o.gaveUp:
	}
}

// giveUp lets finish return, and a write after finish, while one is under way.
func (o *output) giveUp() { o.once.Do(func() { close(o.gaveUp) }) }

// result returns the error that ended the output.
func (o *output) result() error {
	select {
	case <-o.broken:
		return o.err // it is not set again
	default:
		return nil
	}
}

// A textWriter writes the text that a terminal's output means, line by line,
// as core keeps it for RenderText.
type textWriter struct {
	w      io.Writer
	repair text.Repairer
	fold   text.Folder
	lines  []byte
}

// Append implements text.Sink.
func (t *textWriter) Append(p []byte) { t.lines = append(t.lines, p...) }

func (t *textWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		var valid []byte
		valid, rest = t.repair.Next(rest)
		t.fold.Write(t, valid)
	}
	return len(p), t.pass()
}

// flush writes the line that has no end.
func (t *textWriter) flush() error {
	t.fold.Write(t, t.repair.Flush())
	t.fold.Flush(t)
	return t.pass()
}

func (t *textWriter) pass() error {
	if len(t.lines) == 0 {
		return nil
	}
	_, err := t.w.Write(t.lines)
	t.lines = t.lines[:0]
	return err
}
