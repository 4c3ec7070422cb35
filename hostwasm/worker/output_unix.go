//go:build linux || darwin

package worker

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A buffer is what output is read into: as much as a pipe holds.
type buffer [64 << 10]byte

// buffers lends them while there is something to read: an idle command has none.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Output implements driver.Process.
func (p *process) Output(sink func(stream uint8, p []byte)) error {
	errs := make(chan error, len(p.outs))
	for i, f := range p.outs[1:] {
		// It ends with its stream, or by Close.
		go func() { errs <- p.copyOutput(uint8(2+i), f, sink) }()
	}
	err := p.copyOutput(1, p.outs[0], sink)
	for range p.outs[1:] {
		if e := <-errs; err == nil {
			err = e
		}
	}
	return err
}

// copyOutput reads f until its end, which is the worker's at the latest.
func (p *process) copyOutput(stream uint8, f *os.File, sink func(stream uint8, p []byte)) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil // closed
	}
	var (
		buf *buffer
		n   int
	)
	// read is called whenever there may be something to read, and returns
	// false to wait for that. A buffer is taken for no longer.
	read := func(fd uintptr) bool {
		buf = buffers.Get().(*buffer)
		p.holding.Add(int64(len(buf))) // while nobody knows how much it is
		n, err = unix.Read(int(fd), buf[:])
		for err == unix.EINTR {
			n, err = unix.Read(int(fd), buf[:])
		}
		n = max(0, n) // -1 is an error
		p.holding.Add(int64(n - len(buf)))
		if err == unix.EAGAIN {
			buffers.Put(buf)
			return false
		}
		return true
	}
	for {
		if conn.Read(read) != nil {
			return nil // closed
		}
		if n > 0 {
			p.sink.Lock()
			if !p.closed.Load() {
				sink(stream, buf[:n])
			}
			p.sink.Unlock()
		}
		buffers.Put(buf)
		p.holding.Add(int64(-n))
		switch {
		case n > 0:
		case err == nil:
			return nil
		default:
			return fmt.Errorf("hostwasm/worker: read output: %w", err)
		}
	}
}

// OutputPending implements driver.Pender.
func (p *process) OutputPending() int {
	// Asked along the way that output takes, so that none is missed.
	return int(p.pending.Load()) + p.unread()
}

// unread returns how much of the output that has left the worker sink has not
// been given.
func (p *process) unread() (n int) {
	for _, f := range p.outs {
		conn, err := f.SyscallConn()
		if err != nil {
			continue // closed
		}
		conn.Control(func(fd uintptr) { n += readable(int(fd)) })
	}
	// What is no longer there to be read is held until sink has it.
	return n + int(p.holding.Load())
}

// readable returns how many bytes can be read from fd.
func readable(fd int) int {
	n, err := unix.IoctlGetInt(fd, getReadable)
	if err != nil {
		return 0
	}
	return n
}
