package wasi

import (
	"encoding/binary"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// maxChildren is how many children of a process may run at once.
const maxChildren = 32

// statusSize is a Status in a guest's memory.
const statusSize = 16

// A handle is the stream that a child's descriptors stand for: its status,
// once it has ended.
type handle struct {
	parent *Process

	mu      sync.Mutex // guards the fields below
	child   Child      // nil until Spawn has returned
	ended   bool
	closed  bool
	status  [statusSize]byte
	taken   int  // how much of status was read
	reaped  bool // the child is to be told, or was
	waiting watchers
}

// started is called when Spawn has returned.
func (h *handle) started(c Child) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.child = c
}

// exited is what Spawn calls when the child has ended.
func (h *handle) exited(s Status) {
	h.mu.Lock()
	if h.ended {
		h.mu.Unlock()
		return
	}
	h.ended = true
	binary.LittleEndian.PutUint32(h.status[0:], uint32(s.Kind))
	binary.LittleEndian.PutUint32(h.status[4:], s.Code)
	binary.LittleEndian.PutUint64(h.status[8:], s.Fuel)
	h.parent.children.Add(-1)
	h.waiting.wake()
	closed := h.closed
	h.mu.Unlock()
	if closed {
		h.reap()
	}
}

// reap lets go of a child that has ended.
func (h *handle) reap() {
	h.mu.Lock()
	c := h.child
	if h.reaped {
		c = nil
	}
	h.reaped = true
	h.mu.Unlock()
	if c != nil {
		c.Reap() // without the lock, like Kill
	}
}

func (h *handle) kill(how Kill) {
	h.mu.Lock()
	c := h.child
	if h.ended {
		c = nil
	}
	h.mu.Unlock()
	if c != nil {
		c.Kill(how) // without the lock: it may call exited
	}
}

func (h *handle) close() {
	h.mu.Lock()
	h.closed = true
	ended := h.ended
	h.mu.Unlock()
	if ended {
		h.reap()
		return
	}
	h.kill(Now)
}

// result returns the status of a child that has ended, as often as it is asked
// for.
func (h *handle) result() (status [statusSize]byte, ended bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status, h.ended
}

func (h *handle) read(b []byte) (int, error) {
	h.mu.Lock()
	if !h.ended {
		h.mu.Unlock()
		return 0, errno.AGAIN
	}
	n := copy(b, h.status[h.taken:])
	h.taken += n
	all := h.taken == len(h.status)
	h.mu.Unlock()
	if all {
		h.reap()
	}
	return n, nil
}

func (h *handle) write([]byte) (int, error) { return 0, errno.BADF }

func (h *handle) readiness(write bool) readiness {
	h.mu.Lock()
	defer h.mu.Unlock()
	if write || !h.ended {
		return readiness{ready: write}
	}
	return readiness{ready: true, hangup: true, n: uint64(statusSize - h.taken)}
}

func (h *handle) watch(w waker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting.add(w)
}

func (h *handle) unwatch(w waker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting.remove(w)
}
