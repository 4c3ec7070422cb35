package hostwasm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// dialOnly is a Config.Dial that reaches a server and nothing else.
func dialOnly(s *httptest.Server) func(context.Context, string, uint16) (net.Conn, error) {
	return func(ctx context.Context, host string, port uint16) (net.Conn, error) {
		addr := net.JoinHostPort(host, fmt.Sprint(port))
		if addr != s.Listener.Addr().String() {
			return nil, errors.New(addr + " is not to be reached")
		}
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
}

// TestHTTP is what a guest fetches, and how that ends.
func TestHTTP(t *testing.T) { everywhere(t, testHTTP) }

func testHTTP(t *testing.T, on place) {
	checkLeaks(t)
	gone := make(chan struct{}, 64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			fmt.Fprint(w, strings.Repeat("0123456789abcdef", 16<<10))
		case "/echo":
			w.WriteHeader(http.StatusCreated)
			io.Copy(w, r.Body)
		case "/hang":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			gone <- struct{}{}
		case "/take":
			io.Copy(io.Discard, r.Body)
			gone <- struct{}{}
		}
	}))
	defer s.Close()
	h := on.host(t, hostwasm.Config{HTTP: httpfetch.New(httpfetch.Config{Dial: dialOnly(s)})})

	got := run(t, h, command("fetch", "GET", s.URL+"/large"))
	if want := "200\n" + strings.Repeat("0123456789abcdef", 16<<10); got.stdout != want || got.stderr != "" {
		t.Errorf("a large body: got %d bytes and %q, want %d", len(got.stdout), got.stderr, len(want))
	}
	got = run(t, h, command("fetch", "PUT", s.URL+"/echo", "some body"))
	if got.stdout != "201\nsome body" || got.stderr != "" {
		t.Errorf("a body that is sent: got %q, %q", got.stdout, got.stderr)
	}
	got = run(t, h, command("fetch", "GET", "http://other.example/"))
	if want := "fetch: 4 other.example:80 is not to be reached\n"; got.stderr != want {
		t.Errorf("another server: got %q, want %q", got.stderr, want)
	}
	got = run(t, h, command("hold", s.URL+"/hang", fmt.Sprint(hostwasm.MaxExchanges)))
	if got.stdout != "held\n" || got.stderr != "" {
		t.Errorf("many at once: got %q, %q", got.stdout, got.stderr)
	}
	for range hostwasm.MaxExchanges {
		<-gone // with the guest
	}
	got = run(t, h, command("hold", s.URL+"/hang", fmt.Sprint(hostwasm.MaxExchanges+1)))
	if !strings.HasPrefix(got.stderr, "hold: 9 too many") {
		t.Errorf("too many at once: got %q, %q", got.stdout, got.stderr)
	}
	for range hostwasm.MaxExchanges {
		<-gone
	}

	for _, args := range [][]string{{"send", s.URL + "/take"}, {"hold", s.URL + "/hang", "1", "and wait"}} {
		p := launch(t, h, command(args...))
		if err := p.Signal("SIGKILL"); err != nil {
			t.Error(err)
		}
		if got := wait(t, p); got.Status.Signal != "SIGKILL" {
			t.Errorf("%s that was killed: got %v", args[0], got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHTTPEnds is that a command has not ended before what it fetched is told of.
func TestHTTPEnds(t *testing.T) { everywhere(t, testHTTPEnds) }

func testHTTPEnds(t *testing.T, on place) {
	checkLeaks(t)
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/full":
			<-over
		}
	}))
	defer s.Close()
	defer close(over)
	var exited atomic.Pointer[chan struct{}]
	h := on.host(t, hostwasm.Config{HTTP: httpfetch.New(httpfetch.Config{
		Dial: dialOnly(s),
		Done: func(ctx context.Context, r httpfetch.Record) {
			if got := hostwasm.SessionOf(ctx); got != "a session" {
				t.Errorf("%s was fetched for %q", r.URL, got)
			}
			select {
			case <-*exited.Load():
				t.Errorf("%s was told after the end", r.URL)
			case <-time.After(200 * time.Millisecond): // who does not wait has gone by then
			}
		},
	})})
	for _, test := range []struct {
		args   []string
		signal string
	}{
		{[]string{"fetch", "GET", s.URL}, ""},
		{[]string{"run", "guest", "hold", s.URL + "/hang", "2"}, ""},
		{[]string{"hold", s.URL + "/hang", "1", "and wait"}, "SIGKILL"},
		{[]string{"stuff", s.URL + "/full"}, ""},
	} {
		ended := make(chan struct{})
		exited.Store(&ended)
		c := command(test.args...)
		c.Session = "a session"
		p := launch(t, h, c)
		if test.signal != "" {
			held := make(chan struct{}, 8)
			go p.Output(func(uint8, []byte) { held <- struct{}{} }) // ends with the command
			<-held
			if err := p.Signal(test.signal); err != nil {
				t.Error(err)
			}
		}
		began := time.Now()
		wait(t, p)
		close(ended)
		if took := time.Since(began); took > time.Minute/2 {
			t.Errorf("%q: it took %v to end", test.args, took)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%q: %v", test.args, err)
		}
	}
}

// TestNoHTTP is a host without a network.
func TestNoHTTP(t *testing.T) { everywhere(t, testNoHTTP) }

func testNoHTTP(t *testing.T, on place) {
	got := run(t, on.host(t, hostwasm.Config{}), command("fetch", "GET", "http://127.0.0.1/"))
	if !strings.Contains(got.stderr, "no host is allowed here") || got.exit.Status != (core.ExitStatus{ExitCode: 101}) {
		t.Errorf("got %q, %v", got.stderr, got.exit)
	}
}
