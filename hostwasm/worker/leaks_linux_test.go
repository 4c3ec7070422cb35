package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// What many commands leave behind is nothing, here and in their worker.
func TestLeaks(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 30
	}
	worker.SetKillLimits(t, patience, patience) // so that it is one worker, on a busy machine too
	h := newHost(t, worker.Config{Pool: -1})
	for range 10 { // Go's heap has a size then, and the engine spare stacks
		run(t, h, command("exit", "0"))
	}
	of := func(process any) (names []string) {
		dir := fmt.Sprintf("/proc/%v/fd", process)
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Skip(err)
		}
		for _, fd := range list {
			name, _ := os.Readlink(filepath.Join(dir, fd.Name()))
			names = append(names, name)
		}
		return names
	}
	descriptors := func() []string { return of("self") }
	pid := only(t)
	files, goroutines, workersFiles, memory := descriptors(), runtime.NumGoroutine(), of(pid), anonymous(t, pid)
	for range runs {
		run(t, h, command("exit", "0"))
	}
	// What a session's /tmp has is measured when its last worker has ended, which nobody waits for.
	// Another look may come at any time: what counts is that there was a moment without.
	left, more := descriptors(), runtime.NumGoroutine()
	// The runtime may have begun one.
	settled := func() bool { return len(left) <= len(files) && more <= goroutines+2 }
	for deadline := time.Now().Add(patience); !settled() && time.Now().Before(deadline); {
		runtime.Gosched()
		left, more = descriptors(), runtime.NumGoroutine()
	}
	if !settled() {
		stacks := make([]byte, 64<<10)
		t.Errorf("got descriptors %q and %d goroutines, want as many as before, %q and %d:\n%s",
			left, more, files, goroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if got := only(t); got != pid {
		t.Errorf("got worker %d, want %d still", got, pid)
	}
	if got := of(pid); len(got) > len(workersFiles) {
		t.Errorf("got descriptors %q in the worker, want as many as before, %q", got, workersFiles)
	}
	if more := anonymous(t, pid) - memory; more > 16<<10 {
		t.Errorf("got %d KiB more of memory in the worker", more)
	}
}

// anonymous returns how much memory a process has that is no file's, in KiB.
func anonymous(t *testing.T, pid int) (n int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(status), "RssAnon:")
	if _, err := fmt.Sscan(rest, &n); err != nil || !ok {
		t.Skip("this system does not tell of anonymous memory")
	}
	return n
}
