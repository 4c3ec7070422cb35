package hostwasm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// Where the browser has no room for another process, a command that starts is refused
// with an error that says so, one that is given up is given up at once, and a guest that
// starts others learns EAGAIN. Those that run notice nothing, and when they have ended there
// is room again.
func TestRoom(t *testing.T) {
	h := newHost(t, backends[0], hostwasm.Config{
		Limits: hostwasm.Limits{Processes: 300, Memory: 4 << 30, Stack: 64 << 10}, Memory: 8 << 30,
		Commands: map[string]*hostwasm.Module{"guest": guest, "echo": echo},
	})
	b := stand(t, h)
	start := func(ctx context.Context) (driver.Process, error) {
		e, err := h.Resolve(ctx, core.Command{Command: "echo", Args: []string{"x"}, Interactive: true})
		if err != nil {
			return nil, err
		}
		return h.Start(ctx, e)
	}

	var mu sync.Mutex
	var running []driver.Process
	var all sync.WaitGroup
	for range 130 {
		all.Go(func() {
			p, err := start(context.Background())
			mu.Lock()
			defer mu.Unlock()
			refused, _ := errors.AsType[*core.HostError](err)
			switch {
			case err == nil:
				running = append(running, p)
			case refused == nil || refused.Reason != "no_resources" || refused.Message != "echo: no room for another process":
				t.Errorf("got %v, want no_resources", err)
			}
		})
	}
	all.Wait()
	t.Logf("%d run at once", len(running))
	b.alive(t)

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	begun := time.Now()
	if _, err := start(ctx); err == nil || time.Since(begun) > 5*time.Second {
		t.Errorf("given up: got %v after %v", err, time.Since(begun))
	}

	for _, p := range running[:4] {
		p.Close()
	}
	got := run(t, h, command("spawnbomb"))
	if got.exit.Status != exitCode(0) || got.stdout != "3 spawn guest: Try again\n" {
		t.Errorf("got %v, %q, %q, want room for three children", got.exit.Status, got.stdout, got.stderr)
	}
	b.alive(t)
	for _, p := range running[4:] {
		p.Close()
	}
	if got := run(t, h, command("print", "x")); got.exit.Status != exitCode(0) {
		t.Errorf("afterwards: got %v", got.exit)
	}
}
