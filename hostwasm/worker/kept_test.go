//go:build linux || darwin

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// counting returns a Config whose host counts what it compiles.
func counting(engine, dir string) (c worker.Config, compiled *atomic.Int64) {
	compiled = new(atomic.Int64)
	return worker.Config{
		Engine: engine, CacheDir: dir, Pool: -1,
		Compiling: func(string, int) func() { compiled.Add(1); return nil },
	}, compiled
}

// A warned keeps the last warning of a host.
type warned struct{ last atomic.Pointer[string] }

func (*warned) Debug(string, ...any) {}
func (*warned) Info(string, ...any)  {}

func (w *warned) Warn(msg string, args ...any) {
	said := fmt.Sprintln(append([]any{msg}, args...)...)
	w.last.Store(&said)
}

// mustHave fails the test unless the last warning has this text.
func (w *warned) mustHave(t *testing.T, text string) {
	t.Helper()
	said := w.last.Load()
	if said == nil {
		said = new(string)
	}
	if !strings.Contains(*said, text) {
		t.Errorf("got the warning %q, want one with %q", *said, text)
	}
}

// sessions counts them.
var sessions atomic.Int64

// runs has a host run small in a session of its own, and so in a worker that has not
// loaded it, and fails the test unless that many modules were compiled by then.
func runs(t *testing.T, h *worker.Host, compiled *atomic.Int64, want int64, when string) {
	t.Helper()
	session := core.SessionID(fmt.Sprint(sessions.Add(1)))
	if got := run(t, h, core.Command{Command: "small", Session: session}); got.exit.Status != (core.ExitStatus{ExitCode: 7}) {
		t.Errorf("%s: got %+v, %s", when, got.exit, got.stderr)
	}
	if got := compiled.Load(); got != want {
		t.Errorf("%s: got %d compilations, want %d", when, got, want)
	}
}

// Code that the host has not sealed does not run, neither in a host that has
// looked at it before it was changed nor in the next.
func TestChangedCode(t *testing.T) { onEachEngine(t, testChangedCode) }

func testChangedCode(t *testing.T, engine string) {
	dir := filepath.Join(t.TempDir(), "cache")
	c, compiled := counting(engine, dir)
	var log warned
	c.Logger = &log
	h := newHost(t, c)
	runs(t, h, compiled, 1, "at first")
	if said := log.last.Load(); said != nil {
		t.Errorf("at first: got the warning %q", *said)
	}
	change := func() {
		t.Helper()
		err := filepath.WalkDir(filepath.Join(dir, "entries"), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "seal" {
				return err
			}
			code, err := os.ReadFile(name)
			if err != nil || len(code) == 0 {
				return err
			}
			code[len(code)/2] ^= 1
			// A new file: the old one may be mapped.
			return errors.Join(os.Remove(name), os.WriteFile(name, code, 0o600))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change()
	runs(t, h, compiled, 2, "changed behind the host")
	log.mustHave(t, "is not as it was written")
	runs(t, h, compiled, 2, "then")
	change()
	runs(t, newHost(t, c), compiled, 3, "changed between two hosts")
	runs(t, newHost(t, c), compiled, 3, "then")
}

// What can't be loaded is compiled once more, by a process that does nothing
// else, and not at each start.
func TestUnloadableCode(t *testing.T) { onEachEngine(t, testUnloadableCode) }

func testUnloadableCode(t *testing.T, engine string) {
	dir := filepath.Join(t.TempDir(), "cache")
	c, compiled := counting(engine, dir)
	var log warned
	c.Logger = &log
	h := newHost(t, c)
	by := worker.SetBy(h, "")
	worker.SetBy(h, by)
	kept, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := small.Sum()
	if err == nil {
		err = kept.Put(cache.Key{Module: sum, By: by}, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "code"), []byte("of an earlier version"), 0o600)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	runs(t, h, compiled, 1, "at first")
	log.mustHave(t, "what was compiled can't be loaded, and is compiled again")
	runs(t, h, compiled, 1, "then")
}

// A program that compiles otherwise is no worker of ours, and says so.
func TestOtherWorker(t *testing.T) { onEachEngine(t, testOtherWorker) }

func testOtherWorker(t *testing.T, engine string) {
	h := newHost(t, worker.Config{Engine: engine, Pool: -1})
	worker.SetBy(h, "another version")
	_, err := h.Report(context.Background())
	if err == nil || !strings.Contains(err.Error(), "compiles modules otherwise") || !strings.Contains(err.Error(), "another version") {
		t.Errorf("got %v, want an error that says what is different", err)
	}
	if err := h.Prepare(context.Background(), "guest"); err == nil || !strings.Contains(err.Error(), "compiles modules otherwise") {
		t.Errorf("Prepare: got %v, want an error", err)
	}
}

// Without a cache, modules are compiled once for a host, and nothing is left.
func TestNoCache(t *testing.T) { onEachEngine(t, testNoCache) }

func testNoCache(t *testing.T, engine string) {
	c, compiled := counting(engine, "")
	c.Commands, c.TmpDir = commands(), t.TempDir()
	h, err := worker.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	runs(t, h, compiled, 1, "at first")
	runs(t, h, compiled, 1, "then")
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(c.TmpDir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing left", left, err)
	}
}

// A cache that can't be written to is read, and what it lacks is kept elsewhere
// for as long as the host lives.
func TestReadOnlyCache(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes anywhere")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	if _, err := cache.Open(dir); err != nil {
		t.Fatal(err)
	}
	entries := filepath.Join(dir, "entries")
	if err := os.Chmod(entries, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(entries, 0o700) })
	c, compiled := counting("wazero", dir)
	h := newHost(t, c)
	runs(t, h, compiled, 1, "at first")
	runs(t, h, compiled, 1, "then")
}
