package httpfetch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// dial reaches what a rule lists, as netproxy's Dialer does, and looks nothing up.
func dial(t *testing.T, rules ...string) func(context.Context, string, uint16) (net.Conn, error) {
	var list egress.List
	for _, text := range rules {
		r, err := egress.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list.Rules = append(list.Rules, r)
	}
	return func(ctx context.Context, host string, port uint16) (net.Conn, error) {
		target, err := list.Host(host, port)
		if err != nil {
			return nil, err
		}
		known := target.Known()
		if known == nil {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(known[0].String(), strconv.Itoa(int(port))))
	}
}

func frame(kind uint32, data string) string {
	b := binary.LittleEndian.AppendUint32(nil, kind)
	return string(binary.LittleEndian.AppendUint32(b, uint32(len(data)))) + data
}

// fetch sends frames, and returns the answer's head, body and error.
func fetch(t *testing.T, f *httpfetch.Fetcher, sent string) (head, body, failed string) {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // ends with the exchange
		defer close(done)
		f.Fetch(ctx, theirs)
		theirs.Close()
	}()
	go io.WriteString(ours, sent) // ends when ours is closed
	defer func() {
		cancel()
		ours.Close()
		<-done
	}()
	for {
		var b [8]byte
		if _, err := io.ReadFull(ours, b[:]); err != nil {
			return head, body, "cut: " + err.Error()
		}
		data := make([]byte, binary.LittleEndian.Uint32(b[4:]))
		if _, err := io.ReadFull(ours, data); err != nil {
			return head, body, "cut: " + err.Error()
		}
		switch binary.LittleEndian.Uint32(b[:]) {
		case 1:
			head = string(data)
		case 2:
			body += string(data)
		case 3:
			return head, body, ""
		case 4:
			return head, body, fmt.Sprint(binary.LittleEndian.Uint32(data), " ", string(data[4:]))
		}
	}
}

func get(url string) string { return frame(1, "GET "+url+"\nContent-Length: 0") }

// TestHostile are servers and requests that want more than they get.
func TestHostile(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/endless":
			for b := make([]byte, 8<<10); r.Context().Err() == nil; {
				w.Write(b)
			}
		case "/header":
			w.Header().Set("X-A", strings.Repeat("x", 1<<20))
		case "/slow":
			w.Write([]byte("a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/cut":
			w.Header().Set("Content-Length", "10")
			w.Write([]byte("a"))
		case "/take":
			io.Copy(w, r.Body)
		}
	}))
	defer s.Close()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog, s.Config.ErrorLog = nil, nil
	here := s.Listener.Addr().String()
	var records []httpfetch.Record
	config := httpfetch.Config{
		Dial: dial(t, here, tls.Listener.Addr().String(), "*.example.org"), MaxReceived: 64 << 10, MaxSent: 100,
		Done: func(_ context.Context, r httpfetch.Record) { records = append(records, r) },
	}
	f := httpfetch.New(config)
	config.Idle = 2 * time.Second
	hasty := httpfetch.New(config)
	const slow = "a slow body" // is for the hasty one
	for _, test := range []struct{ name, sent, head, failed string }{
		{"a name that is not allowed", get("http://other.org/"), "", "2 other.org:80 is refused: it is listed by no rule; to allow it, add --net other.org:80"},
		{"loopback", get("http://127.0.0.1:1/"), "", "2 127.0.0.1:1 is refused: it is a loopback address; to allow it, add --net 127.0.0.1:1"},
		{"metadata", get("http://169.254.169.254/"), "", "2 169.254.169.254:80 is refused"},
		{"a name that leads nowhere", get("http://no.example.org/"), "", "3 "},
		{"a redirect, which is not followed", get(s.URL + "/moved"), "302 Found", ""},
		{"a body without end", get(s.URL + "/endless"), "200 OK", "7 the response's body has more than 65536 bytes"},
		{"a header without end", get(s.URL + "/header"), "", "7 the response's header"},
		{slow, get(s.URL + "/slow"), "200 OK", "6 nothing came for too long"},
		{"a body that is cut", get(s.URL + "/cut"), "200 OK", "8 "},
		{"a certificate of nobody", get(tls.URL + "/"), "", "5 "},
		{"a body to send that is too large", frame(1, "PUT "+s.URL+"/take") + frame(2, strings.Repeat("x", 101)) + frame(3, ""), "", "7 the request's body has more than 100 bytes"},
		{"a body that is sent", frame(1, "PUT "+s.URL+"/take") + frame(2, "abc") + frame(3, ""), "200 OK", ""},
		{"no request", frame(2, "x"), "", "1 "},
		{"a request that is too long", "\x01\x00\x00\x00\x00\x00\x00\x40", "", "1 a header of 1073741824 bytes"},
		{"CONNECT", frame(1, "CONNECT "+s.URL), "", "1 "},
		{"another scheme", get("file:///etc/passwd"), "", "1 "},
		{"a user", get("http://a:b@" + here + "/"), "", "1 "},
		{"a line in a field", frame(1, "GET "+s.URL+"\nA: b\rC: d\nContent-Length: 0"), "", "8 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			records = nil
			by := f
			if test.name == slow {
				by = hasty
			}
			head, body, failed := fetch(t, by, test.sent)
			status, _, _ := strings.Cut(head, "\n")
			if status != test.head || !strings.HasPrefix(failed, test.failed) || test.failed == "" && failed != "" {
				t.Errorf("got %q, %d bytes, %q", head, len(body), failed)
			}
			if len(records) != 1 || (records[0].Error == "") != (test.failed == "") {
				t.Errorf("recorded %+v", records)
			}
		})
	}
}

// TestTooMany is more requests than there may be at once, and one that is given up.
func TestTooMany(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
		close(left)
	}))
	defer s.Close()
	f := httpfetch.New(httpfetch.Config{Dial: dial(t, s.Listener.Addr().String()), MaxRequests: 1})
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan struct{})
	go func() { // ends when ctx does
		defer close(done)
		f.Fetch(ctx, theirs)
	}()
	go io.Copy(io.Discard, ours) // ends with the test
	if _, err := io.WriteString(ours, get(s.URL)); err != nil {
		t.Fatal(err)
	}
	<-arrived
	if _, _, failed := fetch(t, f, get(s.URL)); !strings.HasPrefix(failed, "9 ") {
		t.Errorf("got %q", failed)
	}
	cancel(errors.New("let go"))
	<-left
	<-done
}

// hold begins an exchange with what is sent, and returns when the guest has let go.
func hold(t *testing.T, f *httpfetch.Fetcher, who, sent string) (letGo func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), asks{}, who))
	done := make(chan struct{})
	go func() { // ends when ctx does
		defer close(done)
		f.Fetch(ctx, theirs)
		theirs.Close()
	}()
	go io.Copy(io.Discard, ours) // ends when ours is closed
	io.WriteString(ours, sent)   // returns when it is taken; an error means that it was refused
	letGo = sync.OnceFunc(func() {
		cancel()
		ours.Close()
		<-done
	})
	t.Cleanup(letGo)
	return letGo
}

// asks is the key of who asks.
type asks struct{}

// TestShares is that nobody takes all places: not who says nothing, and not a session
// that has many requests.
func TestShares(t *testing.T) {
	arrived := make(chan string, 16)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Path
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close) // after those that hold has begun
	ended := make(chan string, 16)
	f := httpfetch.New(httpfetch.Config{
		Dial: dial(t, s.Listener.Addr().String()), MaxRequests: 4,
		Share: func(ctx context.Context) string { return fmt.Sprint(ctx.Value(asks{})) },
		Done:  func(_ context.Context, r httpfetch.Record) { ended <- r.Error },
	})
	for range 8 { // half of what may wait for a header
		hold(t, f, "silent", get(s.URL)[:8])
	}
	hold(t, f, "silent", get(s.URL))
	if why := next(t, ended); !strings.HasPrefix(why, "too many requests at once") {
		t.Errorf("one more exchange without a header: got %q", why)
	}
	var greedy []func()
	for range 2 {
		greedy = append(greedy, hold(t, f, "greedy", get(s.URL)))
		next(t, arrived)
	}
	hold(t, f, "greedy", get(s.URL))
	if why := next(t, ended); !strings.HasPrefix(why, "too many requests at once") {
		t.Errorf("a third of four: got %q", why)
	}
	hold(t, f, "modest", get(s.URL))
	next(t, arrived)
	greedy[0]()
	next(t, ended)
	hold(t, f, "another", get(s.URL))
	next(t, arrived)
}

// next returns what comes next.
func next(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(time.Minute):
		t.Fatal("it never came")
		return ""
	}
}
