package hostwasm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// process is a driver.Process: a terminal's command, and what it has started.
type process struct {
	job  *job
	root *guest

	stdin  *wasi.PipeWriter
	screen *wasi.Terminal // nil without a pty
	tty    *discipline    // between Write and stdin, on an interactive pty
	stdout *wasi.PipeReader
	stderr *wasi.PipeReader // nil if it is one with stdout, as on a pty

	trouble *wasi.PipeWriter // where we tell of a trap: the command's standard error

	closing sync.Once
	closed  chan struct{}
}

// newProcess returns a process without its root, and the root's streams. As on
// a host's own pty, only an interactive terminal edits and echoes what is
// typed, and turns the line feeds of output into new lines.
func newProcess(j *job, of core.Command) (*process, wasi.Config) {
	pty, interactive := of.Pty, of.Interactive
	p := &process{job: j, closed: make(chan struct{})}
	stdin, keys := wasi.NewPipe(0)
	stdout, out := wasi.NewPipe(0)
	p.stdin, p.stdout, p.trouble = keys, stdout, out
	if !interactive {
		keys.Close()
	}
	if !pty && of.OneStream {
		one := out.OpenFile()
		return p, wasi.Config{Stdin: stdin.OpenFile(), Stdout: one, Stderr: one}
	}
	if !pty {
		stderr, errs := wasi.NewPipe(0)
		p.stderr, p.trouble = stderr, errs
		return p, wasi.Config{Stdin: stdin.OpenFile(), Stdout: out.OpenFile(), Stderr: errs.OpenFile()}
	}
	var changing func(wasi.Modes)
	if interactive {
		p.tty = &discipline{
			input:  backlog{pipe: keys, max: maxTyped},
			output: backlog{pipe: out, max: maxEchoed},
			signal: func(name string) { p.root.kill(&killError{name}) },
			modes:  wasi.SaneModes,
		}
		changing = p.tty.change
	}
	p.screen = wasi.NewTerminal(stdin, out, interactive, changing)
	p.screen.Resize(size(of.Rows, of.Cols))
	screen := p.screen.Output()
	c := wasi.Config{Stdin: p.screen.Input(), Stdout: screen, Stderr: screen}
	if interactive {
		c.Terminal = p.screen
	}
	return p, c
}

// Output implements driver.Process.
func (p *process) Output(sink func(stream uint8, p []byte)) error {
	var mu sync.Mutex // one call of sink at a time
	locked := func(stream uint8, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		select {
		case <-p.closed:
		default:
			sink(stream, b)
		}
	}
	done := make(chan struct{}, 2)
	go func() { // ends when the guests have, or with Close
		p.copy(p.stdout, 1, locked)
		done <- struct{}{}
	}()
	go func() { // likewise
		if p.stderr != nil {
			p.copy(p.stderr, 2, locked)
		}
		done <- struct{}{}
	}()
	for range 2 {
		select {
		case <-done:
		case <-p.closed:
			// A call of sink may still run, and later ones find it closed: whoever called us
			// may let go of what sink uses.
			mu.Lock()
			defer mu.Unlock()
			return nil
		}
	}
	return nil
}

// OutputPending implements driver.Pender.
func (p *process) OutputPending() int {
	n := p.stdout.Len()
	if p.stderr != nil {
		n += p.stderr.Len()
	}
	return n
}

// FlushOutput waits until Output's sink was given what is pending now, or Close.
func (p *process) FlushOutput() {
	p.stdout.WaitRead()
	if p.stderr != nil {
		p.stderr.WaitRead()
	}
}

// copy hands what comes from r to sink until its end, from the pipe's memory.
func (p *process) copy(r *wasi.PipeReader, stream uint8, sink func(uint8, []byte)) {
	r.WriteTo(writerFunc(func(b []byte) {
		sink(stream, b)
	}))
}

// writerFunc is an io.Writer that takes everything.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// Write implements driver.Process.
func (p *process) Write(b []byte) (int, error) {
	if p.isClosed() {
		return 0, os.ErrClosed
	}
	if p.tty != nil {
		return p.tty.Write(b)
	}
	return p.stdin.Write(b)
}

// CloseInput implements driver.Process.
func (p *process) CloseInput() error {
	if p.isClosed() {
		return os.ErrClosed
	}
	if p.tty != nil {
		return p.tty.Close()
	}
	return p.stdin.Close()
}

// Resize implements driver.Process.
func (p *process) Resize(rows, cols int) error {
	if p.isClosed() {
		return os.ErrClosed
	}
	if p.screen != nil {
		p.screen.Resize(size(rows, cols))
	}
	return nil
}

// size returns the size of a terminal, 0 for what can be none.
func size(rows, cols int) (s wasi.Size) {
	if 0 < rows && rows <= math.MaxUint16 && 0 < cols && cols <= math.MaxUint16 {
		s = wasi.Size{Rows: uint16(rows), Cols: uint16(cols)}
	}
	return s
}

// Raw reports whether carriage return reaches the command as it is typed.
func (p *process) Raw() bool { return p.tty != nil && p.screen.Modes()&wasi.Returns == 0 }

// Foreground reports whether the command itself has the terminal: nobody else
// can be given it here.
func (p *process) Foreground() bool { return p.tty != nil }

// Reading reports whether the command, or what it has started, waits for
// somebody to type. Once it does, it goes on doing that until somebody has.
// known is false without an interactive terminal.
func (p *process) Reading() (reading, known bool) {
	return p.tty != nil && p.tty.awaited(), p.tty != nil
}

// Signal implements driver.Process. No guest can catch a signal: what would
// end a process by default ends it, and all others do nothing.
func (p *process) Signal(name string) error {
	signal, known := signalByName(name)
	switch {
	case !known:
		return fmt.Errorf("signal %q: %w", name, errors.ErrUnsupported)
	case p.isClosed():
		return os.ErrClosed
	case signal.deadly:
		p.root.kill(&killError{name})
	}
	return nil
}

// Wait implements driver.Process.
func (p *process) Wait() (core.Exit, error) {
	select {
	case <-p.closed:
		return core.Exit{}, os.ErrClosed
	default:
	}
	select {
	case <-p.root.done:
		return p.root.exit, nil
	case <-p.closed:
		return core.Exit{}, os.ErrClosed
	case <-p.root.ctx.Done():
	}
	late := time.NewTimer(stuckLimit)
	defer late.Stop()
	select {
	case <-p.root.done:
		return p.root.exit, nil
	case <-p.closed:
		return core.Exit{}, os.ErrClosed
	case <-late.C:
		return p.root.leave(), nil
	}
}

// Close implements driver.Process. It fails if a guest is left behind.
func (p *process) Close() (err error) {
	p.closing.Do(func() {
		p.root.kill(&killError{"SIGKILL"})
		close(p.closed)
		p.stdin.Close()
		p.stdout.Close()
		if p.stderr != nil {
			p.stderr.Close()
		}
		err = p.job.close()
	})
	return err
}

func (p *process) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
