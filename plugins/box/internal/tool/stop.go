package tool

import (
	"bufio"
	"context"
	"io"
	"sync/atomic"
	"syscall"
)

// A stop remembers why a command should end. Commands may copy streams in goroutines of their own, and loops ask for
// each line.
type stop struct {
	ctx context.Context
	err atomic.Pointer[error] // of the first failed write
}

func (s *stop) stopped() bool { return s.err.Load() != nil || s.ctx.Err() != nil }

func (s *stop) writeError() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *stop) failed(err error) { s.err.CompareAndSwap(nil, &err) }

// output is the raw standard output; its first error stops the command.
type output struct {
	w    io.Writer
	stop *stop
}

func (o *output) Write(p []byte) (int, error) {
	if err := o.stop.ctx.Err(); err != nil {
		return 0, err
	}
	if o.w == nil {
		o.stop.failed(syscall.EBADF)
		return 0, syscall.EBADF
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.stop.failed(err)
	}
	return n, err
}

// stdin ends when the command should. It shows what was written so far before it waits for more input, so that a
// person at a terminal, or the next command of a pipeline, sees each answer in time.
type stdin struct {
	r    io.Reader
	out  *bufio.Writer
	stop *stop
}

func (s *stdin) Read(p []byte) (int, error) {
	if s.r == nil {
		return 0, syscall.EBADF
	}
	s.out.Flush()
	if s.stop.stopped() {
		return 0, io.EOF
	}
	return s.r.Read(p)
}

// Seek makes "head -n1" give back what it read too much of a file.
func (s *stdin) Seek(offset int64, whence int) (int64, error) {
	k, ok := s.r.(io.Seeker)
	if !ok {
		return 0, syscall.ESPIPE
	}
	return k.Seek(offset, whence)
}
