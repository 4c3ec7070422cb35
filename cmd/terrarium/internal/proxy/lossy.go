package proxy

import (
	"io"
	"sync"
	"time"
)

// A lossy is a writer that never waits. What its reader does not take in time is left out, and that is said.
type lossy struct {
	w io.Writer

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	queue   []byte
	lost    bool
	writing bool
	closed  bool
}

const maxLossy = 64 << 10

func newLossy(w io.Writer) *lossy {
	l := &lossy{w: w}
	l.changed.L = &l.mu
	go l.run() // ends with close, or is left behind in a write
	return l
}

func (l *lossy) add(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost = l.lost || len(l.queue)+len(p) > maxLossy; !l.lost {
		l.queue = append(l.queue, p...)
	}
	l.changed.Broadcast()
}

func (l *lossy) run() {
	var p []byte
	for {
		l.mu.Lock()
		l.writing = false
		l.changed.Broadcast()
		for len(l.queue) == 0 && !l.closed {
			l.changed.Wait()
		}
		if len(l.queue) == 0 {
			l.mu.Unlock()
			return
		}
		p, l.queue = l.queue, p[:0]
		if l.lost {
			p, l.lost = append(p, "\nterrarium: here some of what the agent has written is left out: nobody read it\n"...), false
		}
		l.writing = true
		l.mu.Unlock()
		l.w.Write(p)
	}
}

// close waits until all is written, but no longer than a second.
func (l *lossy) close() {
	giveUp := time.AfterFunc(time.Second, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.queue, l.writing = nil, false
		l.changed.Broadcast()
	})
	defer giveUp.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
	for len(l.queue) > 0 || l.writing {
		l.changed.Wait()
	}
}
