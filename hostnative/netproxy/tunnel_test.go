package netproxy_test

import (
	"io"
	"net/netip"
	"strings"
	"testing"
)

// dialTunnel is a way to get a tunnel.
var dialTunnel = map[string]func(w *wire, s sessionUnderTest, host string, port uint16, early string){
	"connect": func(w *wire, s sessionUnderTest, host string, port uint16, early string) {
		w.tunnel(s, netJoin(host, port), early)
	},
	"socks": func(w *wire, s sessionUnderTest, host string, port uint16, early string) {
		if reply := w.socks(s, host, port, early); reply != 0 {
			w.t.Fatalf("got the reply %d", reply)
		}
	},
}

func TestTunnel(t *testing.T) {
	for way, tunnel := range dialTunnel {
		t.Run(way, func(t *testing.T) {
			for _, host := range []string{"files.example.org", "8.8.4.4", "2606:4700::1"} {
				n := newInternet(t)
				n.name("files.example.org", "8.8.8.8")
				for _, a := range []string{"8.8.8.8", "8.8.4.4", "2606:4700::1"} {
					n.server(netJoin(a, 9000), listen(t, echo))
				}
				s := open(t, newProxy(t, n.config()), "*.example.org:9000", "8.8.4.4:9000", "[2606:4700::1]:9000")
				w := connect(t, s.Addr().String())
				tunnel(w, s, host, 9000, "early ")
				w.expect("early ")
				big := strings.Repeat("0123456789abcdef", 1<<14)
				go io.WriteString(w, big)
				w.expect(big)
				w.send("last")
				w.CloseWrite()
				if got := w.rest(); got != "last" {
					t.Errorf("%s: got %q, want %q", host, got, "last")
				}
			}
		})
	}
}

// A client that has ended its half still gets what the server says then, and the other way round.
func TestTunnelHalfClose(t *testing.T) {
	for way, tunnel := range dialTunnel {
		t.Run(way, func(t *testing.T) {
			n := newInternet(t)
			heard := make(chan string, 1)
			n.server("8.8.8.8:443", listen(t, func(w *wire) {
				w.send("bye")
				w.CloseWrite()
				heard <- w.rest()
			}))
			n.server("8.8.8.8:80", listen(t, func(w *wire) {
				w.send("you said " + w.rest())
			}))
			s := open(t, newProxy(t, n.config()), "8.8.8.8")

			w := connect(t, s.Addr().String())
			tunnel(w, s, "8.8.8.8", 443, "")
			if got := w.rest(); got != "bye" {
				t.Errorf("got %q, want %q", got, "bye")
			}
			w.send("still here")
			w.CloseWrite()
			if got := <-heard; got != "still here" {
				t.Errorf("the server got %q, want %q", got, "still here")
			}

			w = connect(t, s.Addr().String())
			tunnel(w, s, "8.8.8.8", 80, "hello")
			w.CloseWrite()
			if got := w.rest(); got != "you said hello" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// When a server goes away, the client is not left waiting, and neither is the server.
func TestTunnelReset(t *testing.T) {
	n := newInternet(t)
	n.server("8.8.8.8:443", listen(t, func(w *wire) {
		w.expect("go")
		w.SetLinger(0)
		w.Close()
	}))
	ended := make(chan string, 1)
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		w.send("x")
		ended <- w.rest()
	}))
	s := open(t, newProxy(t, n.config()), "8.8.8.8")
	w := connect(t, s.Addr().String())
	w.tunnel(s, "8.8.8.8:443", "go")
	io.ReadAll(w.r) // an end or an error, before the deadline
	if _, err := w.Write([]byte("x")); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error(err)
	}

	w = connect(t, s.Addr().String())
	w.tunnel(s, "8.8.8.8:80", "")
	w.expect("x")
	w.Close()
	if got := <-ended; got != "" {
		t.Errorf("got %q", got)
	}
}

func netJoin(host string, port uint16) string {
	if a, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(a, port).String()
	}
	return host + ":" + itoa(port)
}
