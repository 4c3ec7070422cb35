package netproxy

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"time"
)

type halfCloser interface{ CloseWrite() error }

// halfClosedTime is how long the open half of a tunnel may be silent. A command that was killed
// looks like one that has only ended its half, and a server that doesn't care would keep a
// connection.
const halfClosedTime = 10 * time.Minute

// tunnel passes on what the two sides send, until both have ended or nothing has moved for too
// long. Early is what down has sent already. The caller closes both.
func (s *Session) tunnel(down net.Conn, early []byte, up net.Conn) {
	p := newPulse(s.proxy.config.IdleTimeout)
	a, b := &pulseConn{down, p}, &pulseConn{up, p}
	done := make(chan struct{})
	// It ends when a side is closed, by itself or by the other way, and is waited for below.
	go func() {
		defer close(done)
		pass(b, io.MultiReader(bytes.NewReader(early), a), a)
	}()
	pass(a, b, b)
	<-done
}

// pass copies what r has of from, and then passes on its end. An error ends both ways.
func pass(to *pulseConn, r io.Reader, from *pulseConn) {
	if _, err := io.Copy(to, r); err != nil {
		_ = to.Close()
		_ = from.Close()
		return
	}
	to.pulse.shorten(halfClosedTime)
	// The other way may be reading already. If it has seen the old limit and sets it after this, it
	// waits that long.
	_ = to.Conn.SetReadDeadline(time.Now().Add(to.pulse.limit()))
	if half, ok := to.Conn.(halfCloser); ok {
		_ = half.CloseWrite()
	}
}

// A pulse is when something last moved, on one connection or several that belong together.
type pulse struct {
	start time.Time
	last  atomic.Int64 // nanoseconds since start
	max   atomic.Int64 // nanoseconds
}

func newPulse(limit time.Duration) *pulse {
	p := &pulse{start: time.Now()}
	p.max.Store(int64(limit))
	return p
}

func (p *pulse) limit() time.Duration { return time.Duration(p.max.Load()) }

func (p *pulse) shorten(limit time.Duration) { p.max.Store(min(p.max.Load(), int64(limit))) }

func (p *pulse) beat() { p.last.Store(int64(time.Since(p.start))) }

// end returns when the connections are to be given up.
func (p *pulse) end() time.Time { return p.start.Add(time.Duration(p.last.Load())).Add(p.limit()) }

// A pulseConn is given up when its pulse has stopped: a download is no reason to end a connection
// whose other way is silent.
type pulseConn struct {
	net.Conn
	pulse *pulse
}

func (c *pulseConn) Read(p []byte) (int, error) {
	for {
		end := c.pulse.end()
		_ = c.Conn.SetReadDeadline(end)
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.pulse.beat()
			return n, err
		}
		if err == nil || !isTimeout(err) || !time.Now().Before(c.pulse.end()) {
			return n, err
		}
	}
}

func (c *pulseConn) Write(p []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(c.pulse.limit()))
	n, err := c.Conn.Write(p)
	if n > 0 {
		c.pulse.beat()
	}
	return n, err
}
