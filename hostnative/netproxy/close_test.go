package netproxy_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// Close ends whatever a session does, and others go on.
func TestCloseSession(t *testing.T) {
	n := newInternet(t)
	n.server("8.8.8.8:443", listen(t, echo))
	n.failing[addrPorts("8.8.4.4:443")[0]] = errHang
	begun, left := make(chan bool, 1), make(chan bool)
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		defer close(left)
		http.ReadRequest(w.r)
		begun <- true
		w.rest()
	}))
	c := n.config()
	c.DialTimeout, c.ConnectTimeout = time.Hour, time.Hour
	p := newProxy(t, c)
	s, other := open(t, p, "8.8.8.8", "8.8.4.4"), open(t, p, "8.8.8.8")
	survivor := connect(t, other.Addr().String())
	survivor.tunnel(other, "8.8.8.8:443", "x")
	survivor.expect("x")

	silent := connect(t, s.Addr().String())
	tunnel := connect(t, s.Addr().String())
	tunnel.tunnel(s, "8.8.8.8:443", "x")
	tunnel.expect("x")
	socks := connect(t, s.Addr().String())
	socks.socks(s, "8.8.8.8", 443, "x")
	socks.expect("x")
	hanging := connect(t, s.Addr().String())
	hanging.send("CONNECT 8.8.4.4:443 HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
	hangingSOCKS := connect(t, s.Addr().String())
	hangingSOCKS.send(greeting(t, s) + request("8.8.4.4", 443))
	hangingSOCKS.expect("\x05\x02\x01\x00")
	get := connect(t, s.Addr().String())
	get.send("GET http://8.8.8.8/ HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
	<-begun

	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for name, w := range map[string]*wire{"silent": silent, "tunnel": tunnel, "socks": socks, "hanging": hanging, "hanging socks": hangingSOCKS, "get": get} {
		if _, err := io.ReadAll(w.r); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection is still open", name)
		}
	}
	<-left // the server of the get, too
	if c, err := net.Dial("tcp", s.Addr().String()); err == nil {
		c.Close()
		t.Error("the session still listens")
	}
	survivor.send("y")
	survivor.expect("y")

	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Open(egress.List{}, nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("open after close: got %v", err)
	}
}

// After Close nothing is left: no goroutine, no descriptor.
func TestNoLeak(t *testing.T) {
	before, filesBefore := runtime.NumGoroutine(), openFiles(t)
	t.Run("use", func(t *testing.T) {
		n := newInternet(t)
		webServer(t, n, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
		n.server("8.8.8.8:443", listen(t, echo))
		p := netproxy.New(n.config())
		var wg sync.WaitGroup
		for range 4 {
			s := open(t, p, "example.org", "8.8.8.8")
			for i := range 8 {
				wg.Go(func() {
					w := connect(t, s.Addr().String())
					switch i % 4 {
					case 0:
						w.tunnel(s, "8.8.8.8:443", "x")
						w.expect("x")
					case 1:
						w.socks(s, "8.8.8.8", 443, "x")
						w.expect("x")
					case 2:
						r, err := browser(t, s).Get("http://example.org/")
						if err != nil {
							t.Error(err)
							return
						}
						r.Body.Close()
					}
				})
			}
		}
		wg.Wait()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before || openFiles(t) > filesBefore {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines and %d files, want %d and %d\n%s", runtime.NumGoroutine(), openFiles(t), before, filesBefore,
				stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched() // what ends a connection has said so, and has only to return
	}
}

// openFiles returns how many descriptors this process has, where that can be seen.
func openFiles(t *testing.T) int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}
