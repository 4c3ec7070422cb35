package tests

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A farEnd is dialed by starting "terrarium host serve --stdio ARG…".
type farEnd struct {
	t      *testing.T
	via    []string // the program that starts it, if that is another one, with its arguments
	args   []string
	env    []string // besides the test's
	relays chan *relay

	mu    sync.Mutex // guards files: a connection that breaks is made anew meanwhile
	files []*os.File // from 3 on
}

// A relay is one that was started, with the near ends of its pipes.
type relay struct {
	io.Reader
	io.Writer
	cmd    *exec.Cmd
	stderr syncBuffer
	exited chan struct{} // closed when it has exited
	close  func()
}

func (r *relay) Close() error {
	r.close()
	return nil
}

func newFarEnd(t *testing.T, args ...string) *farEnd {
	nativeHost(t)
	return &farEnd{t: t, args: append([]string{"host", "serve", "--stdio"}, args...), relays: make(chan *relay, 100)}
}

func (f *farEnd) dial(context.Context) (io.ReadWriteCloser, error) {
	r, err := f.start()
	if err != nil {
		return nil, err
	}
	f.relays <- r
	return r, nil
}

func (f *farEnd) start() (*relay, error) {
	in, toIt, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromIt, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r := &relay{
		Reader: fromIt, Writer: toIt, exited: make(chan struct{}),
		close: func() { toIt.Close(); fromIt.Close() },
	}
	argv := slices.Concat(f.via, []string{"terrarium"}, f.args)
	r.cmd = exec.Command(argv[0], argv[1:]...)
	r.cmd.Env = append(os.Environ(), f.env...)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = in, out, &r.stderr
	f.mu.Lock()
	r.cmd.ExtraFiles = f.files
	err = r.cmd.Start()
	f.mu.Unlock()
	in.Close()
	out.Close()
	if err != nil {
		r.close()
		return nil, err
	}
	go func() { // ends with it
		r.cmd.Wait()
		close(r.exited)
	}()
	return r, nil
}

// connect returns a driver of commands over there, and the relay of the first connection.
func (f *farEnd) connect(c remote.Config) (*driver.Driver, *remote.Host, *relay) {
	f.t.Helper()
	c.Dial = f.dial
	h, err := remote.Connect(limited(f.t), c)
	if err != nil {
		f.t.Fatal(err)
	}
	return drive(f.t, h), h, <-f.relays
}

// drive returns a driver of commands on a host, both of which end with the test.
func drive(t *testing.T, h *remote.Host) *driver.Driver {
	t.Cleanup(func() { h.Close() })
	d := driver.New(driver.Config{Host: h})
	t.Cleanup(func() { d.Close() })
	return d
}

// exits waits until r has exited, and checks its status.
func (r *relay) exits(t *testing.T, status int) {
	t.Helper()
	select {
	case <-r.exited:
	case <-limited(t).Done():
		t.Fatal("it lives on")
	}
	if got := r.cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("got status %d, want %d; it says:\n%s", got, status, &r.stderr)
	}
}

// run runs a command to its end, and returns what it wrote.
func run(t *testing.T, d *driver.Driver, c core.Command) string {
	t.Helper()
	term, err := d.Create(limited(t), "s", c)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := term.Wait(limited(t))
	if err != nil || exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v and %v, want exit 0", exit, err)
	}
	out, _ := term.Output()
	return string(out)
}

// sleeps starts a command that runs until it is killed, and returns its process.
func sleeps(t *testing.T, d *driver.Driver) (term *driver.Terminal, pid string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	term, err := d.Create(limited(t), "s", core.Command{Command: `trap '' HUP TERM; echo $$ >"` + file + `"; while :; do sleep 1000; done`})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		p, _ := os.ReadFile(file)
		pid = strings.TrimSpace(string(p))
		return len(p) > 0 && p[len(p)-1] == '\n'
	})
	return term, pid
}

// lost checks that a terminal has ended since its far side did.
func lost(t *testing.T, term *driver.Terminal) {
	t.Helper()
	exit, err := term.Wait(limited(t))
	if err != nil || exit.Reason != core.ReasonLost {
		t.Errorf("got %v and %v, want it to be lost", exit, err)
	}
}

func TestHostServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFarEnd(t, "--cwd", dir, "--env", "GIVEN=there", "--env", "BOTH=there", "--limit", "open-files=77")
	f.env = []string{"TERRARIUM_TEST_SECRET=1"}
	d, _, r := f.connect(remote.Config{})
	got := run(t, d, core.Command{
		Command: `pwd; echo $GIVEN $BOTH $TERRARIUM_TEST_SECRET; ulimit -n`,
		Env:     []core.EnvVariable{{Name: "BOTH", Value: "here"}},
	})
	if want := dir + "\nthere here\n77\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err := d.Create(limited(t), "s", core.Command{Command: "true", Cwd: dir + "/none"})
	if e, ok := errors.AsType[*os.PathError](err); !ok || e.Op != "cwd" {
		t.Errorf("got %v, want an error about the directory", err)
	}
	r.Close()
	r.exits(t, 0)
}

// The flags of the sandbox hold over there, kept or not.
func TestHostServeSandbox(t *testing.T) {
	cache, err := sharedCache()
	if err != nil {
		t.Fatal(err)
	}
	for name, far := range map[string]func(t *testing.T, args ...string) *farEnd{
		"stdio": newFarEnd,
		"kept":  func(t *testing.T, args ...string) *farEnd { return newKeptEnd(t, args...).farEnd },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "answers.wasm"), moduleOf("answers"), 0o666); err != nil {
				t.Fatal(err)
			}
			f := far(t, "--host", "wasm", "--plugins", dir)
			f.env = append(f.env, "XDG_CACHE_HOME="+cache)
			d, _, _ := f.connect(remote.Config{})
			if got := run(t, d, core.Command{Command: "answers"}); got != "42\n42\n" {
				t.Errorf("got %q, want 42 on both streams", got)
			}
			if _, err := d.Create(limited(t), "s", core.Command{Command: terrariumPath(t), Args: []string{"x"}}); err == nil {
				t.Error("a native command: got nil, want an error")
			}
		})
	}
}

func TestHostServeEnds(t *testing.T) {
	for _, test := range []struct {
		name   string
		end    func(r *relay, h *remote.Host)
		status int
	}{
		{"end of input", func(r *relay, _ *remote.Host) { r.Close() }, 0},
		{"closed", func(_ *relay, h *remote.Host) { h.Close() }, 0},
		{"TERM", func(r *relay, _ *remote.Host) { r.cmd.Process.Signal(syscall.SIGTERM) }, 128 + 15},
		{"HUP", func(r *relay, _ *remote.Host) { r.cmd.Process.Signal(syscall.SIGHUP) }, 128 + 1},
		{"KILL", func(r *relay, _ *remote.Host) { r.cmd.Process.Kill() }, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFarEnd(t)
			why := make(chan error, 1)
			d, h, r := f.connect(remote.Config{OnState: func(s remote.State) {
				if s.Link == remote.Lost {
					why <- s.Err
				}
			}})
			term, pid := sleeps(t, d)
			test.end(r, h)
			r.exits(t, test.status)
			(&faultTest{T: t, ctx: limited(t)}).gone(pid)
			lost(t, term)
			if test.name == "TERM" {
				if err := <-why; !strings.Contains(err.Error(), "the far side has ended") {
					t.Errorf("got %v, want it to say that the far side has ended", err)
				}
			}
			if test.name != "KILL" && r.stderr.String() != "" {
				t.Errorf("got %q on standard error, want nothing", &r.stderr)
			}
		})
	}
}

// What is no hello is told of, and nothing of ours goes to standard output.
func TestHostServeStranger(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, out, err string }{
		{"", "", ""},
		{"hello\n", "", "terrarium: the other side is no terrarium; it says \"hello\"\n"},
	} {
		cmd := exec.CommandContext(limited(t), "terrarium", "host", "serve", "--stdio")
		var out, stderr strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(test.in), &out, &stderr
		err := cmd.Run()
		if out.String() != test.out || stderr.String() != test.err || (err != nil) != (test.err != "") {
			t.Errorf("%q: got %q, %q and %v, want %q and %q", test.in, &out, &stderr, err, test.out, test.err)
		}
	}
}
