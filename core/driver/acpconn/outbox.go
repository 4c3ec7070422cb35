package acpconn

import (
	"errors"
	"io"
	"sync"
	"time"
)

// maxQueued is how many bytes may wait to be written before the peer is no
// longer read: one that asks but does not listen fills no memory.
const maxQueued = 16 << 20

// flushLimit is how long a peer that is being left may take to read the rest.
const flushLimit = 5 * time.Second

var errNotReading = errors.New("acpconn: the peer does not read its answers")

// A TryWriter writes as much of p as it can without waiting. Serve asks for
// that first, if its writer is one: it saves a goroutine its turn. An error
// stays for Write to tell.
type TryWriter interface {
	TryWrite(p []byte) (n int)
}

// outbox writes lines on a goroutine of its own, so that a peer that is slow
// to read holds up nobody but itself.
type outbox struct {
	failed chan struct{} // closed after a write has failed
	try    TryWriter     // nil if the writer is none

	mu      sync.Mutex
	changed sync.Cond
	queued  []byte // lines not yet being written
	writing bool   // some are
	closed  bool
	err     error // of the writer
	done    bool
}

func newOutbox() *outbox {
	o := &outbox{failed: make(chan struct{})}
	o.changed.L = &o.mu
	return o
}

// send queues a copy of line, or writes it. After the end it drops it: nobody
// would ever take it.
func (o *outbox) send(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return
	}
	if o.try != nil && !o.writing && len(o.queued) == 0 {
		line = line[o.try.TryWrite(line):]
		if len(line) == 0 {
			return
		}
	}
	o.queued = append(o.queued, line...)
	o.changed.Broadcast()
}

// wait returns when no more than most bytes wait to be written.
func (o *outbox) wait(most int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queued) > most && o.err == nil && !o.closed {
		o.changed.Wait()
	}
}

// run writes to w until the outbox is closed and empty, or a write fails.
func (o *outbox) run(w io.Writer) {
	var lines []byte
	for {
		var ok bool
		if lines, ok = o.take(lines); !ok {
			return
		}
		if _, err := w.Write(lines); err != nil {
			o.fail(err)
			return
		}
	}
}

// take waits for lines and swaps them for the buffer written last.
func (o *outbox) take(written []byte) (lines []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
	for len(o.queued) == 0 && !o.closed {
		o.changed.Wait()
	}
	if len(o.queued) == 0 {
		o.done = true
		o.changed.Broadcast()
		return nil, false
	}
	if cap(written) > maxQueued {
		written = nil
	}
	lines, o.queued = o.queued, written[:0]
	o.writing = true
	o.changed.Broadcast()
	return lines, true
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return
	}
	o.err, o.done = err, true
	o.queued = nil
	close(o.failed)
	o.changed.Broadcast()
}

// close waits until everything is written, or for flushLimit, and returns the
// writer's error.
func (o *outbox) close() error {
	giveUp := time.AfterFunc(flushLimit, func() { o.fail(errNotReading) })
	defer giveUp.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
	for !o.done {
		o.changed.Wait()
	}
	return o.err
}
