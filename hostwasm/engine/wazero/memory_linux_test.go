package wazero

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// What a guest may have of memory later does not count before, where the system limits
// how much a process has.
func TestReservedIsNoData(t *testing.T) {
	var m metertest.Module
	m.Memory(1, 0)
	m.ExportMemory("memory")
	m.Export("_start", m.Func("()->()", ""))
	e, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile(t.Context(), m.Bytes(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before := dataKiB(t)
	memory, err := p.(*program).newMemory(4<<30-1<<16, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release(memory.space)
	stack, err := newStack(0)
	if err != nil {
		t.Fatal(err)
	}
	defer stack.release()
	if more := dataKiB(t) - before; more > 64<<10 {
		t.Errorf("got %d KiB more of data, want a page and a stack", more)
	}
	const size = 128 << 20
	space := memory.Reallocate(size)
	if len(space) != size {
		t.Fatalf("got %d bytes, want %d", len(space), size)
	}
	space[size-1] = 1
	if more := dataKiB(t) - before; more < size>>10 {
		t.Errorf("got %d KiB more of data, want what the guest has", more)
	}
}

// dataKiB is what RLIMIT_DATA limits.
func dataKiB(t *testing.T) (n int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmData:")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Skip("this system does not tell how much data a process has")
	}
	return n
}
