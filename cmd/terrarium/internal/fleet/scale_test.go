package fleet

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// mostHeld is how many bytes a terminal that is idle may take, of the near side, the worker and the
// server together.
const mostHeld = 64 << 10

// TestScale fills a fleet, all of it in this process. Each terminal is placed once, and no worker
// has more than its slots.
func TestScale(t *testing.T) {
	workers, slots := 10, 30
	if os.Getenv("TERRARIUM_LONG") != "" {
		workers, slots = 100, 100
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
	defer cancel()
	dir := stateDir(t)
	list := tenants(t, ctx, dir)
	creds := addTenant(t, ctx, list, "acme")
	list.Close()
	s := serve(t, ServerConfig{Dir: dir})
	connect := func(who string) *Client {
		a := Access{URL: s.URL(), Creds: creds[who]}
		c, err := a.Connect(ctx, who)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	hosts := make([]*echoHost, workers)
	all := make([]*running, workers)
	for i := range hosts {
		hosts[i] = new(echoHost)
		all[i] = newWorker(t, s, WorkerConfig{Name: fmt.Sprintf("w%d", i), Slots: slots, Host: hosts[i], Client: connect("w1")})
	}
	var clients []*Client
	for range 10 {
		clients = append(clients, connect("ada"))
	}
	before := held()
	began := used(t)

	near := make([]*nearSide, workers*slots)
	var starting sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		starting.Wait()
		var closing sync.WaitGroup
		for _, n := range near {
			closing.Go(n.close)
		}
		closing.Wait()
		for _, w := range all { // none of which is waited for alone
			w.cancel()
		}
	})
	errs := make(chan error, len(near))
	next := make(chan int)
	for range 64 { // at once
		starting.Go(func() {
			for i := range next {
				var err error
				near[i], err = startNear(ctx, clients[i%len(clients)], fmt.Sprint(i))
				errs <- err
			}
		})
	}
	starting.Go(func() {
		for i := range near {
			next <- i
		}
		close(next)
	})
	for range near {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	took := used(t).since(began)

	each := (held() - before) / int64(len(near))
	if each > mostHeld {
		t.Errorf("got %d bytes for each terminal, want at most %d", each, mostHeld)
	}
	seen := make(map[string]int)
	for i, h := range hosts {
		if got := len(h.all()); got != slots {
			t.Errorf("worker %d: got %d terminals, want as many as it has slots: %d", i, got, slots)
		}
		for _, p := range h.all() {
			seen[p.command.Command]++
		}
	}
	for i := range near {
		if n := seen[fmt.Sprint(i)]; n != 1 {
			t.Errorf("terminal %d was placed %d times", i, n)
		}
	}
	var times []time.Duration
	for _, n := range near {
		times = append(times, n.took)
	}
	slices.Sort(times)
	t.Logf("%d terminals on %d workers: %.0f/s; half in %v, 99 of 100 in %v; %d bytes each in all", len(near), workers,
		float64(len(near))/took.wall.Seconds(), times[len(times)/2], times[len(times)*99/100], each)
	t.Logf("each took %v of the processor and %d bytes on connections until it had started; %d descriptors are open",
		took.processor/time.Duration(len(near)), took.wire/int64(len(near)), descriptors(t))
	logIdle(t, s, len(near))
}

// A nearSide is a session with one terminal.
type nearSide struct {
	placedHost
	process driver.Process
	took    time.Duration // until it had started
}

func startNear(ctx context.Context, c *Client, command string) (*nearSide, error) {
	began := time.Now()
	at, err := NewPlace(ctx, PlaceConfig{Client: c})
	if err != nil {
		return nil, err
	}
	h, err := remote.Connect(ctx, remote.Config{Dial: at.Dial})
	if err != nil {
		at.Close()
		return nil, err
	}
	n := &nearSide{placedHost: placedHost{h, at}}
	e, err := h.Resolve(ctx, core.Command{Command: command})
	if err == nil {
		n.process, err = h.Start(ctx, e)
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	n.took = time.Since(began)
	return n, nil
}

// close gives the place up. n may be nil.
func (n *nearSide) close() {
	if n != nil {
		n.Close()
	}
}

// held returns how many bytes of this process are in use: objects, and the stacks of goroutines.
func held() int64 {
	runtime.GC()
	runtime.GC() // what has a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A usage is what this process has used by a moment, or between two. The connections are all within
// it: each byte that it writes is one on the wire.
type usage struct {
	at        time.Time
	wall      time.Duration
	processor time.Duration
	wire      int64 // bytes; 0 where the system does not tell
}

func used(t *testing.T) usage {
	t.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	u := usage{at: time.Now(), processor: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
	// https://man7.org/linux/man-pages/man5/proc_pid_io.5.html
	if b, err := os.ReadFile("/proc/self/io"); err == nil {
		_, after, _ := strings.Cut(string(b), "wchar: ")
		fmt.Sscan(after, &u.wire)
	}
	return u
}

func (u usage) since(before usage) usage {
	return usage{wall: u.at.Sub(before.at), processor: u.processor - before.processor, wire: u.wire - before.wire}
}

// descriptors returns how many this process has open, or 0 where the system does not tell.
func descriptors(t *testing.T) int {
	t.Helper()
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// logIdle tells what terminals cost that do nothing.
func logIdle(t *testing.T, s *Server, terminals int) {
	t.Helper()
	if os.Getenv("TERRARIUM_LONG") == "" {
		return
	}
	count := func() (messages, bytes int64) {
		v, err := s.nats.Varz(nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.InMsgs, v.InBytes
	}
	messages, bytes := count()
	began := used(t)
	tick := time.NewTimer(10 * heartbeat)
	defer tick.Stop()
	<-tick.C
	m, b := count()
	u := used(t).since(began)
	each := u.wall.Seconds() * float64(terminals)
	t.Logf("idle: %.2f messages and %.0f bytes of them a second for each terminal, %.0f bytes on connections, %.1f subscriptions",
		float64(m-messages)/each, float64(b-bytes)/each, float64(u.wire)/each, float64(s.nats.NumSubscriptions())/float64(terminals))
	t.Logf("idle: %.1f %% of a processor for all", 100*u.processor.Seconds()/u.wall.Seconds())
}
