package netproxy_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// asRelay makes this binary what Config.RelayCommand runs.
const asRelay = "netproxy-test-relay"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asRelay {
		if err := netproxy.Relay(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "relay:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what has to happen.
const patience = 60 * time.Second

// An internet has names and addresses that lead to servers of the test.
type internet struct {
	t *testing.T

	mu      sync.Mutex
	names   map[string][]netip.Addr
	servers map[netip.AddrPort]string // what listens there
	failing map[netip.AddrPort]error
	asked   []string // the names that were looked up
	dialled []netip.AddrPort
}

func newInternet(t *testing.T) *internet {
	return &internet{
		t:       t,
		names:   map[string][]netip.Addr{},
		servers: map[netip.AddrPort]string{},
		failing: map[netip.AddrPort]error{},
	}
}

// name lets a name lead to addresses.
func (n *internet) name(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range addrs {
		n.names[name] = append(n.names[name], netip.MustParseAddr(a))
	}
}

// server lets what listens at real be at the address to.
func (n *internet) server(to, real string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.servers[netip.MustParseAddrPort(to)] = real
}

func (n *internet) LookUp(_ context.Context, name string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, name)
	if addrs := n.names[name]; addrs != nil {
		return addrs, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (n *internet) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, to)
	real, err := n.servers[to], n.failing[to]
	n.mu.Unlock()
	if errors.Is(err, errHang) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	}
	if real == "" {
		return nil, fmt.Errorf("the test has no server at %s", to)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", real)
}

// errHang is of addresses that never answer.
var errHang = errors.New("hang")

// seen returns what was looked up and dialled.
func (n *internet) seen() (asked []string, dialled []netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.asked), slices.Clone(n.dialled)
}

// untouched fails the test if anything was looked up or dialled.
func (n *internet) untouched(t *testing.T) {
	t.Helper()
	if asked, dialled := n.seen(); len(asked)+len(dialled) > 0 {
		t.Errorf("looked up %v and dialled %v, want nothing", asked, dialled)
	}
}

func (n *internet) config() netproxy.Config {
	return netproxy.Config{Dial: n.Dial, LookUp: n.LookUp}
}

func list(t testing.TB, rules ...string) egress.List {
	t.Helper()
	var l egress.List
	for _, text := range rules {
		r, err := egress.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l.Rules = append(l.Rules, r)
	}
	return l
}

func newProxy(t *testing.T, c netproxy.Config) *netproxy.Proxy {
	p := netproxy.New(c)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// open starts a session whose refusals don't matter.
func open(t *testing.T, p *netproxy.Proxy, rules ...string) *netproxy.Session {
	t.Helper()
	s, err := p.Open(list(t, rules...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// variable returns one of a session's variables.
func variable(t testing.TB, s *netproxy.Session, name string) string {
	t.Helper()
	for _, v := range s.Env() {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	t.Fatalf("no variable %s in %q", name, s.Env())
	return ""
}

// proxyURL is what a command is told.
func proxyURL(t testing.TB, s *netproxy.Session) *url.URL {
	t.Helper()
	u, err := url.Parse(variable(t, s, "HTTP_PROXY"))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// basic is the field that has a session's password.
func basic(t testing.TB, s *netproxy.Session) string {
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(proxyURL(t, s).User.String())) + "\r\n"
}

// browser returns a client that uses the session.
func browser(t *testing.T, s *netproxy.Session) *http.Client {
	tr := &http.Transport{Proxy: http.ProxyURL(proxyURL(t, s)), DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

// A wire is a connection to a session, with a deadline.
type wire struct {
	*net.TCPConn
	r *bufio.Reader
	t testing.TB
}

func connect(t testing.TB, addr string) *wire {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &wire{c.(*net.TCPConn), bufio.NewReader(c), t}
}

func (w *wire) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		w.t.Fatal(err)
	}
}

// expect reads as much as want has.
func (w *wire) expect(want string) {
	w.t.Helper()
	got := make([]byte, len(want))
	n, err := io.ReadFull(w.r, got)
	if err != nil || string(got) != want {
		w.t.Fatalf("got %q, %v, want %q", got[:n], err, want)
	}
}

// rest reads until the end.
func (w *wire) rest() string {
	w.t.Helper()
	got, err := io.ReadAll(w.r)
	if err != nil {
		w.t.Fatalf("got %q, %v", got, err)
	}
	return string(got)
}

// response reads an answer of HTTP, and its body.
func (w *wire) response(method string) (*http.Response, string) {
	w.t.Helper()
	r, err := http.ReadResponse(w.r, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	if method == "CONNECT" && r.StatusCode == 200 {
		return r, ""
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return r, string(body)
}

// tunnel asks for one by HTTP, in one write with what is to go through it.
func (w *wire) tunnel(s *netproxy.Session, to, early string) {
	w.t.Helper()
	w.send("CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n" + basic(w.t, s) + "\r\n" + early)
	if r, body := w.response("CONNECT"); r.StatusCode != 200 {
		w.t.Fatalf("got %s: %s", r.Status, body)
	}
}

// greeting is what a client of SOCKS sends before its request.
func greeting(t testing.TB, s *netproxy.Session) string {
	u := proxyURL(t, s).User
	password, _ := u.Password()
	return "\x05\x02\x00\x02" + "\x01" + counted(u.Username()) + counted(password)
}

func counted(s string) string { return string([]byte{byte(len(s))}) + s }

// request is one of SOCKS, for a name or an address.
func request(host string, port uint16) string {
	to := "\x03" + counted(host)
	if a, err := netip.ParseAddr(host); err == nil {
		to = "\x01" + string(a.AsSlice())
		if a.Is6() {
			to = "\x04" + string(a.AsSlice())
		}
	}
	return "\x05\x01\x00" + to + string([]byte{byte(port >> 8), byte(port)})
}

// socks asks for a tunnel by SOCKS, and returns the reply.
func (w *wire) socks(s *netproxy.Session, host string, port uint16, early string) byte {
	w.t.Helper()
	w.send(greeting(w.t, s) + request(host, port) + early)
	w.expect("\x05\x02" + "\x01\x00")
	reply := make([]byte, 10)
	if n, err := io.ReadFull(w.r, reply); err != nil || reply[0] != 5 || reply[3] != 1 {
		w.t.Fatalf("got the reply %q, %v", reply[:n], err)
	}
	return reply[1]
}

// listen serves each connection with handle, until the test ends.
func listen(t *testing.T, handle func(*wire)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			c.SetDeadline(time.Now().Add(patience))
			wg.Go(func() {
				defer c.Close()
				handle(&wire{c.(*net.TCPConn), bufio.NewReader(c), t})
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// echo sends back what it gets.
func echo(w *wire) {
	io.Copy(w, w.r)
	w.CloseWrite()
}
