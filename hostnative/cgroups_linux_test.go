package hostnative_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Whatever a command does to its cgroup, which root may, the next one does not
// come to feel it.
func TestCgroupsAreAsNew(t *testing.T) {
	parent := ownCgroup(t)
	for _, test := range []struct{ name, script string }{
		{"settings", `echo 3 >$cgroup/cgroup.max.depth`},
		{"frozen", `(sh -c 'echo $$ >$1/cgroup.procs; sleep 0.1; echo 1 >$2/cgroup.freeze' sh "$1" "$cgroup" >/dev/null 2>&1 &)`},
		{"below", `mkdir $cgroup/below`},
		{"killed", `echo 1 >$cgroup/cgroup.kill; sleep 1000`},
		{"killed by us", `trap "" HUP; sleep 1000 >/dev/null 2>&1 &`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHost(t, hostnative.Config{})
			for range 3 {
				run(t, h, line(`cgroup=$1$(sed -n s/^0:://p /proc/self/cgroup); cgroup=$1/${cgroup##*/}; `+test.script, parent))
				out, exit := run(t, h, line(`cd "$1$(sed -n 's/^0::.*\//\//p' /proc/self/cgroup)" && cat cgroup.max.depth cgroup.freeze && ls`, parent))
				if exit.Status != (core.ExitStatus{}) || !strings.HasPrefix(out, "max\n0\n") || strings.Contains(out, "below") {
					t.Errorf("got %v and %q, want a cgroup like a new one", exit.Status, out)
				}
			}
			keeper := keeperOf(t, h)
			h.Close()
			checkNoCgroups(t, parent, keeper)
		})
	}
}

// A Host without work keeps a cgroup for what comes next, and uses it.
func TestCgroupsAreUsedAgain(t *testing.T) {
	parent := ownCgroup(t)
	h := newHost(t, hostnative.Config{})
	first, _ := run(t, h, line(`sed -n s/^0:://p /proc/self/cgroup`))
	second, _ := run(t, h, line(`sed -n s/^0:://p /proc/self/cgroup`))
	if first != second {
		t.Errorf("got %q after %q, want the same", second, first)
	}
	if got := len(cgroupsLeft(t, parent, keeperOf(t, h))); got != 1 {
		t.Errorf("got %d cgroups, want 1", got)
	}
}
