package main

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

const (
	// maxPeers bounds the peers at a time.
	maxPeers = 64
	// maxLines is how many bytes of a peer's lines wait to be read, at the most.
	maxLines = 32 << 20
	// maxOut is how many bytes of answers the page may have that it has not
	// handed on.
	maxOut = 1 << 20
)

// A peer is an ACP client of the page's, served as any other.
type peer struct {
	number int32
	server *acpconn.Server
	in     lines
	out    answers
	served chan struct{} // closed when it is served no longer
}

// openPeer serves a new peer.
func (s *sandbox) openPeer(c peerConfig) (int32, error) {
	p := &peer{served: make(chan struct{})}
	p.in.init()
	s.mu.Lock()
	switch {
	case s.closing:
		s.mu.Unlock()
		return 0, errClosed
	case len(s.peers) >= maxPeers:
		s.mu.Unlock()
		return 0, errTooManyPeers
	}
	s.lastPeer = max(s.lastPeer+1, 1)
	p.number = s.lastPeer
	s.peers[p.number] = p
	s.mu.Unlock()

	p.out.init(func(line []byte) { s.page.line(p.number, line) })
	p.server = acpconn.New(acpconn.Config{Driver: s.driver(host{s.host, s, p}), ACP: s.command(c)})
	go func() { // ends when p.in is closed, and every terminal of the peer's has ended
		// Its only error would be of p.in or p.out, which have none to tell.
		_ = p.server.Serve(context.Background(), &p.in, &p.out)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.peers, p.number)
		s.tell("peer_closed", func(e *encoder) { e.Int("peer", int64(p.number)) })
		close(p.served)
	}()
	return p.number, nil
}

// peer returns the peer of that number.
func (s *sandbox) peer(number int32) (*peer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.peers[number]; p != nil {
		return p, nil
	}
	return nil, errUnknownPeer
}

// lines are what a peer sends, to be read.
type lines struct {
	mu     sync.Mutex
	some   sync.Cond
	queued []byte
	closed bool
}

func (l *lines) init() { l.some.L = &l.mu }

// add queues a message as a line.
func (l *lines) add(message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return errUnknownPeer
	case len(l.queued)+len(message) > maxLines:
		return errPeerFull
	}
	start := len(l.queued)
	l.queued = append(l.queued, message...)
	// JSON has line breaks between its tokens only.
	for rest := l.queued[start:]; ; {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			break
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
	l.queued = append(l.queued, '\n')
	l.some.Signal()
	return nil
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.some.Signal()
}

// Read waits for lines. What was queued before the end is still read.
func (l *lines) Read(p []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queued) == 0 && !l.closed {
		l.some.Wait()
	}
	if len(l.queued) == 0 {
		return 0, io.EOF
	}
	n = copy(p, l.queued)
	if l.queued = l.queued[n:]; len(l.queued) == 0 {
		l.queued = nil
	}
	return n, nil
}

// answers are what a peer is sent: as long as it takes them, and whole lines at
// a time.
type answers struct {
	send func(line []byte)

	mu      sync.Mutex
	some    sync.Cond
	untaken int // bytes
	closed  bool
}

func (a *answers) init(send func(line []byte)) {
	a.send = send
	a.some.L = &a.mu
}

// TryWrite implements acpconn.TryWriter.
func (a *answers) TryWrite(p []byte) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed && !a.room() {
		return 0
	}
	a.write(p)
	return len(p)
}

// Write waits until there is room, and takes all of p.
func (a *answers) Write(p []byte) (n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.closed && !a.room() {
		a.some.Wait()
	}
	a.write(p)
	return len(p), nil
}

// room reports whether more can be sent. a.mu is held.
func (a *answers) room() bool { return a.untaken < maxOut }

func (a *answers) write(p []byte) {
	a.untaken += len(p)
	a.send(p)
}

// taken says that so many bytes were handed on.
func (a *answers) taken(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.untaken = max(a.untaken-n, 0)
	a.some.Signal()
}

// close has answers sent without waiting: the last ones.
func (a *answers) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.some.Signal()
}
