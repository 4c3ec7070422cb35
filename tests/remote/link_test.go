package remote

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A far is a server of native commands, and how it is dialed.
type far struct {
	server *remote.Server
	cuts   *cuts // nil if its connections are not cut
	dial   func(ctx context.Context) (io.ReadWriteCloser, error)
}

func native(t testing.TB) *hostnative.Host {
	t.Helper()
	h, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { h.Close() })
	return h
}

// newFar returns a server that ends with the test.
func newFar(t testing.TB, c remote.ServerConfig) *far {
	t.Helper()
	f := &far{server: remote.NewServer(c)}
	t.Cleanup(func() { f.server.Close() })
	return f
}

// overPipe has it dialed in memory, where what is written is read at once, or waits.
func (f *far) overPipe() *far {
	f.dial = func(context.Context) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		go f.server.Serve(far) // ends with the connection
		return near, nil
	}
	return f
}

// overSocket has it dialed over a Unix socket, which is cut if c is not nil.
func (f *far) overSocket(t testing.TB, c *cuts) *far {
	t.Helper()
	f.cuts = c
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	f.dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
		near, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if err != nil {
			return nil, err
		}
		far, err := l.Accept() // it is the one that has dialed: there is one at a time
		if err != nil {
			near.Close()
			return nil, err
		}
		if c == nil {
			go f.server.Serve(far) // ends with the connection
			return near, nil
		}
		return c.wrap(f.server, near, far), nil
	}
	return f
}

// connect returns a host that ends with the test.
func (f *far) connect(t testing.TB) *remote.Host {
	t.Helper()
	h, err := remote.Connect(t.Context(), remote.Config{Dial: f.dial})
	for range 20 { // the first connection may be cut too, which is no fault of it
		if err == nil || f.cuts == nil {
			break
		}
		h, err = remote.Connect(t.Context(), remote.Config{Dial: f.dial})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// Cuts break connections at random, in the middle of what is written too.
type cuts struct {
	most int // bytes that a connection carries in each direction, at the most
	made atomic.Int64
}

func (c *cuts) wrap(server *remote.Server, near, far net.Conn) io.ReadWriteCloser {
	var once sync.Once
	cut := func(ends ...net.Conn) {
		once.Do(func() { c.made.Add(1) })
		for _, end := range ends {
			end.Close()
		}
	}
	// Some break soon, also in the hellos, and those that carry little break in time.
	after := time.AfterFunc(time.Duration(rand.Int64N(int64(30*time.Millisecond))), func() { cut(near, far) })
	end := func(conn net.Conn) *cutConn {
		e := &cutConn{Conn: conn, cut: func() { cut(conn) }}
		e.left.Store(1 + rand.Int64N(int64(c.most)))
		return e
	}
	go func() { // ends with the connection
		server.Serve(end(far))
		after.Stop()
	}()
	return end(near)
}

// A cutConn breaks when so many bytes were written.
type cutConn struct {
	net.Conn
	left atomic.Int64
	cut  func()
}

func (c *cutConn) Write(p []byte) (int, error) {
	left := c.left.Add(-int64(len(p)))
	if left >= 0 {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:max(0, len(p)+int(left))])
	c.cut() // and the other end can read what was written
	return n, io.ErrClosedPipe
}
