package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// noCommands is a host without commands.
type noCommands struct{}

func (noCommands) Resolve(context.Context, core.Command) (core.Exec, error) {
	return core.Exec{}, os.ErrNotExist
}

func (noCommands) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.ErrUnsupported
}

// pipes is a listener to whose connections there is no network, so that time can
// be virtual.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

const testToken = "a-token-of-the-test"

// serving runs test against a server in virtual time. At its end no goroutine may
// be left.
func serving(t *testing.T, test func(t *testing.T, p *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newPipes()
		s := &wsServer{
			config: acpconn.Config{Driver: driver.Config{Host: noCommands{}}},
			token:  testToken, isOurs: new(listenFlags).isOurs, ctx: ctx, gate: newGate(p),
			links: new(links), long: &driver.Budget{Bytes: 1 << 20},
		}
		ended := make(chan error)
		go func() { ended <- s.run() }()
		test(t, p)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if _, bytes := s.long.Taken(); bytes != 0 {
			t.Errorf("%d bytes of long messages were not given back", bytes)
		}
	})
}

const upgrade = "GET /acp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"

// askFor connects, sends a request with one more header, and returns the status.
func askFor(t *testing.T, p *pipes, header string) (net.Conn, *http.Response) {
	t.Helper()
	c, err := p.dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, upgrade+header+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

const withToken = "Authorization: Bearer " + testToken

// isOpen reports whether the other side has c open. Nothing is to be read on it.
func isOpen(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// TestStrangers: however many come and stay without the token, who has it gets
// in, and they hold few places for a short time.
func TestStrangers(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		var strangers []net.Conn
		for range 10 * maxStrangers {
			c, err := p.dial()
			if err != nil {
				t.Fatal(err)
			}
			strangers = append(strangers, c)
		}
		peer, response := askFor(t, p, withToken)
		if response.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("with the token: got %s", response.Status)
		}
		held := 0
		for _, c := range strangers {
			if isOpen(c) {
				held++
			}
		}
		if held == 0 || held > maxStrangers {
			t.Errorf("%d strangers are held, want some and at most %d", held, maxStrangers)
		}
		time.Sleep(headerTime)
		synctest.Wait()
		for i, c := range strangers {
			if isOpen(c) {
				t.Fatalf("stranger %d is still held after %v", i, headerTime)
			}
		}
		if !isOpen(peer) {
			t.Error("the peer is gone")
		}
		peer.Close()
	})
}

// TestStrangerHasTime: a flood of others leaves nobody less than strangerTime to
// show the token.
func TestStrangerHasTime(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		slow, err := p.dial()
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		go func() {
			for {
				c, err := p.dial()
				if err != nil {
					return
				}
				defer c.Close()
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		time.Sleep(strangerTime - time.Millisecond)
		if _, err := io.WriteString(slow, upgrade+withToken+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil || r.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("got %v, %v", r, err)
		}
		slow.Close()
		close(stop)
	})
}

// TestRefusedAreClosed: no refusal leaves a connection behind.
func TestRefusedAreClosed(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		for _, tt := range []struct {
			request string
			want    int
		}{
			{upgrade, 401},
			{upgrade + "Authorization: Bearer x\r\n", 401},
			{upgrade + withToken + "\r\nOrigin: http://evil.example\r\n", 403},
			{"GET /acp HTTP/1.1\r\nHost: evil.example\r\n" + withToken + "\r\n", 403},
			{"GET /acp HTTP/1.1\r\nHost: localhost\r\n" + withToken + "\r\n", 426},
			{"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n", 404},
			{"POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n", 405},
		} {
			c, err := p.dial()
			if err != nil {
				t.Fatal(err)
			}
			go io.WriteString(c, tt.request+"\r\n") // a pipe has no buffer
			b := bufio.NewReader(c)
			r, err := http.ReadResponse(b, nil)
			if err != nil || r.StatusCode != tt.want || !r.Close {
				t.Errorf("%q: got %v, %v, want %d and Connection: close", tt.request, r, err, tt.want)
				continue
			}
			io.Copy(io.Discard, r.Body)
			c.SetReadDeadline(time.Now().Add(time.Second))
			if _, err := b.ReadByte(); err != io.EOF {
				t.Errorf("%q: got %v, want the end of the connection", tt.request, err)
			}
			c.Close()
		}
	})
}

// TestPeers: there are places for so many with the token, and one that is left
// can be taken.
func TestPeers(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		var peers []net.Conn
		for i := range maxPeers {
			c, r := askFor(t, p, withToken)
			if r.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("peer %d: got %s", i, r.Status)
			}
			peers = append(peers, c)
		}
		if _, r := askFor(t, p, withToken); r.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("one more: got %s, want 503", r.Status)
		}
		peers[0].Close()
		synctest.Wait()
		c, r := askFor(t, p, withToken)
		if r.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("after one has left: got %s", r.Status)
		}
		for _, c := range append(peers, c) {
			c.Close()
		}
	})
}

// TestSilentPeer: one that sends nothing, not even the answer to a ping, is gone
// in the end; so is one that does not read; one that answers stays.
func TestSilentPeer(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		silent, _ := askFor(t, p, withToken)
		go io.Copy(io.Discard, silent)
		deaf, _ := askFor(t, p, withToken)
		alive, _, err := websocket.Dial(t.Context(), "ws://localhost/acp", &websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer " + testToken}},
			HTTPClient: &http.Client{Transport: &http.Transport{
				DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial() },
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		alive.CloseRead(t.Context())
		// Two pings at a time would block on pipes without a buffer.
		time.Sleep(20*silenceLimit + time.Second)
		for name, c := range map[string]net.Conn{"silent": silent, "deaf": deaf} {
			c.SetDeadline(time.Now().Add(time.Millisecond))
			if _, err := c.Write([]byte{0}); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("the %s peer: got %v, want that it was closed", name, err)
			}
		}
		if err := alive.Ping(t.Context()); err != nil {
			t.Errorf("the peer that answers: %v", err)
		}
		alive.CloseNow()
	})
}

// TestLongMessages: what peers may send in messages that don't end is bounded for
// all of them, and comes back. Short messages need none of it.
func TestLongMessages(t *testing.T) {
	serving(t, func(t *testing.T, p *pipes) {
		begin := func(n int) net.Conn {
			c, r := askFor(t, p, withToken)
			if r.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("got %s", r.Status)
			}
			go io.Copy(io.Discard, c)
			// A text frame of 8 MiB, masked with zeros, of which n bytes come.
			io.WriteString(c, "\x81\xff\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00")
			io.WriteString(c, strings.Repeat("x", n))
			synctest.Wait()
			return c
		}
		isClosed := func(c net.Conn) bool {
			time.Sleep(2 * closeTime)
			c.SetWriteDeadline(time.Now())
			_, err := c.Write([]byte{0})
			return errors.Is(err, io.ErrClosedPipe)
		}
		first := begin(900 << 10)
		if second := begin(900 << 10); !isClosed(second) {
			t.Error("a second long message: want that it ends the connection")
		}
		small := begin(freeMessage - 1)
		if isClosed(small) || isClosed(first) {
			t.Error("others: want that they go on")
		}
		first.Close()
		synctest.Wait()
		third := begin(900 << 10)
		if isClosed(third) {
			t.Error("after the first has gone: want room for another")
		}
		for _, c := range []net.Conn{small, third} {
			c.Close()
		}
	})
}

// TestPeersAtTheEnd: peers come while the server ends, and none is served after
// its end. The race detector looks on.
func TestPeersAtTheEnd(t *testing.T) {
	for range 50 {
		serving(t, func(t *testing.T, p *pipes) {
			for range 10 {
				go func() {
					c, err := p.dial()
					if err != nil {
						return
					}
					defer c.Close()
					fmt.Fprintf(c, "%s%s\r\n\r\n", upgrade, withToken)
					io.Copy(io.Discard, c)
				}()
			}
		})
	}
}

// TestHostname covers what the Host header may look like.
func TestHostname(t *testing.T) {
	f := &listenFlags{addr: "Box.lan:8080"}
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "a.localhost:1": true, "127.0.0.1:8080": true, "127.1.2.3": true,
		"[::1]:8080": true, "[::1]": true, "::1": true, "box.lan:8080": true, "[::ffff:127.0.0.1]:1": true,
		"": false, ":8080": false, "evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"10.0.0.1:8080": false, "xlocalhost": false, "0.0.0.0": false,
	} {
		if got := f.isOurs(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
	if !(&listenFlags{allowRemote: true}).isOurs("evil.example") {
		t.Error("--allow-remote: want any host")
	}
}
