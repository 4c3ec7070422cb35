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
	err     error // the first error; nothing is written after it
	done    bool  // nor is what comes after finish
	writes  int
	writing time.Duration // spent in write
}

// newOutput returns an output to the two streams, as bytes or as text.
func newOutput(stdout, stderr io.Writer, asText bool) *output {
	o := &output{broken: make(chan struct{}), streams: [2]io.Writer{stdout, stderr}}
	if asText {
		o.streams = [2]io.Writer{&textWriter{w: stdout}, &textWriter{w: stderr}}
	}
	return o
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
	for _, w := range o.streams {
		if t, ok := w.(*textWriter); ok && o.err == nil {
			o.fail(t.flush())
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
