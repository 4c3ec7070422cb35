package netproxy_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

type sessionUnderTest = *netproxy.Session

func itoa(n uint16) string { return strconv.Itoa(int(n)) }

// What a list refuses is refused in the same way by each protocol, told, and never dialled.
func TestRefused(t *testing.T) {
	tests := []struct {
		host   string
		port   uint16
		reason egress.Reason
		asked  string // the name that may be looked up before
	}{
		{"other.org", 443, egress.ReasonNotListed, ""},
		{"example.org", 443, egress.ReasonNotListed, ""},
		{"files.example.org", 22, egress.ReasonOtherPort, ""},
		{"files.example.org.evil.net", 443, egress.ReasonNotListed, ""},
		{"8.8.8.8", 443, egress.ReasonNotListed, ""},
		{"127.0.0.1", 80, egress.ReasonLoopback, ""},
		{"::1", 80, egress.ReasonLoopback, ""},
		{"::ffff:127.0.0.1", 80, egress.ReasonLoopback, ""},
		{"localhost", 5433, egress.ReasonLoopback, ""},
		{"a.localhost", 80, egress.ReasonLoopback, ""},
		{"0.0.0.0", 5432, egress.ReasonUnspecified, ""},
		{"169.254.169.254", 80, egress.ReasonMetadata, ""},
		{"0x7f.1", 80, egress.ReasonAmbiguous, ""},
		{"127.1", 80, egress.ReasonAmbiguous, ""},
		{"2130706433", 80, egress.ReasonAmbiguous, ""},
		{"to-loopback.example.org", 80, egress.ReasonLoopback, "to-loopback.example.org"},
		{"to-postgres.example.org", 80, egress.ReasonLoopback, "to-postgres.example.org"},
		{"to-private.example.org", 80, egress.ReasonPrivate, "to-private.example.org"},
		{"to-metadata.example.org", 80, egress.ReasonMetadata, "to-metadata.example.org"},
		{"to-mapped.example.org", 80, egress.ReasonLoopback, "to-mapped.example.org"},
		{"to-nat64.example.org", 80, egress.ReasonPrivate, "to-nat64.example.org"},
		{"to-zero.example.org", 80, egress.ReasonUnspecified, "to-zero.example.org"},
		{"TO-ZERO.Example.ORG.", 80, egress.ReasonUnspecified, "to-zero.example.org"},
	}
	n := newInternet(t)
	for name, a := range map[string]string{
		"to-loopback": "127.0.0.1", "to-postgres": "::1", "to-private": "10.1.2.3", "to-metadata": "169.254.169.254",
		"to-mapped": "::ffff:127.0.0.1", "to-nat64": "64:ff9b::10.0.0.1", "to-zero": "0.0.0.0",
	} {
		n.name(name+".example.org", a)
	}
	p := newProxy(t, n.config())
	var mu sync.Mutex
	var told []*egress.Refusal
	s, err := p.Open(list(t, "*.example.org", "localhost:5432"), func(r *egress.Refusal) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	last := func(t *testing.T, i int) *egress.Refusal {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(told) != i {
			t.Fatalf("told %d refusals, want %d", len(told), i)
		}
		return told[i-1]
	}
	count := 0
	for _, test := range tests {
		t.Run(test.host+":"+itoa(test.port), func(t *testing.T) {
			asked, _ := n.seen()
			before := len(asked)
			to := netJoin(test.host, test.port)

			count++
			w := connect(t, s.Addr().String())
			w.send("CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n" + basic(t, s) + "\r\n")
			r, body := w.response("CONNECT")
			refusal := last(t, count)
			if refusal.Reason != test.reason {
				t.Errorf("told %q, want %q", refusal.Reason, test.reason)
			}
			if r.StatusCode != 403 || body != refusal.Error()+"\n" || r.Header.Get("X-Terrarium-Refused") != string(test.reason) {
				t.Errorf("CONNECT: got %s, %q, %q", r.Status, r.Header, body)
			}
			if want := "403 Forbidden: " + refusal.Error(); r.Status != want {
				t.Errorf("CONNECT: got the status %q, want %q", r.Status, want)
			}

			count++
			w = connect(t, s.Addr().String())
			w.send("GET http://" + to + "/ HTTP/1.1\r\nHost: files.example.org\r\n" + basic(t, s) + "\r\n")
			r, body = w.response("GET")
			if want := last(t, count).Error() + "\n"; r.StatusCode != 403 || body != want || r.Header.Get("X-Terrarium-Refused") != string(test.reason) {
				t.Errorf("GET: got %s, %q, %q", r.Status, r.Header, body)
			}
			if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
				t.Errorf("GET: the body is %q", got)
			}

			count++
			w = connect(t, s.Addr().String())
			if reply := w.socks(s, test.host, test.port, ""); reply != 2 || last(t, count).Reason != test.reason {
				t.Errorf("SOCKS: got the reply %d and %v", reply, last(t, count))
			}

			asked, _ = n.seen()
			var want []string
			if test.asked != "" {
				want = slices.Repeat([]string{test.asked}, 3)
			}
			if got := asked[before:]; !slices.Equal(got, want) {
				t.Errorf("looked up %q, want %q", got, want)
			}
		})
	}
	if _, dialled := n.seen(); len(dialled) > 0 {
		t.Errorf("dialled %v", dialled)
	}
}

// A name whose owner answers differently the second time is looked up once.
func TestRebinding(t *testing.T) {
	n := newInternet(t)
	n.server("8.8.8.8:443", listen(t, echo))
	c := n.config()
	var mu sync.Mutex
	looked := 0
	c.LookUp = func(context.Context, string) ([]netip.Addr, error) {
		mu.Lock()
		defer mu.Unlock()
		if looked++; looked == 1 {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	s := open(t, newProxy(t, c), "rebind.example.org")
	w := connect(t, s.Addr().String())
	w.tunnel(s, "rebind.example.org:443", "x")
	w.expect("x")
	if looked != 1 {
		t.Errorf("looked up %d times", looked)
	}
	w = connect(t, s.Addr().String())
	if reply := w.socks(s, "rebind.example.org", 443, ""); reply != 2 {
		t.Errorf("got the reply %d of what leads to loopback now", reply)
	}
	if _, dialled := n.seen(); !slices.Equal(dialled, addrPorts("8.8.8.8:443")) {
		t.Errorf("dialled %v", dialled)
	}
}

func addrPorts(text ...string) (all []netip.AddrPort) {
	for _, a := range text {
		all = append(all, netip.MustParseAddrPort(a))
	}
	return all
}

// Of a name's addresses those are dialled that the list allows, in their order, until one answers.
func TestAddressesInOrder(t *testing.T) {
	n := newInternet(t)
	n.name("many.example.org", "10.0.0.1", "2606:4700::1", "127.0.0.1", "8.8.8.8", "8.8.4.4")
	n.failing[netip.MustParseAddrPort("[2606:4700::1]:443")] = syscall.ENETUNREACH
	n.server("8.8.8.8:443", listen(t, echo))
	var mu sync.Mutex
	told := 0
	s, err := newProxy(t, n.config()).Open(list(t, "many.example.org"), func(*egress.Refusal) {
		mu.Lock()
		defer mu.Unlock()
		told++
	})
	if err != nil {
		t.Fatal(err)
	}
	w := connect(t, s.Addr().String())
	w.tunnel(s, "many.example.org:443", "x")
	w.expect("x")
	if _, dialled := n.seen(); !slices.Equal(dialled, addrPorts("[2606:4700::1]:443", "8.8.8.8:443")) {
		t.Errorf("dialled %v", dialled)
	}
	if told != 0 {
		t.Errorf("told %d refusals, though the host was reached", told)
	}
}

// An address that never answers does not keep the next from being tried.
func TestDialTimeout(t *testing.T) {
	n := newInternet(t)
	n.name("slow.example.org", "2606:4700::1", "8.8.8.8")
	n.failing[netip.MustParseAddrPort("[2606:4700::1]:443")] = errHang
	n.server("8.8.8.8:443", listen(t, echo))
	c := n.config()
	c.DialTimeout = 30 * time.Millisecond
	c.Dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		if n.failing[to] == nil { // the one that answers, for which a busy machine may take as long
			ctx = context.WithoutCancel(ctx)
		}
		return n.Dial(ctx, to)
	}
	s := open(t, newProxy(t, c), "slow.example.org")
	w := connect(t, s.Addr().String())
	w.tunnel(s, "slow.example.org:443", "x")
	w.expect("x")
}

func TestFailures(t *testing.T) {
	n := newInternet(t)
	n.name("empty.example.org")
	n.names["empty.example.org"] = []netip.Addr{}
	fail := map[string]error{
		"8.8.8.1": syscall.ECONNREFUSED, "8.8.8.2": syscall.ENETUNREACH, "8.8.8.3": syscall.EHOSTUNREACH, "8.8.8.4": errHang,
		"8.8.8.5": syscall.EACCES,
	}
	for a, err := range fail {
		n.failing[netip.MustParseAddrPort(a+":443")] = err
		n.failing[netip.MustParseAddrPort(a+":80")] = err
	}
	n.name("refuses.example.org", "8.8.8.1")
	n.name("mixed.example.org", "8.8.8.2", "8.8.8.4", "8.8.8.1")
	n.name("nonet.example.org", "8.8.8.2")
	n.name("nohost.example.org", "8.8.8.3")
	n.name("silent.example.org", "8.8.8.4")
	n.name("other.example.org", "8.8.8.5")
	c := n.config()
	c.DialTimeout = 10 * time.Millisecond
	s := open(t, newProxy(t, c), "*.example.org")
	for _, test := range []struct {
		host   string
		status int
		reply  byte
		text   string
	}{
		{"nothing.example.org", 502, 4, "look up nothing.example.org: no such host"},
		{"empty.example.org", 502, 4, "look up empty.example.org: it has no address"},
		{"refuses.example.org", 502, 5, "connect to 8.8.8.1:443: connection refused"},
		{"nonet.example.org", 502, 3, "connect to 8.8.8.2:443: network is unreachable"},
		{"nohost.example.org", 502, 4, "connect to 8.8.8.3:443: no route to host"},
		{"silent.example.org", 504, 6, "connect to 8.8.8.4:443: no answer in time"},
		{"other.example.org", 502, 1, "connect to 8.8.8.5:443: permission denied"},
		{"mixed.example.org", 502, 5, "connect to 8.8.8.2:443: network is unreachable, 8.8.8.4:443: no answer in time, 8.8.8.1:443: connection refused"},
	} {
		w := connect(t, s.Addr().String())
		w.send("CONNECT " + test.host + ":443 HTTP/1.1\r\n" + basic(t, s) + "Host: x\r\n\r\n")
		r, body := w.response("CONNECT")
		if r.StatusCode != test.status || body != test.text+"\n" || r.Header.Get("X-Terrarium-Refused") != "" {
			t.Errorf("%s: got %s, %q", test.host, r.Status, body)
		}
		w = connect(t, s.Addr().String())
		w.send("GET http://" + test.host + "/ HTTP/1.1\r\n" + basic(t, s) + "Host: x\r\n\r\n")
		if r, body := w.response("GET"); r.StatusCode != test.status || body != strings.ReplaceAll(test.text, ":443", ":80")+"\n" {
			t.Errorf("GET %s: got %s, %q", test.host, r.Status, body)
		}
		w = connect(t, s.Addr().String())
		if reply := w.socks(s, test.host, 443, ""); reply != test.reply {
			t.Errorf("%s: got the reply %d, want %d", test.host, reply, test.reply)
		}
	}
}

// A resolver that never answers ends with ConnectTimeout.
func TestLookUpTimeout(t *testing.T) {
	n := newInternet(t)
	c := n.config()
	c.ConnectTimeout = 30 * time.Millisecond
	c.LookUp = func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s := open(t, newProxy(t, c), "example.org")
	w := connect(t, s.Addr().String())
	w.send("CONNECT example.org:443 HTTP/1.1\r\n" + basic(t, s) + "Host: x\r\n\r\n")
	if r, body := w.response("CONNECT"); r.StatusCode != 504 {
		t.Errorf("got %s, %q", r.Status, body)
	}
}

// This machine's own addresses are refused like loopback, though nobody has told the session of
// them.
func TestOwnAddresses(t *testing.T) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var own string
	for _, a := range all {
		if ip := a.(*net.IPNet).IP; ip.IsGlobalUnicast() {
			own = ip.String()
		}
	}
	if own == "" {
		t.Skip("this machine has no address but loopback")
	}
	n := newInternet(t)
	n.name("me.example.org", own)
	l := list(t, "me.example.org")
	l.Own = []netip.Addr{netip.MustParseAddr("8.8.8.8")}
	n.name("outside.example.org", "8.8.8.8")
	l.Rules = append(l.Rules, list(t, "outside.example.org").Rules...)
	reasons := make(chan egress.Reason, 1)
	s, err := newProxy(t, n.config()).Open(l, func(r *egress.Refusal) { reasons <- r.Reason })
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"me.example.org", "outside.example.org"} {
		w := connect(t, s.Addr().String())
		if reply := w.socks(s, host, 80, ""); reply != 2 {
			t.Errorf("%s: got the reply %d", host, reply)
		}
		if got := <-reasons; got != egress.ReasonOwn {
			t.Errorf("%s: got %q", host, got)
		}
	}
	if _, dialled := n.seen(); len(dialled) > 0 {
		t.Errorf("dialled %v", dialled)
	}
}

// No session is reached through another, nor through itself, whatever is listed.
func TestNoLoop(t *testing.T) {
	n := newInternet(t)
	p := newProxy(t, n.config())
	first := open(t, p)
	s := open(t, p, fmt.Sprintf("localhost:%d", first.Addr().Port()), fmt.Sprintf("127.0.0.0/8:%d", first.Addr().Port()))
	for _, host := range []string{"localhost", "127.0.0.1", "::ffff:127.0.0.1"} {
		w := connect(t, s.Addr().String())
		reply := w.socks(s, host, first.Addr().Port(), "")
		if host == "localhost" && reply == 1 {
			continue // ::1, where the test has no server
		}
		if reply != 2 {
			t.Errorf("%s: got the reply %d", host, reply)
		}
	}
	if _, dialled := n.seen(); slices.Contains(dialled, first.Addr()) {
		t.Errorf("dialled %v", dialled)
	}
}

// What localhost is does not depend on a resolver.
func TestLocalhost(t *testing.T) {
	n := newInternet(t)
	n.server("127.0.0.1:5432", listen(t, echo))
	s := open(t, newProxy(t, n.config()), "localhost:5432")
	w := connect(t, s.Addr().String())
	w.tunnel(s, "localhost:5432", "x")
	w.expect("x")
	if asked, dialled := n.seen(); len(asked) > 0 || !slices.Equal(dialled, addrPorts("127.0.0.1:5432")) {
		t.Errorf("looked up %v, dialled %v", asked, dialled)
	}
}
