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
	"testing"

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

// TestNoHTTP is a host without a network.
func TestNoHTTP(t *testing.T) { everywhere(t, testNoHTTP) }

func testNoHTTP(t *testing.T, on place) {
	got := run(t, on.host(t, hostwasm.Config{}), command("fetch", "GET", "http://127.0.0.1/"))
	if !strings.Contains(got.stderr, "no host is allowed here") || got.exit.Status != (core.ExitStatus{ExitCode: 101}) {
		t.Errorf("got %q, %v", got.stderr, got.exit)
	}
}
