package main

import (
	"cmp"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/text"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// An output passes on what a command writes, as it comes. A reader that is slow
// slows the command down; one that does not read at all can be given up.
type output struct {
	turn   chan struct{} // holds a value while somebody uses what is below
	over   chan struct{} // closed by finish: nothing more is passed on
	gaveUp chan struct{} // closed when nobody waits for a write any longer
	broken chan struct{} // closed once err is set
	writes chan waiting  // what run has to write

	once   sync.Once     // for gaveUp
	size   atomic.Uint64 // of the screen, as rows<<32 + columns, if it has changed
	killed atomic.Bool   // set before finish, if the command was

	streams [2]io.Writer
	flushes []func() error // write what the streams have held back
	screen  *render.Screen // nil unless lines are those of a screen
	err     error          // the first error; nothing is written after it
}

// drainLimit is how long one who does not read holds us up when there is no
// more to come that the command itself has written.
const drainLimit = 250 * time.Millisecond

// newOutput returns an output to the two streams, of what c writes. On a screen
// the two are one, and go to stdout.
func newOutput(stdout, stderr io.Writer, r core.Rendering, c *core.Command) *output {
	o := &output{
		turn: make(chan struct{}, 1), over: make(chan struct{}), gaveUp: make(chan struct{}), broken: make(chan struct{}),
		writes: make(chan waiting),
	}
	stdout, stderr = newPatient(o, stdout), newPatient(o, stderr)
	o.streams = [2]io.Writer{stdout, stderr}
	switch r {
	case core.RenderText:
		out, err := newRendered(stdout, new(text.Folder)), newRendered(stderr, new(text.Folder))
		o.streams = [2]io.Writer{out.stream(1), err.stream(2)}
		o.flushes = []func() error{out.flush, err.flush}
	case core.RenderScreen:
		o.screen = render.NewScreen(vt.Options{
			Rows: cmp.Or(c.Rows, defaultRows), Cols: cmp.Or(c.Cols, defaultCols), Newline: !(c.Pty && c.Interactive),
		})
		out := newRendered(stdout, o.screen)
		o.streams = [2]io.Writer{out.stream(1), out.stream(2)}
		o.flushes = []func() error{out.flush}
	}
	return o
}

// run does the writes that may have to wait until the end of finish, or is left
// behind in one that nobody takes.
func (o *output) run(c *console) {
	defer c.guard()
	for {
		select {
		case w := <-o.writes:
			_, err := w.to.Write(w.p)
			w.done <- err
		case <-o.gaveUp:
			return
		}
	}
}

// resize tells the screen, if there is one, before it is next written to.
func (o *output) resize(rows, cols int) { o.size.Store(uint64(rows)<<32 | uint64(cols)) }

// write is a driver's OnOutput.
func (o *output) write(_ core.TerminalID, stream uint8, p []byte) {
	select {
	case o.turn <- struct{}{}:
	case <-o.over:
		return
	}
	defer func() { <-o.turn }()
	select {
	case <-o.over:
		return
	case <-o.gaveUp:
		return
	default:
	}
	w := o.streams[0]
	if stream == 2 {
		w = o.streams[1]
	}
	o.do(func() error {
		_, err := w.Write(p)
		return err
	})
}

// do has f write to the streams, unless that has failed before. The caller has
// the turn.
func (o *output) do(f func() error) {
	if size := o.size.Swap(0); size != 0 && o.screen != nil {
		o.screen.Resize(int(size>>32), int(uint32(size)))
	}
	if o.err != nil {
		return
	}
	if err := f(); err != nil && err != errGaveUp {
		o.err = err
		close(o.broken)
	}
}

// finish is called when all that the command itself has written was passed on.
// It returns when the streams' last lines were, too, or when giveUp is called.
// Others may still write: that is cut off.
func (o *output) finish() {
	close(o.over)
	defer o.giveUp()
	select {
	case o.turn <- struct{}{}:
	default:
		late := time.NewTimer(drainLimit)
		defer late.Stop()
		select {
		case o.turn <- struct{}{}:
		case <-late.C: // who writes is not the command: that has ended
			return
		case <-o.gaveUp:
			return
		}
	}
	defer func() { <-o.turn }()
	for _, flush := range o.flushes {
		o.do(flush)
	}
}

// giveUp lets finish return, and a write that is under way.
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
