package netproxy

import (
	"net"
	"testing"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A connection that is closed by several gives back one place, not theirs.
func TestClientCloseTwice(t *testing.T) {
	p := New(Config{MaxConns: 2})
	defer p.Close()
	s, err := p.Open(egress.List{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var clients []*client
	for range 2 {
		near, far := net.Pipe()
		defer far.Close()
		clients = append(clients, s.admit(near))
	}
	clients[0].Close()
	clients[0].Close()
	if got := p.conns.Load(); got != 1 || len(s.conns) != 1 {
		t.Errorf("got %d and %d connections, want 1", got, len(s.conns))
	}
	clients[1].Close()
}
