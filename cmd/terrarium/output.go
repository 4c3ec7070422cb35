package main

import (
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/text"
)

// output passes on what a command writes, as it comes. A reader that is slow
// slows the command down.
type output struct {
	broken chan struct{} // closed once err is set

	mu      sync.Mutex // held while writing; guards what follows
	streams [2]io.Writer
	flushes []func() error // write what the streams have held back
	screen  *screenWriter  // nil unless lines are those of a screen
	err     error          // the first error; nothing is written after it
	done    bool           // nor is what comes after finish
	writes  int
	writing time.Duration // spent in write
}

// newOutput returns an output to the two streams, of what c writes. On a screen
// the two are one, and go to stdout.
func newOutput(stdout, stderr io.Writer, r core.Rendering, c *core.Command) *output {
	o := &output{broken: make(chan struct{}), streams: [2]io.Writer{stdout, stderr}}
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

// resize tells the screen, if there is one.
func (o *output) resize(rows, cols int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.screen != nil {
		o.screen.screen.Resize(rows, cols)
	}
}

// write is a driver's OnOutput.
func (o *output) write(_ core.TerminalID, stream uint8, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.done {
		return
	}
	w := o.streams[0]
	if stream == 2 {
		w = o.streams[1]
	}
	start := time.Now()
	_, err := w.Write(p)
	o.writing += time.Since(start)
	o.writes++
	o.fail(err)
}

func (o *output) fail(err error) {
	if err != nil && o.err == nil {
		o.err = err
		close(o.broken)
	}
}

// What ends the output of a command that has exited while others hold it open.
const (
	drainSilence = 20 * time.Millisecond
	drainLimit   = 250 * time.Millisecond
)

// finish returns when what the command had written when it exited has been
// passed on. ended is closed at the end of output. The machine has waited for
// the same, but while write waits for a slow reader its time runs out; here
// that time does not count.
func (o *output) finish(ended <-chan struct{}) {
	start, startWriting := time.Now(), o.state().writing
	for over := false; !over; {
		before := o.state()
		select {
		case <-ended:
			over = true
		case <-time.After(drainSilence):
			now := o.state()
			over = now.writes == before.writes || time.Since(start)-(now.writing-startWriting) > drainLimit
		}
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	for _, flush := range o.flushes {
		if o.err == nil {
			o.fail(flush())
		}
	}
}

type outputState struct {
	writes  int
	writing time.Duration
}

// state waits for a write that is going on.
func (o *output) state() outputState {
	o.mu.Lock()
	defer o.mu.Unlock()
	return outputState{o.writes, o.writing}
}

// result returns the error that ended the output.
func (o *output) result() error {
	select {
	case <-o.broken:
		return o.err
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
	_, err := t.w.Write(t.lines)
	t.lines = t.lines[:0]
	return err
}
