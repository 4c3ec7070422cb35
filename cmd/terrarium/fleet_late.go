package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// lateContainers are those that an engine may make yet although nobody wants them any more: its
// program was killed before it had answered, and an engine goes on then. They are removed when they
// come. Its methods but wait are safe for concurrent use.
type lateContainers struct {
	// remove removes those of the names that there are, and returns them.
	remove func(ctx context.Context, names []string) (removed []string)
	say    func(line string)

	looking sync.WaitGroup

	mu   sync.Mutex // guards what follows
	list []lateContainer
}

type lateContainer struct {
	name  string
	until time.Time // after which it is not expected any more
}

const (
	lateLook   = 2 * time.Second // how often an engine is asked
	lateAtOnce = 100             // names that it is asked for at once
)

// add expects a container for as long as a start may take. ctx ends that.
func (l *lateContainers) add(ctx context.Context, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, lateContainer{name, time.Now().Add(containerStart)})
	if len(l.list) == 1 {
		l.looking.Go(func() { l.look(ctx) }) // wait waits for it
	}
}

// look removes what comes, until nothing is expected any more.
func (l *lateContainers) look(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			l.leave()
			return
		case <-time.After(lateLook):
		}
		names := l.next()
		removed := l.remove(ctx, names)
		for _, name := range removed {
			l.say("the container " + name + " came after its start was given up, and is removed")
		}
		if l.looked(len(names), removed) {
			return
		}
	}
}

// next returns the first that are expected.
func (l *lateContainers) next() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.list[:min(len(l.list), lateAtOnce)] {
		names = append(names, c.name)
	}
	return names
}

// looked has the first n come last, but for those that were removed or are not expected any more.
// It reports whether there are no others. The next add has another look then.
func (l *lateContainers) looked(n int, removed []string) (none bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list[n:])
	for _, c := range l.list[:n] {
		if time.Now().Before(c.until) && !slices.Contains(removed, c.name) {
			list = append(list, c)
		}
	}
	l.list = list
	return len(l.list) == 0
}

// leave says what may come that nobody removes.
func (l *lateContainers) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say(counted(len(l.list), "container") + " may come yet whose start was given up: the next worker of this name removes what is left")
	l.list = nil
}

// wait returns when no container is expected any more. There is no add meanwhile.
func (l *lateContainers) wait() {
	l.mu.Lock()
	n := len(l.list)
	l.mu.Unlock()
	if n > 0 {
		l.say(fmt.Sprintf("it waits, for %v at most: %s may come yet whose start was given up", containerStart, counted(n, "container")))
	}
	l.looking.Wait()
}
