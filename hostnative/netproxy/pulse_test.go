package netproxy

import (
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A connection is given up when both ways have been silent for the limit, and not when one has.
func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		near2, far2 := net.Pipe()
		p := newPulse(time.Hour)
		a, b := &pulseConn{near, p}, &pulseConn{near2, p}
		go io.Copy(io.Discard, far2)
		go func() { // for three and a half hours
			for range 7 {
				time.Sleep(30 * time.Minute)
				far.Write([]byte("x"))
			}
		}()
		go io.Copy(b, a)
		start := time.Now()
		_, err := b.Read(make([]byte, 1)) // silent all the time
		if got := time.Since(start); got != 4*time.Hour+30*time.Minute || !os.IsTimeout(err) {
			t.Errorf("given up after %v: %v", got, err)
		}
		for _, c := range []net.Conn{near, far, near2, far2} {
			c.Close()
		}
	})
}

// When one way of a tunnel has ended, the other may be silent for a shorter time.
func TestTunnelHalfClosedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down, client := net.Pipe()
		up, server := net.Pipe()
		s := &Session{proxy: New(Config{})}
		go io.Copy(io.Discard, server)
		start := time.Now()
		time.AfterFunc(time.Minute, func() { client.Close() })
		s.tunnel(down, nil, up)
		if got := time.Since(start); got != time.Minute+halfClosedTime {
			t.Errorf("ended after %v", got)
		}
		server.Close()
		up.Close()
	})
}

// A side that takes nothing is given up too.
func TestPulseWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		c := &pulseConn{near, newPulse(time.Hour)}
		start := time.Now()
		if _, err := c.Write([]byte("x")); !os.IsTimeout(err) || time.Since(start) != time.Hour {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}
