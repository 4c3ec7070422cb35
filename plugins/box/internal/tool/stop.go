package tool

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// A stop remembers why a command should end. Commands may copy streams in goroutines of their own,
// and loops ask for each line.
type stop struct {
	ctx context.Context
	err atomic.Pointer[error] // of the first failed write

	steps atomic.Uint32
	last  atomic.Int64 // when others could run, in milliseconds
}

func (s *stop) stopped() bool { return s.err.Load() != nil || s.cancelled() != nil }

// cancelled returns why the command should end, if it was told to. On wasm no thread interrupts a
// loop for what would tell it, a timer or what is typed: so a loop that asks lets others run now
// and then.
func (s *stop) cancelled() error {
	const steps = 4
	if runtime.GOARCH == "wasm" && s.steps.Add(1)%steps == 0 {
		s.yield()
	}
	return s.ctx.Err()
}

func (s *stop) yield() {
	const every = 20 // ms
	switch now, last := time.Now().UnixMilli(), s.last.Load(); {
	case last == 0:
		s.last.Store(now)
	case now-last >= every:
		time.Sleep(50 * time.Microsecond) // long enough for files to be looked at
		s.last.Store(now)
	}
}

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
	if err := o.stop.cancelled(); err != nil {
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

// Output returns w as an output of the command: it dies of what nobody reads there, as it does of
// its standard output.
func (e *Env) Output(w io.Writer) io.Writer { return &output{w: w, stop: e.stop} }

// diagnostics is the raw standard error. A command whose messages nobody reads any more dies as it
// does of its output.
type diagnostics struct {
	w    io.Writer
	stop *stop
}

func (d *diagnostics) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	if brokenPipe(err) {
		d.stop.failed(err)
	}
	return n, err
}

// brokenPipe reports whether err is of a write that nobody reads.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// stdin ends when the command should. It shows what was written so far before it waits for more
// input, so that a person at a terminal, or the next command of a pipeline, sees each answer in
// time.
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
	n, err := s.r.Read(p)
	if n == 0 && s.stop.ctx.Err() != nil {
		return 0, io.EOF // the read was given up
	}
	return n, err
}

// Seek makes "head -n1" give back what it read too much of a file.
func (s *stdin) Seek(offset int64, whence int) (int64, error) {
	k, ok := s.r.(io.Seeker)
	if !ok {
		return 0, syscall.ESPIPE
	}
	return k.Seek(offset, whence)
}
