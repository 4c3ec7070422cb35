package wasi

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A stream is what is read or written in order and may have to be waited for:
// a pipe's end, or a process. Methods are safe for concurrent use.
type stream interface {
	// read and write never wait: EAGAIN. read returns 0, nil at the end of
	// the stream; write takes as much as there is room for.
	read(p []byte) (int, error)
	write(p []byte) (int, error)
	// readiness says whether write, or else read, would do something other
	// than EAGAIN.
	readiness(write bool) readiness
	// watch has w rung at every change from now on, until unwatch.
	watch(w waker)
	unwatch(w waker)
	close()
}

// readiness is what poll_oneoff tells of a descriptor.
type readiness struct {
	ready  bool
	hangup bool   // the other side is gone
	n      uint64 // bytes that can be read, or that there is room for
}

// null is a stream that ends at once and swallows what is written: what stands
// for a standard descriptor that nobody gave.
type null struct{}

func (null) read([]byte) (int, error)    { return 0, nil }
func (null) write(p []byte) (int, error) { return len(p), nil }
func (null) readiness(bool) readiness    { return readiness{ready: true} }
func (null) watch(waker)                 {}
func (null) unwatch(waker)               {}
func (null) close()                      {}

// readStream reads what is there, and waits for it unless nonblock.
func (p *Process) readStream(s stream, b []byte, nonblock bool) (int, error) {
	n, err := s.read(b)
	if err != errno.AGAIN || nonblock {
		return n, err
	}
	if p.trying {
		return 0, engine.ErrWait
	}
	s.watch(p.wake)
	defer s.unwatch(p.wake)
	for {
		if err := p.interrupted(); err != nil {
			return 0, err
		}
		n, err := s.read(b)
		if err != errno.AGAIN {
			return n, err
		}
		sleepOn(s)
		p.park(forever)
	}
}

// sleepOn tells s, if it is the end of a pipe that is read, that the process
// waits for nothing else.
func sleepOn(s stream) {
	if r, ok := keyboard(s); ok {
		r.sleep()
	}
}

// writeWaits reports whether to write n bytes in all to s could have to wait.
func writeWaits(s stream, n uint32) bool {
	switch s := s.(type) {
	case writeEnd:
		return s.lacks(n)
	case terminalEnd:
		return s.writes && s.out.lacks(n)
	case *exchange:
		return s.out.lacks(n)
	}
	return false // nothing else that can be written is ever full
}

// writeStream writes all of b, or with nonblock what there is room for. It
// may return both a count and an error.
func (p *Process) writeStream(s stream, b []byte, nonblock bool) (int, error) {
	n, err := s.write(b)
	if nonblock || (err == nil && n == len(b)) || (err != nil && err != errno.AGAIN) {
		return n, err
	}
	s.watch(p.wake)
	defer s.unwatch(p.wake)
	for {
		if err := p.interrupted(); err != nil {
			return n, err
		}
		k, err := s.write(b[n:])
		n += k
		if n == len(b) || (err != nil && err != errno.AGAIN) {
			return n, err
		}
		if k == 0 {
			p.park(forever)
		}
	}
}
