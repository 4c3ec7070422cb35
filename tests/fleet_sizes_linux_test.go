package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFleetSizes tells what the processes of a fleet take that TestScale has in one: those of a
// server, of a worker and of a run, with so many sessions.
func TestFleetSizes(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") == "" {
		t.Skip("NOT RUN: it only measures: TERRARIUM_LONG=1")
	}
	watchModule(t)
	b := newFleetBox(t)
	const sessions = 20
	worker := b.join("w", sessions)
	var last *fleetProgram
	for n := 0; n <= sessions; n++ {
		if n > 0 {
			last = b.run("echo $$; exec sleep 1000")
			b.pid(last)
		}
		if n == 0 {
			b.until("the worker is there", func() bool { return strings.Contains(worker.errs.String(), ": joined") })
		}
		if n == 0 || n == 1 || n == sessions {
			t.Logf("%d sessions: the server %v, the worker %v", n, sizeOf(t, b.server.cmd.Process.Pid), sizeOf(t, worker.cmd.Process.Pid))
		}
	}
	t.Logf("a run: %v", sizeOf(t, last.cmd.Process.Pid))
}

// A size is what a terrarium takes, with the processes that it has started of the same program.
type size struct{ processes, kib, descriptors int }

func (s size) String() string {
	return fmt.Sprintf("%d processes, %.1f MiB, %d descriptors", s.processes, float64(s.kib)/1024, s.descriptors)
}

// sizeOf reads it.
//
// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
func sizeOf(t *testing.T, pid int) (s size) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d", pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		t.Fatal(err)
	}
	if _, after, found := strings.Cut(string(status), "VmRSS:"); found {
		fmt.Sscan(after, &s.kib)
	}
	descriptors, _ := os.ReadDir(dir + "/fd")
	s.processes, s.descriptors = 1, len(descriptors)
	self, _ := os.Readlink(dir + "/exe")
	lists, _ := filepath.Glob(dir + "/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			if exe, _ := os.Readlink("/proc/" + child + "/exe"); exe != self {
				continue
			}
			var of int
			fmt.Sscan(child, &of)
			more := sizeOf(t, of)
			s.processes, s.kib, s.descriptors = s.processes+more.processes, s.kib+more.kib, s.descriptors+more.descriptors
		}
	}
	return s
}
