package netproxy

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// user is the name of every session's user.
const user = "terrarium"

// A Session serves the commands that have its password.
type Session struct {
	proxy    *Proxy
	list     egress.List
	refused  func(*egress.Refusal)
	password string
	addr     netip.AddrPort
	listener net.Listener
	server   *http.Server // gets its connections from web
	web      *queue
	away     chan struct{} // holds one for each connection that is being turned away

	ctx    context.Context // until Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // the goroutines that work for the session; Add needs mu

	mu     sync.Mutex // guards the rest
	closed bool
	conns  map[*client]bool
}

func newSession(p *Proxy, list egress.List, refused func(*egress.Refusal)) (*Session, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().(*net.TCPAddr).AddrPort()
	var secret [16]byte
	rand.Read(secret[:]) // never fails
	s := &Session{
		proxy:    p,
		list:     list,
		refused:  refused,
		password: hex.EncodeToString(secret[:]),
		addr:     netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()),
		listener: listener,
		web:      newQueue(listener.Addr()),
		away:     make(chan struct{}, maxAway),
		conns:    map[*client]bool{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.server = s.newServer()
	s.wg.Go(s.accept)                             // until Close closes the listener
	s.wg.Go(func() { _ = s.server.Serve(s.web) }) // until Close closes the server
	return s, nil
}

// Addr returns where the session listens. A sandbox has to let its commands connect there.
func (s *Session) Addr() netip.AddrPort { return s.addr }

// Close ends the session's connections and waits for what serves them. It may be called more than
// once.
func (s *Session) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	var open []*client
	for c := range s.conns {
		open = append(open, c)
	}
	s.mu.Unlock()
	var err error
	if first {
		s.cancel()
		err = s.listener.Close()
		_ = s.server.Close()
		for _, c := range open {
			_ = c.Close()
		}
	}
	s.wg.Wait()
	s.proxy.forget(s)
	return err
}

// knows reports whether these are the session's user and password. How long it takes says nothing
// about them but their length, which is no secret.
func (s *Session) knows(name, password string) bool {
	return subtle.ConstantTimeCompare([]byte(name+":"+password), []byte(user+":"+s.password)) == 1
}

// accept takes connections until the session is closed.
func (s *Session) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no descriptors are left, most likely
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		if c := s.admit(conn); c != nil {
			s.enter(func() { s.serve(c) }, c)
		} else {
			s.turnAway(conn)
		}
	}
}

// enter starts work as a goroutine of the session, until Close; if it is closed, it closes c.
func (s *Session) enter(work func(), c net.Conn) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.wg.Go(work)
	}
	s.mu.Unlock()
	if closed {
		_ = c.Close()
	}
}

// serve finds out which protocol a client speaks.
func (s *Session) serve(c *client) {
	_ = c.SetReadDeadline(time.Now().Add(s.proxy.config.HandshakeTimeout))
	if c.first = readByte(c); c.first == nil {
		_ = c.Close()
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	switch c.first[0] {
	case socks5:
		s.serveSOCKS(c)
	case socks4:
		refuseSOCKS4(c)
	default:
		s.web.put(c)
	}
}

// readByte returns the next byte, or nil.
func readByte(c net.Conn) []byte {
	var b [1]byte
	if _, err := c.Read(b[:]); err != nil {
		return nil
	}
	return b[:]
}

// A queue is a net.Listener for connections that have been accepted elsewhere.
type queue struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newQueue(addr net.Addr) *queue {
	return &queue{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

func (q *queue) put(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.done:
		_ = c.Close()
	}
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}

func (q *queue) Addr() net.Addr { return q.addr }

func (q *queue) Close() error {
	q.once.Do(func() { close(q.done) })
	return nil
}
