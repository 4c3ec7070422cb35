package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLateContainers: a container that comes after its start was given up is removed, however many
// are expected. None is expected for longer than a start may take.
func TestLateContainers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		there, asked, most := make(map[string]bool), 0, 0
		l := &lateContainers{say: func(string) {}}
		l.remove = func(_ context.Context, names []string) (removed []string) {
			asked, most = asked+1, max(most, len(names))
			for _, name := range names {
				if there[name] {
					delete(there, name)
					removed = append(removed, name)
				}
			}
			return removed
		}
		l.wait()
		const n = 3*lateAtOnce + 1
		for i := range n {
			l.add(t.Context(), fmt.Sprint(i))
		}
		time.Sleep(containerStart / 2)
		synctest.Wait()
		for i := range n {
			there[fmt.Sprint(i)] = true
		}
		l.add(t.Context(), "never")
		time.Sleep(5 * lateLook)
		synctest.Wait()
		if len(there) != 0 {
			t.Errorf("%d containers are left", len(there))
		}
		l.wait()
		if got, want := time.Since(began), containerStart*3/2; got < want || got > want+lateLook {
			t.Errorf("got %v, want that a container is expected for %v", got, containerStart)
		}
		if most > lateAtOnce {
			t.Errorf("got %d names in one command line, want at most %d", most, lateAtOnce)
		}
		before := asked
		time.Sleep(containerStart)
		synctest.Wait()
		if asked != before {
			t.Error("an engine is asked although nothing is expected")
		}
	})
}

// TestLateContainersHurried: who can't wait names how many may come.
func TestLateContainersHurried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex // guards said
		var said []string
		l := &lateContainers{
			remove: func(ctx context.Context, _ []string) []string {
				<-ctx.Done() // an engine that does not answer
				return nil
			},
			say: func(line string) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, line)
			},
		}
		l.add(ctx, "one")
		time.Sleep(2 * lateLook)
		l.add(ctx, "two")
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		l.wait()
		if got := time.Since(began); got != time.Second {
			t.Errorf("got the end after %v, want a second", got)
		}
		want := []string{
			"it waits, for 2m0s at most: 2 containers may come yet whose start was given up",
			"2 containers may come yet whose start was given up: the next worker of this name removes what is left",
		}
		if !slices.Equal(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
	})
}
