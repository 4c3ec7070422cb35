package strays

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Whatever a command could do to its cgroup is seen.
func TestCgroupSettings(t *testing.T) {
	in, err := Own()
	if err != nil {
		t.Skip("NOT RUN: no cgroups: ", err)
	}
	for i, change := range []func(c Cgroup) error{
		func(c Cgroup) error { return writeFile(string(c)+"/cgroup.freeze", "1") },
		func(c Cgroup) error { return writeFile(string(c)+"/cgroup.max.depth", "3") },
		func(c Cgroup) error { return writeFile(string(c)+"/cgroup.max.descendants", "3") },
		func(c Cgroup) error { return writeFile(string(c)+"/cgroup.type", "threaded") },
		func(c Cgroup) error { return unix.Mkdir(string(c)+"/below", 0o755) },
		func(c Cgroup) error { return os.Chmod(string(c), 0o700) },
	} {
		c := in + Cgroup("/settings-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(i))
		if err := unix.Mkdir(string(c), 0o755); err != nil {
			t.Fatal(err)
		}
		before := c.Settings()
		err := change(c)
		after := c.Settings()
		if removed := c.Remove(); removed != nil {
			t.Error(removed)
		}
		if err != nil || before == "" || before == after {
			t.Errorf("change %d: got %v, and %q after %q", i, err, after, before)
		}
	}
}
