package hostnative

import (
	"context"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
)

// Closing a command does not wait for the start of others, as long as there
// are no orphans: under load, commands would end slower than they are made.
func TestCloseDuringStart(t *testing.T) {
	h, err := New(Config{})
	coretest.Supported(t, err)
	defer h.Close()
	e, err := h.Resolve(context.Background(), core.Command{Command: "/bin/true"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if orphanage.any() {
		t.Skip("a test before has left a zombie that nobody knows")
	}
	orphanage.mu.RLock() // as a start does
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }() // ends at the latest when mu is given back
	select {
	case err = <-closed:
		orphanage.mu.RUnlock()
	case <-time.After(10 * time.Second):
		orphanage.mu.RUnlock()
		<-closed
		t.Fatal("Close has waited for a start")
	}
	if err != nil {
		t.Error(err)
	}
}
