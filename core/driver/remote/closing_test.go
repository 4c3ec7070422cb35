package remote

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// TestCloseIsQuiet closes hosts. The far side may let go of the connection before Close has gone
// on: that is no broken link, and nobody is told that there is.
func TestCloseIsQuiet(t *testing.T) {
	for range 500 {
		server := NewServer(ServerConfig{Host: &fakeHost{}})
		var told, dials atomic.Int32
		h, err := Connect(t.Context(), Config{
			Dial: func(context.Context) (io.ReadWriteCloser, error) {
				dials.Add(1)
				near, far := net.Pipe()
				go server.Serve(far)
				return near, nil
			},
			OnState: func(State) { told.Add(1) },
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Close()
		server.Close()
		if told.Load() > 0 || dials.Load() > 1 {
			t.Fatalf("got %d states told and %d connections, want none and one", told.Load(), dials.Load())
		}
	}
}
