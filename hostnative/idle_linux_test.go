package hostnative_test

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Commands that run and say nothing need no thread, however many there are,
// and neither does starting or closing them all at once. Threads never end.
func TestThreads(t *testing.T) {
	const want = 16
	commands := 500
	if testing.Short() {
		commands = 100
	}
	h := newHost(t, hostnative.Config{})
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			processes := startIdle(t, h, m.mode(line(`echo ready; exec sleep 1000`)), commands)
			running := threads(t)
			closeAll(processes)
			if closed := threads(t); closed > want {
				t.Errorf("got %d threads with %d commands and %d without, want %d at the most", running, commands, closed, want)
			}
		})
	}
}

// startIdle starts c n times at once, and returns when all have written
// something and are being waited for and listened to, as a driver does it.
func startIdle(t testing.TB, h *hostnative.Host, c core.Command, n int) []driver.Process {
	t.Helper()
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	processes := make([]driver.Process, n)
	var ready, started sync.WaitGroup
	ready.Add(n)
	for i := range processes {
		started.Go(func() {
			p, err := h.Start(context.Background(), e)
			if err != nil {
				t.Error(err)
				ready.Done()
				return
			}
			processes[i] = p
			var once sync.Once
			go p.Output(func(uint8, []byte) { once.Do(ready.Done) }) // ends by Close
			go p.Wait()                                              // likewise
		})
	}
	started.Wait()
	ready.Wait()
	return processes
}

// closeAll closes processes that may have failed to start.
func closeAll(processes []driver.Process) {
	var all sync.WaitGroup
	for _, p := range processes {
		if p != nil {
			all.Go(func() { p.Close() })
		}
	}
	all.Wait()
}

func threads(t testing.TB) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}

// BenchmarkIdle tells what a command costs that runs and says nothing.
func BenchmarkIdle(b *testing.B) {
	const commands = 1000
	h := newHost(b, hostnative.Config{})
	for _, m := range modes {
		b.Run(m.name, func(b *testing.B) {
			for b.Loop() {
				rss, fds := resident(b), descriptors(b)
				processes := startIdle(b, h, m.mode(line(`echo ready; exec sleep 1000`)), commands)
				b.ReportMetric(float64(resident(b)-rss)/1024/commands, "KiB/command")
				b.ReportMetric(float64(descriptors(b)-fds)/commands, "fds/command")
				b.ReportMetric(float64(threads(b)), "threads")
				closeAll(processes)
			}
		})
	}
}

// resident returns this process's memory in bytes, without what the collector
// has yet to give back.
func resident(t testing.TB) int {
	t.Helper()
	debug.FreeOSMemory()
	debug.FreeOSMemory() // a pool lets go of what it had at the second one only
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func descriptors(t testing.TB) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
