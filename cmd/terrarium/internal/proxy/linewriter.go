package proxy

import (
	"io"
	"sync"
	"time"
)

// maxWaiting is how many bytes of our own may wait for a reader. Whoever adds more waits for room.
const maxWaiting = 1 << 20

// A lineWriter writes lines for one reader, those of a pump and our own. A pump waits until its
// line is taken. What we say ourselves is queued, since whoever says it must not wait for this
// reader.
type lineWriter struct {
	w io.Writer

	writing sync.Mutex // held for a whole line

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	queue   []byte
	queued  uint64 // bytes, ever
	written uint64 // how many of them are written
	closed  bool
	err     error
	failed  chan struct{} // closed when err is set
	done    chan struct{} // closed when nothing is queued any more, nor will be
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{w: w, failed: make(chan struct{}), done: make(chan struct{})}
	l.changed.L = &l.mu
	go l.run() // ends with close, or a write that has failed
	return l
}

// pass writes a piece. Nothing comes between the pieces of a line. One goroutine calls it.
func (l *lineWriter) pass(p piece, begun bool) {
	if !begun {
		l.writing.Lock()
	}
	l.write(p.bytes)
	if p.ended || !p.long {
		l.writing.Unlock()
	}
}

// line writes a whole line and returns when it is taken.
func (l *lineWriter) line(p []byte) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.write(p)
}

func (l *lineWriter) write(p []byte) {
	select {
	case <-l.failed:
		return
	default:
	}
	if _, err := l.w.Write(p); err != nil {
		l.fail(err)
	}
}

// fail has all that comes be dropped. A write that is under way may last.
func (l *lineWriter) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		close(l.failed)
		l.changed.Broadcast()
	}
}

// enqueue takes a copy of a line and does not wait for the reader.
func (l *lineWriter) enqueue(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.closed {
		return
	}
	l.queue = append(l.queue, p...)
	l.queued += uint64(len(p))
	l.changed.Broadcast()
}

// room waits until less than maxWaiting bytes are queued.
func (l *lineWriter) room() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) > maxWaiting && l.err == nil && !l.closed {
		l.changed.Wait()
	}
}

// settle waits until all that is queued now is written: what is passed then comes after it. What is
// queued meanwhile is not waited for: a command that writes faster than the reader reads would
// have it wait for good.
func (l *lineWriter) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for last := l.queued; l.written < last && l.err == nil && !l.closed; {
		l.changed.Wait()
	}
}

func (l *lineWriter) run() {
	defer close(l.done)
	var lines []byte
	for {
		l.mu.Lock()
		l.written += uint64(len(lines))
		l.changed.Broadcast()
		for len(l.queue) == 0 && !l.closed && l.err == nil {
			l.changed.Wait()
		}
		if len(l.queue) == 0 || l.err != nil {
			l.mu.Unlock()
			return
		}
		lines, l.queue = l.queue, lines[:0]
		l.changed.Broadcast()
		l.mu.Unlock()
		l.line(lines)
	}
}

// flushLimit is how long a reader that is being left may take to read what is queued.
const flushLimit = time.Second

// close returns when all that is queued is written, or the reader does not take it.
func (l *lineWriter) close() {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-l.failed:
	case <-time.After(flushLimit):
	}
}
