//go:build linux || darwin

package worker

import (
	"context"
	"io"
	"testing"
	"time"
)

// A lastingFetcher is done when whoever has asked has let go.
type lastingFetcher struct{ over func() }

func (f lastingFetcher) Fetch(ctx context.Context, _ io.ReadWriteCloser) {
	<-ctx.Done()
	f.over()
}

// A command that is gone, and whose guest has let go of nothing because it is stuck, say, has its
// exchanges be ended: its siblings' news wait behind it.
func TestGoneFetches(t *testing.T) {
	before := fetchedLimit
	fetchedLimit = 10 * time.Minute
	defer func() { fetchedLimit = before }()
	h := &Host{memory: newBudget(4 * share)}
	c, _ := newVictim(t, h)
	h.memory.take(share)
	command := newVictimsCommand(t, c, share)
	command.fetches = true
	late := make(chan bool, 1)
	h.config.HTTP = lastingFetcher{func() { late <- command.hasExited() }}
	files, err := c.fetch(command.id, 1)
	defer closeAll(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.handle(&message{Command: command.id, Gone: &gone{Stuck: true}}, nil); err != nil {
		t.Fatal(err)
	}
	if <-late {
		t.Error("its end was told before its exchange was ended")
	}
}
