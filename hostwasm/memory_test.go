package hostwasm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// What guests have the host keep is memory of theirs too. WASI's numbers:
const (
	mfile = 33
	nomem = 48
)

// piping makes pipes until it can't, and exits with the reason.
var piping = hostwasm.NewModule("piping", build(func(m *Module) {
	pipe := m.Import("terrarium_proc_v0", "pipe", "(i32,i32,i32)->i32")
	exit := m.Import(preview1, "proc_exit", "(i32)->()")
	m.Export("_start", m.Func("()->()", "i32",
		Loop(EmptyType, I32(0), I32(0), I32(4), Call(pipe), Tee(0), Op(I32Eqz), BrIf(0)), Get(0), Call(exit)))
}))

// What a guest's pipes may hold is memory that it has, until it has ended.
func TestPipesAreMemory(t *testing.T) { onEachEngine(t, testPipesAreMemory) }

func testPipesAreMemory(t *testing.T, on backend) {
	commands := map[string]*hostwasm.Module{"piping": piping}
	c := core.Command{Command: "piping", Args: []string{"x"}}
	for _, test := range []struct {
		name   string
		config hostwasm.Config
		want   uint32
	}{
		{"of one command", hostwasm.Config{Limits: hostwasm.Limits{Memory: 4 << 20}}, nomem},
		{"of all", hostwasm.Config{Memory: 12 << 20}, nomem},
		{"enough", hostwasm.Config{Limits: hostwasm.Limits{Memory: 64 << 20}}, mfile},
	} {
		test.config.Commands = commands
		h := newHost(t, on, test.config)
		for range 3 { // it is given back
			if got := run(t, h, c); got.exit.Status != exitCode(test.want) {
				t.Errorf("%s: got %v, want exit %d", test.name, got.exit.Status, test.want)
			}
		}
	}
}

// A module in a file is read into memory that the command has.
func TestModulesAreMemory(t *testing.T) { onEachEngine(t, testModulesAreMemory) }

func testModulesAreMemory(t *testing.T, on backend) {
	module := build(func(m *Module) {
		m.Custom("padding", make([]byte, 16<<20))
		m.Export("_start", m.Func("()->()", ""))
	})
	mounts := []hostwasm.Mount{work(t, map[string][]byte{"large.wasm": module})}
	c := core.Command{Command: "./large.wasm", Args: []string{"x"}, Cwd: "/work"}
	h := newHost(t, on, hostwasm.Config{Mounts: mounts, Memory: 8 << 20})
	e, err := h.Resolve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Start(t.Context(), e)
	refused, ok := errors.AsType[*core.HostError](err)
	if !ok || refused.Reason != "no_resources" || refused.Message != "./large.wasm: no memory left to start it" {
		t.Errorf("got %v, want no_resources", err)
	}
	h = newHost(t, on, hostwasm.Config{Mounts: mounts, Memory: 25 << 20})
	for range 3 {
		if got := run(t, h, c); got.exit.Status != exitCode(0) {
			t.Errorf("with enough: got %v", got.exit.Status)
		}
	}
	// A guest that starts it gets ENOMEM, and nothing is kept of it.
	h = newHost(t, on, hostwasm.Config{Mounts: mounts, Limits: hostwasm.Limits{Memory: 16 << 20}})
	got := run(t, h, command("run", "/work/large.wasm"))
	if want := "run: spawn /work/large.wasm: Out of memory\n"; got.stderr != want {
		t.Errorf("got %q, want %q", got.stderr, want)
	}
}

// The /tmp of all sessions together is a part of the memory of all commands.
func TestScratchIsMemory(t *testing.T) { onEachEngine(t, testScratchIsMemory) }

func testScratchIsMemory(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{Memory: 64 << 20})
	fill := func(session core.SessionID) string {
		c := command("filebomb", "/tmp/file")
		c.Session = session
		got := run(t, h, c)
		if got.exit.Status != exitCode(0) {
			t.Errorf("%s: got %v, %s", session, got.exit.Status, got.stderr)
		}
		return got.stdout
	}
	if got, want := fill("first"), "No space left on device"; !strings.Contains(got, " "+want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
	if got, want := fill("second"), "0 No space left on device\n"; got != want {
		t.Errorf("another session: got %q, want %q", got, want)
	}
	// The sessions that have a /tmp since push the first one out.
	for i := range 64 {
		c := command("exit", "0")
		c.Session = core.SessionID(fmt.Sprint(i))
		if _, err := h.Resolve(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if got := fill("third"); strings.HasPrefix(got, "0 ") {
		t.Errorf("when the first was forgotten: got %q", got)
	}
}

// Whatever comes of a start, what was booked for it is given back: newHost looks.
func TestGivenBack(t *testing.T) { onEachEngine(t, testGivenBack) }

func testGivenBack(t *testing.T, on backend) {
	mounts := []hostwasm.Mount{work(t, map[string][]byte{
		"none.wasm":    []byte("\x00asm\x01\x00\x00\x00 and no module"),
		"library.wasm": build(func(m *Module) { m.Export("run", m.Func("()->()", "")) }),
		"wants.wasm": build(func(m *Module) {
			m.Import("other", "thing", "()->()")
			m.Export("_start", m.Func("()->()", ""))
		}),
		"large.wasm": build(func(m *Module) {
			m.Custom("padding", make([]byte, 1<<20))
			m.Export("_start", m.Func("()->()", ""))
		}),
	})}
	for name, limits := range map[string]hostwasm.Limits{
		"as always":    {Module: 1 << 20},
		"no memory":    {Memory: 1},
		"less":         {Memory: 1 << 10},
		"no arguments": {Arguments: 1},
	} {
		h := newHost(t, on, hostwasm.Config{
			Commands: map[string]*hostwasm.Module{"echo": echo}, Mounts: mounts, Limits: limits,
		})
		paths := []string{
			"/work/none.wasm", "/work/library.wasm", "/work/wants.wasm", "/work/large.wasm", "/work", "/work/missing.wasm", "/missing",
		}
		if name != "as always" {
			paths = []string{"/bin/echo"}
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 {
			for _, file := range paths {
				e := core.Exec{Path: file, Argv: []string{file, "x"}}
				for _, ctx := range []context.Context{t.Context(), canceled} {
					if p, err := h.Start(ctx, e); err == nil {
						p.Close()
						t.Fatalf("%s: %s has started", name, file)
					}
				}
			}
			for _, c := range []core.Command{{Cwd: "/missing"}, {Roots: []string{"/missing"}}, {Roots: []string{"/dev"}}} {
				if p, err := h.Start(t.Context(), core.Exec{Command: c, Path: "/bin/echo", Argv: []string{"echo"}}); err == nil {
					p.Close()
					t.Fatalf("%s: started in %+v", name, c)
				}
			}
		}
	}
}
