package hostwasm_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// What was compiled is used again by the next program, and compiled again where
// it is not as it was.
func TestCache(t *testing.T) { onEachEngine(t, testCache) }

func testCache(t *testing.T, on backend) {
	dir := filepath.Join(t.TempDir(), "cache")
	compiled := 0
	var logged bytes.Buffer
	module := build(func(m *Module) {
		exit := m.Import(preview1, "proc_exit", "(i32)->()")
		m.Export("_start", m.Func("()->()", "", I32(0), Memory(I32Load, 0), Call(exit)))
		m.Data(0, []byte{7, 0, 0, 0})
	})
	exit7 := func() {
		t.Helper()
		kept, err := hostwasm.CacheIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		e, err := on.open()
		if err != nil {
			t.Fatal(err)
		}
		h, err := hostwasm.New(hostwasm.Config{
			Engine: e, Cache: kept, Commands: map[string]*hostwasm.Module{"x": hostwasm.NewModule("x", module)},
			Compiling: func(string, int) func() { compiled++; return nil },
			Logger:    slog.New(slog.NewTextHandler(&logged, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close() // before anything is damaged: engines map files
		if got := run(t, h, core.Command{Command: "x"}); got.exit.Status.ExitCode != 7 {
			t.Errorf("got %+v, %s, want exit 7", got.exit, got.stderr)
		}
	}
	want := func(n int, when string) {
		t.Helper()
		if exit7(); compiled != n {
			t.Errorf("%s: got %d compilations, want %d", when, compiled, n)
		}
		if lines := strings.Count(logged.String(), `msg="module compiled" module=x bytes=`); lines != n {
			t.Errorf("%s: got %d compilations in the log, want %d", when, lines, n)
		}
	}
	files := func() []string {
		t.Helper()
		var found []string
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && d.Name() != "key" {
				found = append(found, name)
			}
			return err
		})
		if err != nil || len(found) < 2 {
			t.Fatalf("got %q, %v, want code and a seal at least", found, err)
		}
		return found
	}
	want(1, "at first")
	want(1, "then")
	n := 1
	for _, file := range files() {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flipped := append([]byte(nil), wasm...)
		flipped[len(flipped)/2] ^= 4
		for name, damage := range map[string]func() error{
			"truncated": func() error { return os.Truncate(file, int64(len(wasm)/2)) },
			"flipped":   func() error { return os.WriteFile(file, flipped, 0o600) },
			"removed":   func() error { return os.Remove(file) },
		} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			n++
			want(n, name+" "+filepath.Base(file))
		}
	}
	want(n, "in the end")
}

// Functions that one host offers and another does not are not taken from the
// cache, but what refuses the module is.
func TestCacheOtherFuncs(t *testing.T) { onEachEngine(t, testCacheOtherFuncs) }

func testCacheOtherFuncs(t *testing.T, on backend) {
	commands := map[string]*hostwasm.Module{"x": hostwasm.NewModule("x", build(func(m *Module) {
		m.Export("_start", m.Func("()->()", "", Call(m.Import("mine", "f", "()->()"))))
	}))}
	calls := 0
	f := engine.Func{Module: "mine", Name: "f", Call: func(any, *engine.Memory, []uint64) error { calls++; return nil }}
	for range 2 {
		with := newHost(t, on, hostwasm.Config{Commands: commands, Funcs: []engine.Func{f}})
		if got := run(t, with, core.Command{Command: "x"}); got.exit.Reason != "" {
			t.Errorf("got %+v", got.exit)
		}
	}
	if calls != 2 {
		t.Errorf("got %d calls, want 2", calls)
	}
	err := newHost(t, on, hostwasm.Config{Commands: commands}).Prepare(t.Context(), "x")
	if want := "x: imports mine.f ()->(), which is not offered"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Hosts that compile the same module at once, in one cache, all run it.
func TestCacheConcurrently(t *testing.T) { onEachEngine(t, testCacheConcurrently) }

func testCacheConcurrently(t *testing.T, on backend) {
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for i := range 8 {
		h := cachingHost(t, on, dir)
		all.Go(func() {
			if err := h.Prepare(t.Context(), "x"); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// Where the cache can't be used it is said at once, and one that is lost later
// costs time only.
func TestCacheUnwritable(t *testing.T) { onEachEngine(t, testCacheUnwritable) }

// cachingHost returns a host of a command x that keeps in dir what it compiles.
func cachingHost(t *testing.T, on backend, dir string) *hostwasm.Host {
	t.Helper()
	kept, err := hostwasm.CacheIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	return newHost(t, on, hostwasm.Config{Engine: e, Cache: kept, Commands: map[string]*hostwasm.Module{
		"x": hostwasm.NewModule("x", hostileCommand("")),
	}})
}

func testCacheUnwritable(t *testing.T, on backend) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := hostwasm.CacheIn(filepath.Join(file, "cache")); err == nil {
		t.Error("below a file: got nil, want an error")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	h := cachingHost(t, on, dir)
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := h.Prepare(t.Context(), "x"); err != nil {
		t.Errorf("got %v", err)
	}
}
