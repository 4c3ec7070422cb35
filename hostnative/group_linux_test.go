package hostnative

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// Close waits also for what is in the command's own process group and dies
// slowly, here of the 512 MiB that it has to give back. Where there is no cgroup
// it did not: the process outlived Close, and its zombie was left to whoever
// adopts this program's orphans.
func TestCloseWaitsForGroup(t *testing.T) {
	p := exited(t, Config{NoCgroup: true}, "dd if=/dev/zero bs=512M count=1 2>/dev/null & exit 3")
	for p.OutputPending() == 0 { // until it has its memory, and waits for a reader
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	children, _ := strays.Orphans()
	for _, pid := range children {
		if s, err := strays.ReadStat(pid); err == nil && s.Group == p.Pid() {
			t.Errorf("process %d of the group is left: %+v", pid, s)
		}
	}
}

// exited returns a shell line's process when it has ended and is not closed yet.
func exited(t *testing.T, c Config, line string) *process {
	h, err := New(c)
	coretest.Supported(t, err)
	t.Cleanup(func() { h.Close() })
	e, err := h.Resolve(t.Context(), core.Command{Command: line})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return p.(*process)
}
