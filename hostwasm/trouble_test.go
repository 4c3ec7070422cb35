package hostwasm_test

import (
	"context"
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
