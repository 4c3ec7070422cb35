package hostwasm

import (
	"context"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A trap that nobody reads about does not keep a guest from being killed.
func TestTellUnread(t *testing.T) {
	r, w := wasi.NewPipe(1)
	defer r.Close()
	if _, err := w.Write([]byte("x")); err != nil { // full
		t.Fatal(err)
	}
	g := &guest{name: "g", stderr: w, err: &engine.Trap{Reason: "unreachable"}}
	g.ctx, g.cancel = context.WithCancel(t.Context())
	told := make(chan struct{})
	go func() { // ends when g is killed
		g.tell()
		close(told)
	}()
	g.cancel()
	select {
	case <-told:
	case <-time.After(30 * time.Second):
		t.Error("got a guest that still waits for a reader after it was killed")
	}
}
