package netproxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// Requests that have the password and are wrong, or try to be taken for something else. AUTH stands
// for the field with the password.
func TestBadRequests(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	s := open(t, newProxy(t, n.config()), "example.org", "*.example.org", "8.8.8.8")
	for _, test := range []struct {
		text   string
		status int
	}{
		{"CONNECT example.org HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org: HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:0 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:65536 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:65979 HTTP/1.1\r\nAUTH", 400}, // 443 in 16 bits
		{"CONNECT example.org:-1 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:+443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:443443443443443443443443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:https HTTP/1.1\r\nAUTH", 400},
		{"CONNECT :443 HTTP/1.1\r\nAUTH", 403},
		{"CONNECT example.org:443/ HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:443?x HTTP/1.1\r\nAUTH", 400},
		{"CONNECT http://example.org:443/ HTTP/1.1\r\nAUTH", 400},
		{"CONNECT /example.org:443 HTTP/1.1\r\nAUTH", 403},
		{"CONNECT user@example.org:443 HTTP/1.1\r\nAUTH", 403},
		{"CONNECT other.org:443@example.org:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT other.org\\@example.org:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT other.org%00.example.org:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT other.org\x00.example.org:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT other.org%2e.example.org:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT b\xc3\xbccher.example.org:443 HTTP/1.1\r\nAUTH", 403},
		{"CONNECT [8.8.8.8]:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT [::1%25lo]:443 HTTP/1.1\r\nAUTH", 403},
		{"CONNECT ::1:443 HTTP/1.1\r\nAUTH", 400},
		{"CONNECT example.org:443 HTTP/1.1\r\nAUTHContent-Length: 5\r\n", 400},
		{"CONNECT example.org:443 HTTP/1.1\r\nAUTHTransfer-Encoding: chunked\r\n", 400},
		{"CONNECT example.org:443 HTTP/1.1\r\nAUTHContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
		{"GET / HTTP/1.1\r\nAUTH", 400},
		{"GET //example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET http:example.org HTTP/1.1\r\nAUTH", 400},
		{"GET http:/// HTTP/1.1\r\nAUTH", 400},
		{"GET http://:80/ HTTP/1.1\r\nAUTH", 403},
		{"GET https://example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET ftp://example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET file:///etc/passwd HTTP/1.1\r\nAUTH", 400},
		{"OPTIONS * HTTP/1.1\r\nAUTH", 400},
		{"GET http://example.org:0/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://example.org:65616/ HTTP/1.1\r\nAUTH", 400}, // 80 in 16 bits
		{"GET http://example.org:99999999999999999999/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://example.org%00.other.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://other.org%2f.example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://other.org\\.example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://example.org@other.org/ HTTP/1.1\r\nAUTH", 403},
		{"GET http://example.org:80@other.org/ HTTP/1.1\r\nAUTH", 403},
		{"GET http://other.org#@example.org/ HTTP/1.1\r\nAUTH", 400},
		{"GET http://b\xc3\xbccher.example.org/ HTTP/1.1\r\nAUTH", 403},
		{"GET http://b%c3%bccher.example.org/ HTTP/1.1\r\nAUTH", 403},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHContent-Length: 5\r\nContent-Length: 6\r\n", 400},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHContent-Length: +5\r\n", 400},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHTransfer-Encoding: gzip, chunked\r\n", 501},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHX-Bad\x00Name: 1\r\n", 400},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHX-Bad: a\x00b\r\n", 400},
		{"GET http://example.org/ HTTP/1.1\r\nAUTHHost: other.org\r\n", 400}, // the second Host
		{"GET http://example.org/ HTTP/9.9\r\nAUTH", 505},
		{"PRI * HTTP/2.0\r\nAUTH", 400},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n", 400}, // TLS
	} {
		w := connect(t, s.Addr().String())
		w.send(strings.Replace(test.text, "AUTH", "Host: example.org\r\n"+basic(t, s), 1) + "\r\n")
		w.CloseWrite()
		r, body := w.response("GET")
		if r.StatusCode != test.status {
			t.Errorf("%q: got %s, %q, want %d", test.text, r.Status, body, test.status)
		}
		if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
			t.Errorf("%q: the answer is %q", test.text, got)
		}
		for _, text := range []string{r.Status, strings.TrimSuffix(body, "\n")} {
			if strings.Trim(text, printable) != "" {
				t.Errorf("%q: the answer is no line of ASCII: %q", test.text, text)
			}
		}
	}
	if asked, _ := n.seen(); len(asked) > 0 {
		t.Errorf("looked up %q", asked)
	}
}

var printable = func() string {
	var p []byte
	for c := byte(' '); c <= '~'; c++ {
		p = append(p, c)
	}
	return string(p)
}()

// What a command calls a host comes back without what would make a header, or a terminal obey.
func TestReflection(t *testing.T) {
	refused := make(chan *egress.Refusal, 1)
	n := newInternet(t)
	s, err := newProxy(t, n.config()).Open(egress.List{}, func(r *egress.Refusal) { refused <- r })
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"a\r\nX-Evil: 1\r\n", "a\x00b", "\x1b]0;x\a", "<script>alert(1)</script>", strings.Repeat("\xff", 255), ""} {
		w := connect(t, s.Addr().String())
		if reply := w.socks(s, host, 443, ""); reply != 2 {
			t.Errorf("%q: got the reply %d", host, reply)
		}
		if text := (<-refused).Error(); strings.Trim(text, printable) != "" {
			t.Errorf("%q: told %q", host, text)
		}
	}
	n.untouched(t)
}

// A body that looks like a request is none to the server, however the request says how long it is.
func TestSmuggling(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	seen := make(chan string, 10)
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		for {
			r, err := http.ReadRequest(w.r)
			if err != nil {
				seen <- "end"
				return
			}
			body, _ := io.ReadAll(r.Body)
			seen <- r.URL.Path + " " + string(body)
			w.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}))
	s := open(t, newProxy(t, n.config()), "example.org")
	inner := "GET /inner HTTP/1.1\r\nHost: example.org\r\n\r\n"
	w := connect(t, s.Addr().String())
	w.send("POST http://example.org/outer HTTP/1.1\r\nHost: x\r\n" + basic(t, s) +
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner)
	if r, _ := w.response("POST"); r.StatusCode != 200 {
		t.Errorf("got %s", r.Status)
	}
	if got := <-seen; got != "/outer " {
		t.Errorf("the server got %q", got)
	}
	if got := <-seen; got != "end" {
		t.Errorf("the server got %q behind the request", got)
	}
	// What follows is a request to the proxy, and has no password.
	if w.r.Buffered() == 0 {
		if _, err := w.r.Peek(1); err != nil {
			return // or the proxy has hung up
		}
	}
	if r, _ := w.response("GET"); r.StatusCode != 407 {
		t.Errorf("got %s", r.Status)
	}
}

func TestSOCKSRequests(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	s := open(t, newProxy(t, n.config()), "example.org")
	hello := greeting(t, s)
	for name, test := range map[string]struct{ sent, answer string }{
		"bind":          {"\x05\x02\x00\x01\x08\x08\x08\x08\x01\xbb", "\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00"},
		"udp":           {"\x05\x03\x00\x01\x08\x08\x08\x08\x01\xbb", "\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00"},
		"type":          {"\x05\x01\x00\x02\x08\x08\x08\x08\x01\xbb", "\x05\x08\x00\x01\x00\x00\x00\x00\x00\x00"},
		"port 0":        {request("example.org", 0), "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"},
		"version":       {"\x04\x01\x00\x01\x08\x08\x08\x08\x01\xbb", ""},
		"cut off":       {"\x05\x01\x00\x03\x0bexample", ""},
		"name as bytes": {request("example.org\x00.other.org", 443), "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"},
	} {
		w := connect(t, s.Addr().String())
		w.send(hello + test.sent)
		w.CloseWrite()
		if got, want := w.rest(), "\x05\x02\x01\x00"+test.answer; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	w := connect(t, s.Addr().String())
	w.send("\x04\x01\x01\xbb\x00\x00\x00\x01user\x00example.org\x00")
	if got, want := w.rest(), "\x00\x5b\x00\x00\x00\x00\x00\x00"; got != want {
		t.Errorf("SOCKS 4: got %q, want %q", got, want)
	}
	n.untouched(t)
}

func TestHeaderTooLarge(t *testing.T) {
	n := newInternet(t)
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	go io.WriteString(w, "GET http://example.org/ HTTP/1.1\r\nHost: x\r\n"+basic(t, s)+strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 80)+"\r\n")
	if r, _ := w.response("GET"); r.StatusCode != 431 {
		t.Errorf("got %s", r.Status)
	}
	n.untouched(t)
}

// Who does not get on with it is cut off, at each step.
func TestSlowHandshake(t *testing.T) {
	n := newInternet(t)
	c := n.config()
	c.HandshakeTimeout = 50 * time.Millisecond
	s := open(t, newProxy(t, c), "example.org")
	hello := greeting(t, s)
	for _, sent := range []string{
		"", "G", "GET http://example.org/ HTTP/1.1\r\nHost", "CONNECT example.org:443 HTTP/1.1\r\n" + basic(t, s),
		"\x05", "\x05\x02\x00", hello[:4], hello[:6], hello[:len(hello)-1], hello, hello + "\x05\x01\x00\x03\x0bexa",
	} {
		w := connect(t, s.Addr().String())
		w.send(sent)
		if _, err := io.ReadAll(w.r); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%q: the connection is still open", sent)
		}
	}
	n.untouched(t)
}

// A tunnel that nobody uses is closed, and a server that is never done with its header given up.
func TestIdle(t *testing.T) {
	n := newInternet(t)
	ended := make(chan string, 1)
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		got, _ := io.ReadAll(w.r)
		ended <- string(got)
	}))
	c := n.config()
	c.IdleTimeout = 50 * time.Millisecond
	s := open(t, newProxy(t, c), "8.8.8.8")
	w := connect(t, s.Addr().String())
	w.tunnel(s, "8.8.8.8:80", "")
	io.ReadAll(w.r)
	if got := <-ended; got != "" {
		t.Errorf("got %q", got)
	}
	w = connect(t, s.Addr().String())
	w.send("GET http://8.8.8.8/ HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
	if r, body := w.response("GET"); r.StatusCode != 504 {
		t.Errorf("got %s, %q", r.Status, body)
	}
	<-ended
}

// Too many connections of one session are told so; those of another don't count, until all do.
func TestLimits(t *testing.T) {
	n := newInternet(t)
	n.server("8.8.8.8:443", listen(t, echo))
	c := n.config()
	c.MaxSessionConns, c.MaxConns = 3, 5
	p := newProxy(t, c)
	s, other := open(t, p, "8.8.8.8"), open(t, p, "8.8.8.8")
	var held []*wire
	take := func(s *netproxy.Session) {
		t.Helper()
		w := connect(t, s.Addr().String())
		w.tunnel(s, "8.8.8.8:443", "x")
		w.expect("x")
		held = append(held, w)
	}
	full := func(s *netproxy.Session) {
		t.Helper()
		w := connect(t, s.Addr().String())
		w.send("CONNECT 8.8.8.8:443 HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
		if r, body := w.response("CONNECT"); r.StatusCode != 503 || !strings.Contains(body, "connections") {
			t.Errorf("got %s, %q", r.Status, body)
		}
		w = connect(t, s.Addr().String())
		w.send(greeting(t, s))
		if got := w.rest(); got != "\x05\xff" {
			t.Errorf("SOCKS: got %q", got)
		}
	}
	take(s)
	take(s)
	take(s)
	full(s)
	take(other)
	take(other)
	full(other)
	// A place is free when a tunnel has ended, which the client sees before the proxy has let go of
	// it.
	held[0].CloseWrite()
	held[0].rest()
	deadline := time.Now().Add(patience)
	for {
		w := connect(t, s.Addr().String())
		w.send("CONNECT 8.8.8.8:443 HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
		r, _ := w.response("CONNECT")
		if r.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of an ended tunnel is never free")
		}
	}
}
