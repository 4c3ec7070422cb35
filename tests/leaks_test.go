package tests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// holding is what this process must not have more of after than before.
type holding struct {
	Goroutines, Descriptors, Children int
}

// held counts. Children are also those that nobody has waited for. Where there is no /proc, it
// counts goroutines only.
func held() (h holding) {
	h.Goroutines = runtime.NumGoroutine()
	fds, _ := filepath.Glob("/proc/self/fd/*")
	h.Descriptors = len(fds)
	h.Children = len(children())
	return h
}

// children are this process's, those of other tests and those that have ended included, by their
// ids. Where there is no /proc there are none.
func children() map[string]bool {
	all := make(map[string]bool)
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name) // a thread may have ended
		for pid := range strings.FieldsSeq(string(list)) {
			all[pid] = true
		}
	}
	return all
}

// checkHeld waits until no more is held than before: what ends in the background takes its time.
func checkHeld(t *testing.T, before holding) {
	t.Helper()
	ctx := limited(t)
	for {
		now := held()
		if now.Goroutines <= before.Goroutines && now.Descriptors <= before.Descriptors && now.Children <= before.Children {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("got %+v, want at most %+v", now, before)
		}
		runtime.Gosched()
	}
}

// TestLeaks creates and releases terminals of every kind, in every state, and finds nothing of
// them.
func TestLeaks(t *testing.T) {
	n := 2_500
	switch {
	case testing.Short() || raceDetector():
		n = 500
	case os.Getenv("TERRARIUM_LONG") != "":
		n = 10_000
	}
	host := nativeHost(t)
	// A finalizer must not close what we have forgotten.
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)

	d := driver.New(driver.Config{Host: host, Core: core.Config{KeepTerminals: -1, KillGrace: time.Minute}})
	defer d.Close()
	// On an idle machine 10,000 take 20 s; where there are no cgroups, each end looks at all
	// processes.
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for i := range 2 * terminalUses { // opens what is opened once
		if err := useTerminal(ctx, d, i); err != nil {
			t.Fatal(err)
		}
	}
	waitFreed(t, d)
	before := held()

	// On a busy machine it may be fewer of them.
	enough := time.Now().Add(3 * time.Minute)
	const workers = 4
	var all sync.WaitGroup
	var collecting sync.Mutex // of all at once nobody would have a turn
	for w := range workers {
		all.Go(func() {
			for i := w; i < n && (i < n/10 || time.Now().Before(enough)); i += workers {
				err := useTerminal(ctx, d, i)
				for ctx.Err() == nil && tooMany(err) {
					collecting.Lock()
					runtime.GC() // a turn for others, and what the turns leave is collected
					collecting.Unlock()
					err = useTerminal(ctx, d, i)
				}
				if err != nil {
					t.Errorf("terminal %d: %v", i, err)
					return
				}
				if i%1000 == 0 {
					runtime.GC() // since it does not run by itself
				}
			}
		})
	}
	all.Wait()
	waitFreed(t, d)
	checkHeld(t, before)
}

// tooMany reports whether there are as many terminals as there may be. What was released counts
// until it is freed, in the background.
func tooMany(err error) bool {
	_, ok := errors.AsType[*core.LimitError](err)
	return ok
}

// waitFreed waits until the driver knows of no terminal.
func waitFreed(t *testing.T, d *driver.Driver) {
	t.Helper()
	for ctx := limited(t); len(d.Terminals()) > 0; runtime.GC() {
		if ctx.Err() != nil {
			t.Fatalf("got %d terminals, want 0", len(d.Terminals()))
		}
	}
}

// terminalUses is how many kinds of use useTerminal has.
const terminalUses = 12

// useTerminal creates a terminal and releases it, the i-th in its own way.
func useTerminal(ctx context.Context, d *driver.Driver, i int) error {
	c := core.Command{Command: "/bin/true", Pty: i%2 == 0}
	switch i / 2 % (terminalUses / 2) {
	case 0: // to its end
	case 1:
		c.Interactive = true
	case 2: // fails
		c.Command, c.Args = "/no/such/command", []string{"x"}
		if _, err := d.Create(ctx, "s", c); err == nil || tooMany(err) {
			return fmt.Errorf("%s: got %w, want it to be missing", c.Command, err)
		}
		return nil
	case 3: // released at once
		c.Command, c.Args = "sleep", []string{"1000"}
		term, err := d.Create(ctx, "s", c)
		if err != nil {
			return err
		}
		return term.Release()
	case 4: // released before it has started
		term, err := d.Begin("s", c)
		if err != nil {
			return err
		}
		return term.Release()
	case 5: // killed
		c.Command, c.Args = "sleep", []string{"1000"}
		term, err := d.Create(ctx, "s", c)
		if err != nil {
			return err
		}
		if err := term.Kill(); err != nil {
			return err
		}
		if _, err := term.Wait(ctx); err != nil {
			return err
		}
		return term.Release()
	}
	term, err := d.Create(ctx, "s", c)
	if err != nil {
		return err
	}
	if _, err := term.Wait(ctx); err != nil {
		return err
	}
	return term.Release()
}
