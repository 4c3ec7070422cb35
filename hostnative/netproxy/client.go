package netproxy

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A client is a connection that a command has made. Close gives its place to others.
type client struct {
	net.Conn        // a *net.TCPConn
	first    []byte // what has been read to find out which protocol it is; goes before the rest
	session  *Session
	once     sync.Once
}

func (c *client) Read(p []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write gives up on a command that takes nothing for IdleTimeout.
func (c *client) Write(p []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(c.session.proxy.config.IdleTimeout))
	return c.Conn.Write(p)
}

func (c *client) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

func (c *client) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.session.leave(c) })
	return err
}

// admit returns the client that a connection is, or nil if there are too many.
func (s *Session) admit(conn net.Conn) *client {
	p := s.proxy
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= p.config.MaxSessionConns {
		return nil
	}
	if p.conns.Add(1) > int64(p.config.MaxConns) {
		p.conns.Add(-1)
		return nil
	}
	c := &client{Conn: conn, session: s}
	s.conns[c] = true
	return c
}

func (s *Session) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.proxy.conns.Add(-1)
}

const (
	maxAway    = 16          // connections of a session that are being turned away
	lingerTime = time.Second // for a client to read what it was told before it was cut off
	maxLinger  = 64 << 10    // bytes that it may still send meanwhile
)

// turnAway says that there are too many connections, to as many as may be told at once.
func (s *Session) turnAway(conn net.Conn) {
	select {
	case s.away <- struct{}{}:
	default:
		_ = conn.Close()
		return
	}
	s.enter(func() {
		defer func() { <-s.away }()
		_ = conn.SetDeadline(time.Now().Add(lingerTime))
		switch first := readByte(conn); {
		case first == nil:
		case first[0] == socks5:
			_, _ = conn.Write([]byte{socks5, noMethod})
		case first[0] == socks4:
			_, _ = conn.Write(socks4Refusal)
		default:
			_ = writeAnswer(conn, answer{
				status: http.StatusServiceUnavailable,
				text:   "the proxy has as many connections as it takes: try again when some are closed",
			})
		}
		linger(conn)
	}, conn)
}

// linger closes a connection whose client may still be sending. If what it sends were not read, TCP
// would reset the connection, and with it what the client has not read yet (RFC 9112, 9.6).
func linger(c net.Conn) {
	if half, ok := c.(halfCloser); ok && half.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c, maxLinger)
	}
	_ = c.Close()
}
