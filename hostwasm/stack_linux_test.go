package hostwasm_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// Many commands that call themselves without end take no more of this process's
// memory, all together, than their stacks may.
func TestRecursionMemory(t *testing.T) { onEachEngine(t, testRecursionMemory) }

func testRecursionMemory(t *testing.T, on backend) {
	const guests, stack = 48, engine.DefaultStack
	h := newHost(t, on, hostwasm.Config{
		Commands: map[string]*hostwasm.Module{
			"recurse": hostwasm.NewModule("recurse", build(func(m *Module) {
				f := m.Func("(i64,i64)->()", "", Get(0), Get(1), Call(0))
				m.Export("_start", m.Func("()->()", "", I64(1), I64(2), Call(f)))
				m.FunctionNames(strings.Repeat("n", 1000)) // engines note who calls whom
			})),
		},
	})
	if err := h.Prepare(t.Context(), "recurse"); err != nil {
		t.Fatal(err)
	}
	forgetPeak(t)
	before := resident(t, "VmHWM")
	var all sync.WaitGroup
	for range guests {
		p := launch(t, h, core.Command{Command: "recurse", Args: []string{"x"}})
		all.Go(func() {
			defer p.Close()
			p.Output(func(uint8, []byte) {})
			if exit, err := p.Wait(); err != nil || exit.Reason != core.ReasonStack {
				t.Errorf("got %+v, %v, want the reason %q", exit, err, core.ReasonStack)
			}
		})
	}
	all.Wait()
	const beside = 32 << 20 // Go's and the guests' own memory
	if got := resident(t, "VmHWM") - before; got > guests*stack+beside {
		t.Errorf("%d guests took %d bytes at most, want %d each", guests, got, stack)
	} else {
		t.Logf("%d guests took %d bytes at most", guests, got)
	}
}

// forgetPeak sets the peak of our resident memory to what there is now.
//
// proc_pid_clear_refs(5)
func forgetPeak(t *testing.T) {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("NOT RUN: the peak of our memory can't be reset: %v", err)
	}
}

// resident returns a line of proc_pid_status(5), in bytes.
func resident(t testing.TB, name string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte(name+":"))
	kib, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	n, err := strconv.Atoi(string(kib))
	if err != nil {
		t.Fatalf("no %s in %q", name, status)
	}
	return n << 10
}
