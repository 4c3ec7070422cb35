package netproxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// webServer puts a server at an address and below a name.
func webServer(t *testing.T, n *internet, handle http.HandlerFunc) {
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:80", srv.Listener.Addr().String())
}

func TestForward(t *testing.T) {
	n := newInternet(t)
	got := make(chan *http.Request, 1)
	bodies := make(chan string, 1)
	webServer(t, n, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r
		bodies <- string(body)
		w.Header().Set("X-Terrarium-Refused", "a lie")
		w.Header().Set("Location", "http://example.org/elsewhere")
		w.Header().Set("Trailer", "X-Sum")
		w.WriteHeader(302)
		io.WriteString(w, "answer")
		w.Header().Set("X-Sum", "42")
	})
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	for range 2 { // on the same connection
		w.send("POST http://user:secret@example.org/a%2Fb//c?x=1;y=%zz&&z HTTP/1.1\r\n" +
			"Host: evil.example.net\r\n" + basic(t, s) +
			"Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 300\r\nProxy-Connection: keep-alive\r\n" +
			"X-Forwarded-For: 1.2.3.4\r\nX-Kept: 1\r\nExpect: 100-continue\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
		var answer *http.Response
		var body string
		if answer, body = w.response("POST"); answer.StatusCode == 100 {
			answer, body = w.response("POST")
		}
		r := <-got
		if body := <-bodies; body != "body" {
			t.Errorf("the server got the body %q", body)
		}
		if r.Host != "example.org" || r.RequestURI != "/a%2Fb//c?x=1;y=%zz&&z" {
			t.Errorf("the server got the host %q and %q", r.Host, r.RequestURI)
		}
		for name, want := range map[string]string{
			"Authorization": "", "Proxy-Authorization": "", "Proxy-Connection": "", "X-Mine": "", "Keep-Alive": "",
			"User-Agent": "", "Accept-Encoding": "", "X-Kept": "1", "X-Forwarded-For": "1.2.3.4", "Via": "1.1 terrarium",
		} {
			if got := strings.Join(r.Header[name], ", "); got != want {
				t.Errorf("the server got %s: %q, want %q", name, got, want)
			}
		}
		if answer.StatusCode != 302 || body != "answer" || answer.Close {
			t.Errorf("got %s, %q, close %v", answer.Status, body, answer.Close)
		}
		if h := answer.Header; h.Get("X-Terrarium-Refused") != "" || h.Get("Via") != "1.1 terrarium" {
			t.Errorf("got %v", h)
		}
		if answer.Trailer.Get("X-Sum") != "42" {
			t.Errorf("got the trailer %v", answer.Trailer)
		}
	}
	if asked, dialled := n.seen(); len(asked) != 2 || len(dialled) != 2 {
		t.Errorf("looked up %v, dialled %v, want one of each for each request", asked, dialled)
	}
}

// What a server has written reaches the client before the server goes on.
func TestForwardStreams(t *testing.T) {
	n := newInternet(t)
	next := make(chan bool)
	webServer(t, n, func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "%d", i)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	s := open(t, newProxy(t, n.config()), "example.org")
	r, err := browser(t, s).Get("http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	for i := range 3 {
		var p [1]byte
		if _, err := io.ReadFull(r.Body, p[:]); err != nil || p[0] != byte('0'+i) {
			t.Fatalf("got %q, %v", p, err)
		}
		next <- true
	}
}

// A server learns that the client has gone.
func TestForwardCancelled(t *testing.T) {
	n := newInternet(t)
	begun, ended := make(chan bool), make(chan bool)
	webServer(t, n, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	})
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	w.send("GET http://example.org/ HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
	<-begun
	w.Close()
	<-ended
}

// An answer that breaks off does not look whole.
func TestForwardBroken(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		http.ReadRequest(w.r)
		w.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	}))
	s := open(t, newProxy(t, n.config()), "example.org")
	r, err := browser(t, s).Get("http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); err == nil {
		t.Errorf("got %q and no error", body)
	}
}

// What a server tells its next hop is not the client's.
func TestForwardHop(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		http.ReadRequest(w.r)
		w.send("HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic\r\nX-Kept: 1\r\nContent-Length: 0\r\n\r\n")
	}))
	s := open(t, newProxy(t, n.config()), "example.org")
	r, err := browser(t, s).Get("http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	// net/http forgets what else Connection has if "close" is in it; a server that says so is rare.
	if h := r.Header; h.Get("X-Hop") != "" || h.Get("Proxy-Authenticate") != "" || h.Get("X-Kept") != "1" || r.Close {
		t.Errorf("got %v, close %v", h, r.Close)
	}
}

// A server that speaks something else, with what a terminal would obey, is told in harmless text.
func TestForwardGarbage(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:80", listen(t, func(w *wire) {
		http.ReadRequest(w.r)
		w.send("\x1b[2J<script>\r\nX-Evil: 1\r\n\r\n")
	}))
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	w.send("GET http://example.org/ HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "\r\n")
	r, body := w.response("GET")
	if r.StatusCode != 502 || r.Header.Get("X-Evil") != "" || strings.ContainsAny(strings.TrimSuffix(body, "\n"), "\x1b\r\n") {
		t.Errorf("got %s, %q, %q", r.Status, r.Header, body)
	}
}

func TestForwardUpgrade(t *testing.T) {
	n := newInternet(t)
	webServer(t, n, func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := rw.ReadString('\n')
		io.WriteString(c, line)
	})
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	w.send("GET http://example.org/ HTTP/1.1\r\nHost: x\r\n" + basic(t, s) + "Connection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	if r, _ := w.response("CONNECT"); r.StatusCode != 101 {
		t.Fatalf("got %s", r.Status)
	}
	w.send("hello\n")
	w.expect("hello\n")
}
