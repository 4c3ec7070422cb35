package hostwasm_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A trap is told with the guest's functions, the innermost first, and what the
// module calls them does nothing to a terminal.
func TestTrapStack(t *testing.T) { onEachEngine(t, testTrapStack) }

func testTrapStack(t *testing.T, on backend) {
	long := strings.Repeat("n", 1000)
	for _, test := range []struct {
		names []string // of the import, inner, outer and _start
		want  string
	}{
		{[]string{"yield", "inner", "outer", "_start"}, "\tat inner\n\tat outer\n\tat _start\n"},
		{[]string{"yield", "main.(*T).Do", "f(i32)", "a b"}, "\tat main.(*T).Do\n\tat f(i32)\n\tat a b\n"},
		{[]string{"yield", "\x1b]0;title\a", "a\tb\r", "\u202e\u009b31m"},
			"\tat \uFFFD]0;title\uFFFD\n\tat a\uFFFDb\uFFFD\n\tat \uFFFD\uFFFD31m\n"},
		{[]string{"yield", long, "outer", "_start"}, "\tat " + long[:128] + "…\n\tat outer\n\tat _start\n"},
		{nil, "\tat $2\n\tat $3\n\tat $4\n"},
	} {
		module := build(func(m *Module) {
			m.Import(preview1, "sched_yield", "()->i32")
			inner := m.Func("()->()", "", Op(Unreachable))
			outer := m.Func("()->()", "", Call(inner), Call(inner))
			m.Export("_start", m.Func("()->()", "", Call(outer), Call(outer)))
			if test.names != nil {
				m.FunctionNames(test.names...)
			}
		})
		h := newHost(t, on, hostwasm.Config{Commands: map[string]*hostwasm.Module{"x": hostwasm.NewModule("x", module)}})
		got := run(t, h, core.Command{Command: "x", Args: []string{"y"}})
		if want := "terrarium: x: trap: unreachable\n" + test.want; got.stderr != want {
			t.Errorf("got %q, want %q", got.stderr, want)
		}
	}
}

// A program in Go that reads where there is no memory is told as one that trapped,
// by the names of its functions.
func TestTrapOfGo(t *testing.T) { everywhere(t, testTrapOfGo) }

func testTrapOfGo(t *testing.T, on place) {
	got := run(t, on.host(t, hostwasm.Config{}), command("fault"))
	if got.exit.Status != segv || got.exit.Reason != core.ReasonTrap {
		t.Errorf("got %v %q, want %v %q", got.exit.Status, got.exit.Reason, segv, core.ReasonTrap)
	}
	if want := "terrarium: guest: trap: out of bounds memory access\n\tat main.fault\n"; !strings.HasPrefix(got.stderr, want) {
		t.Errorf("got %q, want it to begin with %q", got.stderr, want)
	}
	if !strings.Contains(got.stderr, "\n\tat main.main\n") {
		t.Errorf("got %q, want main.main in it", got.stderr)
	}
}

// So is one in C, which needs Debian's packages clang-19, lld-19, wasi-libc and
// libclang-rt-19-dev-wasm32 to be built.
func TestTrapOfC(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("there is no clang-19, which builds C programs for WASI")
	}
	file := filepath.Join(t.TempDir(), "main.wasm")
	cmd := exec.Command(clang, "--target=wasm32-wasi", "--sysroot=/usr", "-O1", "-o", file, "testdata/ctrap/main.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("clang-19 can't build C programs for WASI: %v: %s", err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	everywhere(t, func(t *testing.T, on place) {
		h := on.host(t, hostwasm.Config{Commands: map[string]*hostwasm.Module{"trap": hostwasm.NewModule("trap", wasm)}})
		got := run(t, h, core.Command{Command: "trap", Args: []string{"x"}})
		if got.exit.Status != segv || got.exit.Reason != core.ReasonTrap {
			t.Errorf("got %v %q, want %v %q", got.exit.Status, got.exit.Reason, segv, core.ReasonTrap)
		}
		if want := "terrarium: trap: trap: out of bounds memory access\n\tat store"; !strings.HasPrefix(got.stderr, want) {
			t.Errorf("got %q, want it to begin with %q", got.stderr, want)
		}
		if want := "\n\tat work\n\tat main\n"; !strings.Contains(got.stderr, want) {
			t.Errorf("got %q, want %q in it", got.stderr, want)
		}
	})
}

// A refusal shows the name of what it refuses, and nothing happens to the
// terminal it is shown on.
func TestRefusalIsPrintable(t *testing.T) {
	h := newHost(t, backends[0], hostwasm.Config{})
	for _, name := range []string{"\x1b[2J", "/tmp/\x1b]0;x\a", "a\nb"} {
		_, err := h.Resolve(context.Background(), core.Command{Command: name, Args: []string{"x"}})
		if err == nil {
			t.Fatalf("%q: got nil, want an error", name)
		}
		printableOnly(t, strings.ReplaceAll(err.Error(), "\n", "\a"))
	}
}
