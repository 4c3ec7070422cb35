package fleet

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

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
	s := newServer(t)
	hosts := make([]*echoHost, workers)
	for i := range hosts {
		hosts[i] = new(echoHost)
		newWorker(t, s, WorkerConfig{Name: fmt.Sprintf("w%d", i), Slots: slots, Host: hosts[i]})
	}
	var clients []*Client
	for range 10 {
		clients = append(clients, newClient(t, s))
	}
	before := held()

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
	})
	errs := make(chan error, len(near))
	next := make(chan int)
	began := time.Now()
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
	took := time.Since(began)

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
		float64(len(near))/took.Seconds(), times[len(times)/2], times[len(times)*99/100], each)
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

// logIdle tells what terminals cost the server that do nothing.
func logIdle(t *testing.T, s *Server, terminals int) {
	t.Helper()
	if !testing.Verbose() {
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
	began := time.Now()
	tick := time.NewTimer(3 * heartbeat)
	defer tick.Stop()
	<-tick.C
	m, b := count()
	each := time.Since(began).Seconds() * float64(terminals)
	t.Logf("idle: %.2f messages and %.0f bytes a second for each terminal, %.1f subscriptions", float64(m-messages)/each,
		float64(b-bytes)/each, float64(s.nats.NumSubscriptions())/float64(terminals))
}
