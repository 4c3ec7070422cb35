package hostwasm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A stuckFS does not answer once asked for the file called stuck, like a server
// that is gone.
type stuckFS struct {
	vfs.FS
	asked  chan struct{} // gets a value for each question
	answer chan struct{} // closed to answer them all
}

func newStuckFS() stuckFS {
	return stuckFS{vfs.Memory(vfs.MemoryOptions{}), make(chan struct{}, 100), make(chan struct{})}
}

func (s stuckFS) wait(name string) error {
	if name != "stuck" {
		return nil
	}
	if trying() {
		return engine.ErrWait
	}
	s.asked <- struct{}{}
	<-s.answer
	return nil
}

func (s stuckFS) Open(name string, how vfs.How) (vfs.File, error) {
	if err := s.wait(name); err != nil {
		return nil, err
	}
	return s.FS.Open(name, how)
}

func (s stuckFS) Lstat(name string) (vfs.Stat, error) {
	if err := s.wait(name); err != nil {
		return vfs.Stat{}, err
	}
	return s.FS.Lstat(name)
}

// A command that waits for a file system that does not answer has ended when it
// is killed, others go on, and all can be closed.
func TestStuck(t *testing.T) { onEachEngine(t, testStuck) }

func testStuck(t *testing.T, on backend) {
	hostwasm.SetStuckLimit(t, 100*time.Millisecond)
	checkLeaks(t)
	fs := newStuckFS()
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	h, err := hostwasm.New(hostwasm.Config{
		Engine: e, Mounts: []hostwasm.Mount{{FS: fs, Guest: "/away"}},
		Commands: map[string]*hostwasm.Module{"cat": opener, "echo": echo},
	})
	if err != nil {
		t.Fatal(err)
	}
	other := stand(t, h)
	d := driver.New(driver.Config{Host: h})
	term, err := d.Create(t.Context(), "s", core.Command{Command: "cat", Args: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	<-fs.asked
	if err := term.Kill(); err != nil {
		t.Fatal(err)
	}
	exit, err := term.Wait(t.Context())
	if want := (core.Exit{Status: core.ExitStatus{Signal: "SIGTERM"}, Reason: core.ReasonKilled}); err != nil || exit != want {
		t.Errorf("got %+v, %v, want %+v", exit, err, want)
	}
	other.alive(t)
	again, err := d.Create(t.Context(), "s", core.Command{Command: "echo", Args: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := again.Wait(t.Context()); err != nil || exit.Status != exitCode(0) {
		t.Errorf("another command: got %+v, %v", exit, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	other.process.Close()
	if err := h.Close(); err == nil {
		t.Error("Close of the host: got nil, want an error: a guest is left behind")
	}
	close(fs.answer) // and now it ends
	// A page needs the pause to go on.
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if err := h.Close(); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// opener opens /away/stuck, and exits with what comes of it.
var opener = hostwasm.NewModule("opener", build(func(m *Module) {
	open := m.Import(preview1, "path_open", "(i32,i32,i32,i32,i32,i64,i64,i32,i32)->i32")
	exit := m.Import(preview1, "proc_exit", "(i32)->()")
	const name = "away/stuck"
	m.Data(0, []byte(name))
	m.Export("_start", m.Func("()->()", "",
		I32(3), I32(0), I32(0), I32(int32(len(name))), I32(0), I64(2), I64(0), I32(0), I32(100), Call(open), Call(exit)))
}))

// A silent provider does not answer.
type silent struct {
	vfs.Provider
	asked chan struct{} // gets a value for each question
	freed chan struct{} // gets one when nobody wants the answer any longer
}

func (s silent) Stat(ctx context.Context, _ string) (vfs.Stat, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	s.freed <- struct{}{}
	return vfs.Stat{}, ctx.Err()
}

// A command that waits for a provider ends at once when it is killed, and nothing
// is left behind.
func TestSilentProvider(t *testing.T) { onEachEngine(t, testSilentProvider) }

func testSilentProvider(t *testing.T, on backend) {
	hostwasm.SetStuckLimit(t, time.Hour)
	checkLeaks(t)
	p := silent{asked: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
	h := newHost(t, on, hostwasm.Config{
		Mounts:   []hostwasm.Mount{{FS: vfs.Provide(p, vfs.ProviderOptions{Timeout: time.Hour}), Guest: "/away"}},
		Commands: map[string]*hostwasm.Module{"cat": opener},
	})
	d := driver.New(driver.Config{Host: h})
	defer d.Close()
	c := core.Command{Command: "cat", Args: []string{"x"}}
	term, err := d.Create(t.Context(), "s", c)
	if err != nil {
		t.Fatal(err)
	}
	<-p.asked
	if err := term.Kill(); err != nil {
		t.Fatal(err)
	}
	if exit, err := term.Wait(t.Context()); err != nil || exit.Reason != core.ReasonKilled {
		t.Errorf("got %+v, %v", exit, err)
	}
	<-p.freed
	// Nor does one whose directory is not known yet.
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-p.asked
		cancel()
	}()
	c.Cwd = "/away/dir"
	if _, err := h.Resolve(ctx, c); err == nil {
		t.Error("its directory was found")
	}
	<-p.freed
}

// A command whose directory does not answer is given up when nobody waits for
// it any longer.
func TestStuckStart(t *testing.T) {
	checkLeaks(t)
	fs := newStuckFS()
	h := newHost(t, backends[0], hostwasm.Config{
		Mounts:   []hostwasm.Mount{{FS: fs, Guest: "/away"}},
		Commands: map[string]*hostwasm.Module{"echo": echo},
	})
	other := stand(t, h)
	hostwasm.SetStuckLimit(t, 100*time.Millisecond) // not for the other's end
	c := core.Command{Command: "echo", Args: []string{"x"}, Cwd: "/away/stuck"}
	for what, start := range map[string]func(context.Context) error{
		"Resolve": func(ctx context.Context) error { _, err := h.Resolve(ctx, c); return err },
		"Start": func(ctx context.Context) error {
			_, err := h.Start(ctx, core.Exec{Command: c, Path: "/bin/echo", Argv: []string{"echo"}})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { failed <- start(ctx) }() // ends with ctx
		<-fs.asked
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", what, err, context.Canceled)
		}
	}
	other.alive(t)
	close(fs.answer)
}

// Only so many are left behind: then nothing starts until the file system answers.
func TestStuckStarts(t *testing.T) {
	const most = 3
	hostwasm.SetStuckLimit(t, time.Millisecond)
	hostwasm.SetMaxLeft(t, most)
	checkLeaks(t)
	fs := newStuckFS()
	h := newHost(t, backends[0], hostwasm.Config{
		Mounts:   []hostwasm.Mount{{FS: fs, Guest: "/away"}},
		Commands: map[string]*hostwasm.Module{"echo": echo},
	})
	c := core.Command{Command: "echo", Args: []string{"x"}, Cwd: "/away/stuck"}
	for range most {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { // ends with ctx
			_, err := h.Resolve(ctx, c)
			failed <- err
		}()
		<-fs.asked
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	c.Cwd = ""
	_, err := h.Resolve(t.Context(), c)
	if refused, ok := errors.AsType[*core.HostError](err); !ok || refused.Reason != "no_resources" {
		t.Errorf("got %v, want no_resources", err)
	}
	close(fs.answer)
	// A page needs the pause to go on.
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err = h.Resolve(t.Context(), c); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
