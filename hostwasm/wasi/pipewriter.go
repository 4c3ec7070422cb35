package wasi

import (
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A PipeWriter is the end of a pipe that is written, by the host or a guest
// but not by both. Its methods are safe for concurrent use.
type PipeWriter struct {
	*pipe
	turn sync.Mutex
	wake waker
}

// Write waits until all of b is in the pipe. It returns [io.ErrClosedPipe]
// once either end is closed. b is not kept.
func (w *PipeWriter) Write(b []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.watch(w.wake)
	defer w.unwatch(w.wake)
	n, dropped := 0, w.drops()
	for {
		k, err := w.pipe.write(b[n:])
		n += k
		switch {
		case err == errno.AGAIN:
			<-w.wake
			if w.drops() != dropped {
				return len(b), nil // the rest goes where its beginning went
			}
		case err != nil:
			return n, io.ErrClosedPipe
		case n == len(b):
			return n, nil
		}
	}
}

// TryWrite writes what there is room for, and does not wait: n may be 0. Its
// errors are those of Write.
func (w *PipeWriter) TryWrite(b []byte) (n int, err error) {
	for n < len(b) {
		k, err := w.pipe.write(b[n:])
		n += k
		switch {
		case err == errno.AGAIN:
			return n, nil
		case err != nil:
			return n, io.ErrClosedPipe
		}
	}
	return n, nil
}

// Close lets the reader read what is there, and then the end of the file. It
// never fails.
func (w *PipeWriter) Close() error {
	w.closeWriter()
	return nil
}

// EndFile lets the reader read what is there, and then the end of the file
// once: what is written later can be read after it.
func (w *PipeWriter) EndFile() { w.endFile() }

// Awaited reports whether the reader, a guest, waits for what is written next:
// for that alone, and as long as it takes.
func (w *PipeWriter) Awaited() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asleep
}

// Interrupt tells the process that leads the terminal to end what it does, and
// drops what it has not read yet. It does not wait. It returns false, and does
// nothing, where that process has not asked to be told, or has left the last
// one unread for as long as patience.
func (w *PipeWriter) Interrupt(patience time.Duration) bool { return w.interrupt(patience) }

// OpenFile is this end for [Config].Stdout and Stderr, or for a child. What is
// written to it counts as output: [Limits].Output. Its last process to let go
// of it closes it.
func (w *PipeWriter) OpenFile() *OpenFile {
	return &OpenFile{stream: writeEnd{w.pipe}, rights: writerRights, output: true}
}
