package strays

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
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

// A command may close its cgroup's files. Whoever owns them kills what is in there nevertheless.
func TestClosedCgroup(t *testing.T) {
	in, err := Own()
	if err != nil {
		t.Skip("NOT RUN: no cgroups: ", err)
	}
	c := in + Cgroup("/closed-"+strconv.Itoa(os.Getpid()))
	if err := unix.Mkdir(string(c), 0o755); err != nil {
		t.Fatal(err)
	}
	defer c.Remove()
	fd, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	files := []string{"/cgroup.kill", "/cgroup.procs", "/cgroup.events", ""}
	for _, file := range files {
		os.Chown(string(c)+file, 65534, 65534) // fails if we are not root, and own them
		if err := os.Chmod(string(c)+file, 0); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		if got := c.Processes(nil); !slices.Equal(got, []int{cmd.Process.Pid}) {
			t.Errorf("got processes %v, want %d", got, cmd.Process.Pid)
		}
		if err := c.Kill(); err != nil {
			t.Error(err)
			cmd.Process.Kill()
		}
	})
	cmd.Wait()
	asNobody(t, func() {
		if !c.Empty() {
			t.Error("got somebody in it")
		}
	})
}

// asNobody calls do as uid 65534, without root's rights, if we are root.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		become := func(uid uintptr) { // this thread alone
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uid, ^uintptr(0)); errno != 0 {
				t.Fatal(errno)
			}
		}
		become(65534)
		defer become(0)
	}
	do()
}
