//go:build linux || darwin

package hostnative_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// patience is how long a test waits for what must happen.
const patience = 90 * time.Second

// line is a command that runs a POSIX shell line, whatever Config.Shell is.
func line(s string, args ...string) core.Command {
	return core.Command{Command: "/bin/sh", Args: append([]string{"-c", s, "sh"}, args...)}
}

func onPty(c core.Command) core.Command {
	c.Pty, c.Rows, c.Cols = true, 24, 80
	return c
}

func interactive(c core.Command) core.Command {
	c.Interactive = true
	return c
}

// modes are what a command can be connected to.
var modes = []struct {
	name string
	mode func(core.Command) core.Command
}{
	{"pipe", func(c core.Command) core.Command { return c }},
	{"pty", onPty},
}

// start starts c, to be closed when the test ends.
func start(t testing.TB, h *hostnative.Host, c core.Command) driver.Process {
	t.Helper()
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", c.Command, err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		t.Fatalf("Start(%q): %v", e.Argv, err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// run runs c to its end and returns what it wrote to both streams.
func run(t testing.TB, h *hostnative.Host, c core.Command) (string, core.Exit) {
	t.Helper()
	p := start(t, h, c)
	late := time.AfterFunc(patience, func() { p.Close() })
	defer late.Stop()
	var out strings.Builder
	err := p.Output(func(_ uint8, b []byte) { out.Write(b) })
	if !late.Stop() {
		t.Fatalf("%q has not ended in %v; it printed %q", c.Command, patience, out.String())
	}
	if err != nil {
		t.Fatalf("Output(%q): %v", c.Command, err)
	}
	exit := waitExit(t, p)
	if err := p.Close(); err != nil {
		t.Fatalf("Close(%q): %v", c.Command, err)
	}
	return out.String(), exit
}

// waitExit waits for the command's own end.
func waitExit(t testing.TB, p driver.Process) core.Exit {
	t.Helper()
	late := time.AfterFunc(patience, func() { p.Close() })
	defer late.Stop()
	exit, err := p.Wait()
	if err != nil {
		t.Fatalf("Wait: %v", err)
	}
	return exit
}

// openFIFO opens a FIFO for reading, once somebody writes to it. To wait longer
// than patience, for that or for its end, is an error.
func openFIFO(t *testing.T, path string) *os.File {
	t.Helper()
	late := time.AfterFunc(patience, func() {
		if w, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			w.Close() // ends the wait of a reader
		}
	})
	defer late.Stop()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return f
}

// A watch collects the output of a process and tells when it changes.
type watch struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
	end  chan struct{}
}

func watchOutput(p driver.Process) *watch {
	w := &watch{more: make(chan struct{}, 1), end: make(chan struct{})}
	go func() { // ends by the process's Close
		defer close(w.end)
		p.Output(func(_ uint8, b []byte) {
			w.mu.Lock()
			w.text.Write(b)
			w.mu.Unlock()
			select {
			case w.more <- struct{}{}:
			default:
			}
		})
	}()
	return w
}

func (w *watch) output() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// wait waits until the output holds want.
func (w *watch) wait(t testing.TB, want string) {
	t.Helper()
	for late := time.After(patience); !strings.Contains(w.output(), want); {
		select {
		case <-w.more:
		case <-late:
			t.Fatalf("after %v: got output %q, want %q in it", patience, w.output(), want)
		}
	}
}
