package netproxy_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative/netproxy"
)

// Without the session's own password nothing happens, whatever is asked for.
func TestPassword(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	p := newProxy(t, n.config())
	s, other, gone := open(t, p, "example.org"), open(t, p, "example.org"), open(t, p, "example.org")
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	right := proxyURL(t, s).User
	password, _ := right.Password()
	field := func(scheme, value string) string { return "Proxy-Authorization: " + scheme + " " + value + "\r\n" }
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, head := range map[string]string{
		"none":                "",
		"another session's":   basic(t, other),
		"a closed session's":  basic(t, gone),
		"as if for a server":  strings.TrimPrefix(basic(t, s), "Proxy-"),
		"empty":               field("Basic", ""),
		"no password":         field("Basic", encode(right.Username())),
		"empty password":      field("Basic", encode(right.Username()+":")),
		"a part":              field("Basic", encode(right.Username()+":"+password[:31])),
		"more":                field("Basic", encode(right.String()+"x")),
		"in another place":    field("Basic", encode(password+":"+right.Username())),
		"moved colon":         field("Basic", encode(strings.Replace(right.String(), ":", "", 1))),
		"upper case":          field("Basic", encode(right.Username()+":"+strings.ToUpper(password)+"A")),
		"another user":        field("Basic", encode("root:"+password)),
		"not base64":          field("Basic", right.String()),
		"another scheme":      field("Bearer", password),
		"the right one later": field("Basic", encode("x:y")) + basic(t, s),
	} {
		for _, request := range []string{
			"CONNECT example.org:443 HTTP/1.1\r\n", "GET http://example.org/ HTTP/1.1\r\n", "OPTIONS * HTTP/1.1\r\n", "GET / HTTP/1.1\r\n",
		} {
			w := connect(t, s.Addr().String())
			w.send(request + "Host: example.org\r\n" + head + "\r\n")
			r, body := w.response("GET")
			if r.StatusCode != 407 || r.Header.Get("Proxy-Authenticate") != `Basic realm="terrarium"` {
				t.Errorf("%s: %q: got %s, %q", name, request, r.Status, r.Header)
			}
			if strings.Contains(body, password) {
				t.Errorf("%s: the answer has the password: %q", name, body)
			}
		}
	}
	for name, sent := range map[string]struct{ hello, answer string }{
		"no methods":       {"\x05\x00", "\x05\xff"},
		"no password":      {"\x05\x01\x00", "\x05\xff"},
		"others":           {"\x05\x03\x00\x01\x80", "\x05\xff"},
		"wrong":            {"\x05\x01\x02\x01" + counted("terrarium") + counted("x"), "\x05\x02\x01\x01"},
		"empty":            {"\x05\x01\x02\x01\x00\x00", "\x05\x02\x01\x01"},
		"another's":        {greeting(t, other), "\x05\x02\x01\x01"},
		"a closed one's":   {greeting(t, gone), "\x05\x02\x01\x01"},
		"another version":  {"\x05\x01\x02\x05" + counted("terrarium") + counted(password), "\x05\x02"},
		"request too soon": {"\x05\x01\x02" + request("example.org", 443), "\x05\x02"},
	} {
		w := connect(t, s.Addr().String())
		w.send(sent.hello)
		w.CloseWrite()
		if got := w.rest(); got != sent.answer {
			t.Errorf("SOCKS, %s: got %q, want %q", name, got, sent.answer)
		}
	}
	n.untouched(t)
}

// A client that has been asked for the password may answer on the same connection.
func TestPasswordOnSecondRequest(t *testing.T) {
	n := newInternet(t)
	n.name("example.org", "8.8.8.8")
	n.server("8.8.8.8:443", listen(t, echo))
	s := open(t, newProxy(t, n.config()), "example.org")
	w := connect(t, s.Addr().String())
	w.send("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
	if r, _ := w.response("GET"); r.StatusCode != 407 || r.Close {
		t.Fatalf("got %s, close %v", r.Status, r.Close)
	}
	w.tunnel(s, "example.org:443", "x")
	w.expect("x")
}

func TestPasswordsDiffer(t *testing.T) {
	p := newProxy(t, netproxy.Config{})
	seen := map[string]bool{}
	for range 20 {
		s := open(t, p)
		u, err := url.Parse(variable(t, s, "ALL_PROXY"))
		if err != nil {
			t.Fatal(err)
		}
		password, _ := u.User.Password()
		if len(password) < 128/6 || seen[password] {
			t.Errorf("got the password %q", password)
		}
		seen[password] = true
		if !s.Addr().Addr().IsLoopback() {
			t.Errorf("listens at %s", s.Addr())
		}
	}
}
