package tree

import (
	"os/exec"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A number that was listed and is given to a stranger before it is looked at
// makes the stranger no member, however it was found.
func TestStrangerIsNoMember(t *testing.T) {
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer stranger.Wait()
	defer stranger.Process.Kill()
	pid := stranger.Process.Pid
	rest := &offspring{tag: "1-2-3-4", cgroup: "/sys/fs/cgroup/terrarium-1-2-3-4"}
	for name, proof := range map[string]func(int, strays.Stat) bool{
		"cgroup":  rest.inCgroup,
		"tag":     rest.hasTag,
		"descent": childOf([]int{stranger.Process.Pid}),
	} {
		if got, whole := confirm(0, []candidate{{pid, proof}}); len(got) > 0 || whole {
			t.Errorf("by %s: got %+v, whole %t, want none and not", name, got, whole)
		}
	}
	all := func(int, strays.Stat) bool { return true }
	const nobody = 1 << 30
	if got, whole := confirm(0, []candidate{{nobody, all}}); len(got) > 0 || whole {
		t.Errorf("of one that has ended: got %+v, whole %t, want none and not: it may have started others", got, whole)
	}
	if got, _ := confirm(0, []candidate{{pid, all}, {pid, all}}); len(got) != 1 || got[0].pid != pid {
		t.Errorf("with proof: got %+v, want process %d once", got, pid)
	}
}
