package main

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How many connections there may be at a time, and how long they may be silent.
const (
	maxStrangers = 64  // that have not shown the token
	maxPeers     = 256 // that have

	// strangerTime is how long a stranger has for sure to show the token,
	// however many others come.
	strangerTime = 100 * time.Millisecond
	// silenceLimit is how long a peer may send nothing, not even the answer to a
	// ping, and how long it may take over silencePiece bytes that we send.
	silenceLimit = 90 * time.Second
	silencePiece = 64 << 10
	// pingTime is how often a peer is asked for a sign of life.
	pingTime = 30 * time.Second
)

// A gate is a listener that bounds how many connections there are. Where there
// are too many strangers the oldest goes, not the newest: else who has no token
// could hold all places and keep out who has one.
type gate struct {
	net.Listener

	mu        sync.Mutex // guards what follows
	strangers []*visitor // the oldest first
	peers     int
	closed    bool

	served sync.WaitGroup // one for each peer; Add only while it is not closed
	left   chan struct{}  // has an element when a stranger has left
}

func newGate(l net.Listener) *gate { return &gate{Listener: l, left: make(chan struct{}, 1)} }

// Accept returns the next connection, once there is a place for it.
func (g *gate) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for {
		oldest := g.full()
		if oldest == nil {
			break
		}
		rest := strangerTime - time.Since(oldest.came)
		if rest <= 0 {
			oldest.Close()
			continue
		}
		select {
		case <-g.left:
		case <-time.After(rest):
		}
	}
	v := &visitor{Conn: conn, gate: g, came: time.Now()}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strangers = append(g.strangers, v)
	return v, nil
}

// full returns the oldest stranger if there is no place for another.
func (g *gate) full() *visitor {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.strangers) < maxStrangers {
		return nil
	}
	return g.strangers[0]
}

// remove makes v no stranger any longer. g.mu is held.
func (g *gate) remove(v *visitor) {
	i := slices.Index(g.strangers, v)
	if i < 0 {
		return
	}
	g.strangers = slices.Delete(g.strangers, i, i+1)
	select {
	case g.left <- struct{}{}:
	default: // nobody needs to be told twice
	}
}

// wait lets no stranger become a peer any more, and waits for those that did.
func (g *gate) wait() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.served.Wait()
}

// A visitor is a connection that came through a gate.
type visitor struct {
	net.Conn
	gate   *gate
	came   time.Time
	served atomic.Bool // HTTP, which has deadlines of its own, is over
}

// visitorKey is where a request's context has the visitor.
type visitorKey struct{}

// withVisitor is a http.Server's ConnContext.
func withVisitor(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, visitorKey{}, c)
}

// admit makes a stranger who has shown the token a peer, if there is a place.
// Then leave must be called.
func (v *visitor) admit() bool {
	g := v.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.peers >= maxPeers {
		return false
	}
	g.remove(v)
	g.peers++
	g.served.Add(1)
	return true
}

// leave gives the place of a peer to the next.
func (v *visitor) leave() {
	v.gate.mu.Lock()
	v.gate.peers--
	v.gate.mu.Unlock()
	v.gate.served.Done()
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.gate.mu.Lock()
	v.gate.remove(v)
	v.gate.mu.Unlock()
	return v.Conn.Close()
}

// Read fails when the peer has been silent for too long while it was read.
func (v *visitor) Read(p []byte) (int, error) {
	if v.served.Load() {
		v.Conn.SetReadDeadline(time.Now().Add(silenceLimit)) // an error would be Read's, too
	}
	return v.Conn.Read(p)
}

// Write fails when the peer takes too little in too long a time. A long answer
// over a slow line may take longer as a whole.
func (v *visitor) Write(p []byte) (n int, err error) {
	if !v.served.Load() {
		return v.Conn.Write(p)
	}
	for piece := range slices.Chunk(p, silencePiece) {
		v.Conn.SetWriteDeadline(time.Now().Add(silenceLimit))
		m, err := v.Conn.Write(piece)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}
