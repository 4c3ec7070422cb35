package hostnative

import (
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
)

// Closing a command does not wait for the start of others, as long as there
// are no orphans: under load, commands would end slower than they are made.
func TestCloseDuringStart(t *testing.T) {
	p := exited(t, Config{}, "/bin/true")
	if orphanage.any() {
		t.Skip("a test before has left a zombie that nobody knows")
	}
	orphanage.mu.RLock() // as a start does
	closed := make(chan error, 1)
	go func() { closed <- p.Close() }() // ends at the latest when mu is given back
	var err error
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

// exited returns a shell line's process when it has ended and is not closed yet.
func exited(t *testing.T, c Config, line string) *process {
	h, err := New(c)
	coretest.Supported(t, err)
	t.Cleanup(func() { h.Close() })
	e, err := h.Resolve(t.Context(), core.Command{Command: line})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return p.(*process)
}
