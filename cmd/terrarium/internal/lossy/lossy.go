// Package lossy writes for a reader who may not read, as whoever has started us may not read our
// standard error.
package lossy

import (
	"io"
	"sync"
	"time"
)

// A Writer never waits. What its reader does not take in time is left out, and that is said. Its
// methods are safe for concurrent use.
type Writer struct {
	w    io.Writer
	note string

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	queue   []byte
	lost    bool
	writing bool
	closed  bool
}

const maxQueue = 64 << 10

// New returns a Writer to w. Close frees it. note is a line that stands where something was left
// out.
func New(w io.Writer, note string) *Writer {
	l := &Writer{w: w, note: note}
	l.changed.L = &l.mu
	go l.run() // ends with Close, or is left behind in a write
	return l
}

// Write takes a copy of p. There is no error: those of w are dropped.
func (l *Writer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost = l.lost || len(l.queue)+len(p) > maxQueue; !l.lost {
		l.queue = append(l.queue, p...)
	}
	l.changed.Broadcast()
	return len(p), nil
}

func (l *Writer) run() {
	var p []byte
	for {
		l.mu.Lock()
		l.writing = false
		l.changed.Broadcast()
		for len(l.queue) == 0 && !l.lost && !l.closed {
			l.changed.Wait()
		}
		if len(l.queue) == 0 && !l.lost {
			l.mu.Unlock()
			return
		}
		p, l.queue = l.queue, p[:0]
		if l.lost {
			p, l.lost = append(append(append(p, '\n'), l.note...), '\n'), false
		}
		l.writing = true
		l.mu.Unlock()
		l.w.Write(p)
	}
}

// Close waits until all is written, but no longer than a second. Nothing must be written after it.
func (l *Writer) Close() {
	giveUp := time.AfterFunc(time.Second, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.queue, l.lost, l.writing = nil, false, false
		l.changed.Broadcast()
	})
	defer giveUp.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
	for len(l.queue) > 0 || l.lost || l.writing {
		l.changed.Wait()
	}
}
