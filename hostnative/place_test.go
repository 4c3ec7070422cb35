//go:build linux || darwin

package hostnative_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A process says where it is: what it sees itself.
func TestPlace(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	p := start(t, h, line(`echo $$; cat /proc/self/cgroup 2>/dev/null; echo end; exec sleep 1000`))
	w := watchOutput(p)
	w.wait(t, "end\n")
	pid, cgroup := p.(driver.Placer).Place()
	out := w.output()
	if first, _, _ := strings.Cut(out, "\n"); first != strconv.Itoa(pid) {
		t.Errorf("got process %d, and it says %s", pid, first)
	}
	if cgroup != "" && !strings.Contains(out, "/"+filepath.Base(cgroup)+"\n") {
		t.Errorf("got cgroup %q, and it is in\n%s", cgroup, out)
	}
}
