package hostwasm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

func nop(any, *engine.Memory, []uint64) error { return nil }

// A function of the embedder's takes the guest's arguments, answers them, and
// may end the guest.
func TestFuncs(t *testing.T) { onEachEngine(t, testFuncs) }

func testFuncs(t *testing.T, on backend) {
	var got []uint64
	add := engine.Func{Module: "example", Name: "add", Params: "iI", Results: "i",
		Call: func(_ any, _ *engine.Memory, stack []uint64) error {
			got = append(got, stack[0], stack[1])
			stack[0] += stack[1]
			return nil
		}}
	end := engine.Func{Module: "example", Name: "end", Call: func(any, *engine.Memory, []uint64) error { return errors.New("enough") }}
	module := build(func(m *Module) {
		f := m.Import("example", "add", "(i32,i64)->i32")
		exit := m.Import(preview1, "proc_exit", "(i32)->()")
		m.Export("_start", m.Func("()->()", "", I32(40), I64(2), Call(f), Call(exit)))
	})
	ended := build(func(m *Module) {
		f := m.Import("example", "end", "()->()")
		m.Export("_start", m.Func("()->()", "", Call(f)))
	})
	h := newHost(t, on, hostwasm.Config{
		Funcs: []engine.Func{add, end},
		Commands: map[string]*hostwasm.Module{
			"add": hostwasm.NewModule("add", module), "end": hostwasm.NewModule("end", ended),
		},
	})
	if r := run(t, h, core.Command{Command: "add"}); r.exit.Status.ExitCode != 42 || !slices.Equal(got, []uint64{40, 2}) {
		t.Errorf("add: got %v, called with %v, want exit 42 and [40 2]", r.exit.Status, got)
	}
	if r := run(t, h, core.Command{Command: "end"}); r.exit.Status != killed {
		t.Errorf("end: got %v, want %v", r.exit.Status, killed)
	}
}

// A function for sockets may be imported in the form of another year. It is not
// there, as when it is imported in today's.
func TestSocketsOfAnotherYear(t *testing.T) { onEachEngine(t, testSocketsOfAnotherYear) }

func testSocketsOfAnotherYear(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{Commands: map[string]*hostwasm.Module{
		"accept": hostwasm.NewModule("accept", exits("sock_accept", "(i32,i32)->i32", I32(3), I32(8))),
	}})
	for range 2 { // compiled, and from the cache
		if r := run(t, h, core.Command{Command: "accept"}); r.exit.Status.ExitCode != 52 { // ENOSYS
			t.Errorf("got %v, %q, want exit 52", r.exit.Status, r.stderr)
		}
	}
	_, err := hostwasm.Check(exits("fd_close", "(i32,i32)->i32", I32(3), I32(8)), hostwasm.Limits{})
	if want := "imports wasi_snapshot_preview1.fd_close as (i32,i32)->i32: it is (i32)->i32"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFuncsRefused(t *testing.T) {
	f := func(module, name, params, results string) engine.Func {
		return engine.Func{Module: module, Name: name, Params: params, Results: results, Call: nop}
	}
	for want, funcs := range map[string][]engine.Func{
		"wasi_snapshot_preview1.fd_write: there is one": {f("wasi_snapshot_preview1", "fd_write", "iiii", "i")},
		"wasi_unstable.fd_seek: there is one":           {f("wasi_unstable", "fd_seek", "iIii", "i")},
		"terrarium_proc_v0.spawn: there is one":         {f("terrarium_proc_v0", "spawn", "", "")},
		"the module terrarium_meter is ours":            {f("terrarium_meter", "other", "", "")},
		"x.y: there is one of that name":                {f("x", "y", "", ""), f("x", "y", "i", "")},
		`x.y ("v", ""): want letters`:                   {f("x", "y", "v", "")},
		`x.y ("", "ii"): want letters`:                  {f("x", "y", "", "ii")},
		"x.\ufffdy: Call is nil":                        {{Module: "x", Name: "\x1by"}},
	} {
		h, err := hostwasm.New(hostwasm.Config{Engine: stubEngine{}, Funcs: funcs})
		if err == nil {
			h.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// stubEngine is for hosts that run nothing.
type stubEngine struct{ engine.Engine }

func (stubEngine) Close() error { return nil }

// A file system of the embedder's is the same for all commands, and stays open
// until its owner closes it.
func TestMountFS(t *testing.T) { onEachEngine(t, testMountFS) }

func testMountFS(t *testing.T, on backend) {
	memory := &counted{FS: vfs.Memory(vfs.MemoryOptions{})}
	h := newHost(t, on, hostwasm.Config{Mounts: []hostwasm.Mount{
		{FS: memory, Guest: "/shared"}, {FS: memory, Guest: "/fixed", ReadOnly: true},
	}})
	if got := run(t, h, command("write", "note", "text")); got.exit.Status != (core.ExitStatus{}) {
		t.Fatalf("write: got %v, %s", got.exit.Status, got.stderr)
	}
	for _, name := range []string{"note", "/shared/note", "/fixed/note", "../fixed/note"} {
		if got := run(t, h, command("read", name)); got.stdout != "text" {
			t.Errorf("read %s: got %q, %q, want text", name, got.stdout, got.stderr)
		}
	}
	if got := run(t, h, command("write", "/fixed/note", "other")); got.exit.Status == (core.ExitStatus{}) {
		t.Error("write /fixed/note: got no error")
	}
	if memory.closed != 0 {
		t.Errorf("got %d calls of Close, want none", memory.closed)
	}
}

// counted counts how often it is closed.
type counted struct {
	vfs.FS
	closed int
}

func (c *counted) Close() error { c.closed++; return c.FS.Close() }

func TestMountFSRefused(t *testing.T) {
	memory := vfs.Memory(vfs.MemoryOptions{})
	for want, m := range map[string]hostwasm.Mount{
		"it has a file system too":                   {Dir: t.TempDir(), FS: memory},
		"Guest says where":                           {FS: memory},
		"mount at rel: not an absolute path":         {FS: memory, Guest: "rel"},
		"mount at /dev: /dev is the sandbox's own":   {FS: memory, Guest: "/dev"},
		"mount at /bin/x: /bin is the sandbox's own": {FS: memory, Guest: "/bin/y/../x"},
	} {
		if _, err := hostwasm.New(hostwasm.Config{Engine: stubEngine{}, Mounts: []hostwasm.Mount{m}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q in it", m, err, want)
		}
	}
}

// A session can't hand over what stands where the sandbox has its own.
func TestRootRefused(t *testing.T) {
	h := newHost(t, backends[0], hostwasm.Config{})
	for dir, want := range map[string]string{
		"/bin":       "mount /bin at /bin: /bin is the sandbox's own",
		"/dev":       "mount /dev at /dev: /dev is the sandbox's own",
		"/proc/self": "mount /proc/self: /proc is not for guests",
		"/no\x1b[2J": `mount "/no\x1b[2J": no such directory`,
	} {
		c := command("pwd")
		c.Roots = []string{dir}
		if _, err := h.Resolve(t.Context(), c); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", dir, err, want)
		}
	}
}

// Check refuses what a Host refuses, in the same words.
func TestCheck(t *testing.T) {
	commands := map[string][]byte{
		"text":    []byte("#!/bin/sh\n"),
		"empty":   {},
		"library": build(func(m *Module) {}),
		"memory": build(func(m *Module) {
			m.Import("x", "f", "()->f64")
			m.Export("_start", m.Func("()->()", ""))
		}),
		"shape": build(func(m *Module) {
			m.Import(preview1, "fd_write", "()->i32")
			m.Export("_start", m.Func("()->()", ""))
		}),
	}
	for name, wasm := range commands {
		_, want := hostwasm.Check(wasm, hostwasm.Limits{})
		h := newHost(t, backends[0], hostwasm.Config{Commands: map[string]*hostwasm.Module{name: hostwasm.NewModule(name, wasm)}})
		got := h.Prepare(t.Context(), name)
		if want == nil || got == nil || got.Error() != name+": "+want.Error() {
			t.Errorf("%s: Prepare got %v, Check %v", name, got, want)
		}
	}
	wasm, err := shout.Load()
	if err != nil {
		t.Fatal(err)
	}
	info, err := hostwasm.Check(wasm, hostwasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range info.Imports {
		if got, want := hostwasm.Offered(i), i.Module == preview1; got != want {
			t.Errorf("Offered(%s.%s): got %t, want %t", i.Module, i.Name, got, want)
		}
	}
	if _, err := hostwasm.Check(wasm, hostwasm.Limits{Module: 1000}); err == nil {
		t.Error("a module beyond the limit: got nil, want an error")
	}
}

// A module is compiled once it was prepared, where that is kept.
func TestCompiled(t *testing.T) { onEachEngine(t, testCompiled) }

func testCompiled(t *testing.T, on backend) {
	wasm := build(func(m *Module) { m.Export("_start", m.Func("()->()", "")) })
	for _, dir := range []string{t.TempDir() + "/cache", ""} {
		e, err := on.open()
		if err != nil {
			t.Fatal(err)
		}
		var kept hostwasm.Cache
		if dir != "" {
			if kept, err = hostwasm.CacheIn(dir); err != nil {
				t.Fatal(err)
			}
		}
		h := newHost(t, on, hostwasm.Config{Engine: e, Cache: kept, Commands: map[string]*hostwasm.Module{"x": hostwasm.NewModule("x", wasm)}})
		for _, want := range []bool{false, dir != ""} {
			if got, err := h.Compiled("x"); got != want || err != nil {
				t.Errorf("cache in %q: got %t, %v, want %t", dir, got, err, want)
			}
			if err := h.Prepare(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Compiled("y"); err == nil {
			t.Error("no such command: got nil, want an error")
		}
	}
}
