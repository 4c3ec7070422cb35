package worker_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// What many commands leave behind is nothing.
func TestLeaks(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 30
	}
	h := newHost(t, worker.Config{Pool: -1})
	run(t, h, command("exit", "0"))
	descriptors := func() (names []string) {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		for _, fd := range list {
			name, _ := os.Readlink("/proc/self/fd/" + fd.Name())
			names = append(names, name)
		}
		return names
	}
	files, goroutines := descriptors(), runtime.NumGoroutine()
	for range runs {
		run(t, h, command("exit", "0"))
	}
	// What a session's /tmp has is measured when its last worker has ended, which nobody waits for.
	// Another look may come at any time: what counts is that there was a moment without.
	left, more := descriptors(), runtime.NumGoroutine()
	settled := func() bool { return len(left) <= len(files) && more <= goroutines+2 } // one that the runtime has begun
	for deadline := time.Now().Add(patience); !settled() && time.Now().Before(deadline); {
		runtime.Gosched()
		left, more = descriptors(), runtime.NumGoroutine()
	}
	if !settled() {
		stacks := make([]byte, 64<<10)
		t.Errorf("got descriptors %q and %d goroutines, want as many as before, %q and %d:\n%s",
			left, more, files, goroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if got := workers(t, os.Getpid()); len(got) > 0 {
		t.Errorf("got workers %v, want none", got)
	}
}
