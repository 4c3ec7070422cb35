package wasi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

func TestExit(t *testing.T) {
	g := start(t, wasi.Config{})
	_, err := g.raw("proc_exit", 0xffffffff)
	if e := (*wasi.Exit)(nil); !errors.As(err, &e) || e.Code != 0xffffffff {
		t.Errorf("got %v, want exit 4294967295", err)
	}
}

func TestRaise(t *testing.T) {
	g := start(t, wasi.Config{})
	for signal, want := range map[uint64]errno.Errno{
		0: errno.SUCCESS, 16: errno.SUCCESS, 17: errno.SUCCESS, 18: errno.NOTSUP, 27: errno.SUCCESS, 31: errno.INVAL, 1 << 31: errno.INVAL,
	} {
		if got := g.call("proc_raise", signal); got != want {
			t.Errorf("signal %d: got %v, want %v", signal, got, want)
		}
	}
	for signal, want := range map[uint64]string{6: "SIGABRT", 15: "SIGTERM", 30: "SIGSYS"} {
		_, err := g.raw("proc_raise", signal)
		if e := (*wasi.Raised)(nil); !errors.As(err, &e) || e.Signal != want {
			t.Errorf("signal %d: got %v, want %v", signal, err, want)
		}
	}
}

func TestOutputLimit(t *testing.T) {
	parent := wasi.NewQuota(100, nil)
	out, stdout := wasi.NewPipe(0)
	g := start(t, wasi.Config{
		Stdout: stdout.OpenFile(),
		Limits: wasi.Limits{Output: wasi.NewQuota(10, parent)},
	})
	r, w := g.pipe(0)
	g.write(w, strings.Repeat("x", 50))
	g.read(r, 50)
	if n, e := g.write(1, "12345678"); n != 8 || e != errno.SUCCESS {
		t.Errorf("within the limit: got %d, %v, want 8", n, e)
	}
	iovs, n := g.vector(g.put("9abc"))
	_, err := g.raw("fd_write", 1, iovs, n, g.room(4))
	if l := (*wasi.Limit)(nil); !errors.As(err, &l) || l.Reason != core.ReasonOutput {
		t.Errorf("beyond the limit: got %v, want %v", err, core.ReasonOutput)
	}
	g.p.Close()
	if got := <-collect(t, out); got != "123456789a" {
		t.Errorf("got %q, want what the limit allows", got)
	}
	if left, _ := parent.Left(); left != 90 {
		t.Errorf("got %d left for the parent, want 90", left)
	}
}

func TestEndsTell(t *testing.T) {
	for want, err := range map[string]error{
		"exit 3":                 &wasi.Exit{Code: 3},
		"raised SIGABRT":         &wasi.Raised{Signal: "SIGABRT"},
		"limit exceeded: output": &wasi.Limit{Reason: core.ReasonOutput},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// sloppyFiles wraps its errors, or has ones that nobody knows.
type sloppyFiles struct {
	wasi.Files
	err error
}

func (s *sloppyFiles) Mkdir(vfs.Path, vfs.Mode) error { return s.err }

func TestErrorsOfFiles(t *testing.T) {
	files := &sloppyFiles{Files: tree(t)}
	g := start(t, wasi.Config{Files: files})
	for _, c := range []struct {
		err  error
		want errno.Errno
	}{
		{nil, errno.SUCCESS},
		{errno.DQUOT, errno.DQUOT},
		{fmt.Errorf("mkdir: %w", errno.DQUOT), errno.DQUOT},
		{errors.New("a disk on fire"), errno.IO},
	} {
		files.err = c.err
		if got := g.at("path_create_directory", 3, "d"); got != c.want {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
}

// TestInterrupt interrupts a guest in everything that it can wait in.
func TestInterrupt(t *testing.T) {
	killed := errors.New("killed")
	for _, c := range []struct {
		name  string
		waits func(g *guest) error
	}{
		{"read", func(g *guest) error {
			iovs, n := g.vector(g.room(1), 1)
			_, err := g.raw("fd_read", 0, iovs, n, g.room(4))
			return err
		}},
		{"write", func(g *guest) error {
			iovs, n := g.vector(g.put(strings.Repeat("x", 100)))
			_, err := g.raw("fd_write", 1, iovs, n, g.room(4))
			return err
		}},
		{"sleep", func(g *guest) error {
			_, err := g.poll(clockSub(1, uint64(time.Hour)))
			return err
		}},
		{"poll", func(g *guest) error {
			_, err := g.poll(readSub(2, 0), writeSub(3, 1))
			return err
		}},
		{"wait", func(g *guest) error {
			proc := g.spawn(nil)
			_, err := g.raw(wasi.Proc+".wait", uint64(proc), 1<<64-1, g.room(16))
			return err
		}},
		{"wait with a timeout", func(g *guest) error {
			proc := g.spawn(nil)
			_, err := g.raw(wasi.Proc+".wait", uint64(proc), uint64(time.Hour), g.room(16))
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stdin, _ := wasi.NewPipe(0)
				_, stdout := wasi.NewPipe(8)
				g := start(t, wasi.Config{Stdin: stdin.OpenFile(), Stdout: stdout.OpenFile(), Spawner: &nursery{}})
				g.write(1, "12345678")
				began := time.Now()
				ended := make(chan error, 1)
				go func() { ended <- c.waits(g) }()
				synctest.Wait()
				select {
				case err := <-ended:
					t.Fatalf("it did not wait: %v", err)
				default:
				}
				g.p.Interrupt(killed)
				g.p.Interrupt(errors.New("too late"))
				if err := <-ended; err != killed {
					t.Errorf("got %v, want %v", err, killed)
				}
				if d := time.Since(began); d != 0 {
					t.Errorf("it took %v, want no time", d)
				}
				for _, name := range []string{"sched_yield", wasi.Proc + ".features"} {
					g.endedBy(killed, name)
				}
			})
		})
	}
}
