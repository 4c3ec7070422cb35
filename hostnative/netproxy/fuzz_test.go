package netproxy

import (
	"bytes"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// FuzzSOCKS sends anything. Without the password there is no request; with it there is the same one
// however the bytes come, and what it asks for can be decided on and told.
func FuzzSOCKS(f *testing.F) {
	hello := "\x05\x01\x02\x01\x09terrarium\x06secret"
	for _, seed := range []string{
		"", hello, hello + "\x05\x01\x00\x01\x08\x08\x08\x08\x01\xbb", hello + "\x05\x01\x00\x03\x0bexample.org\x01\xbbearly",
		hello + "\x05\x01\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x7f\x00\x00\x01\x00\x50",
		hello + "\x05\x02\x00\x01\x08\x08\x08\x08\x01\xbb", hello + "\x05\x01\x00\x09", "\x05\x00", "\x05\x02\x00\x02\x01\x00\x00",
		hello + "\x05\x01\x00\x03\x00\x01\xbb", "\x05\xff", "\x04\x01\x01\xbb\x00\x00\x00\x01\x00",
	} {
		f.Add([]byte(seed))
	}
	s := &Session{password: "secret"}
	f.Fuzz(func(t *testing.T, sent []byte) {
		var answer, slow bytes.Buffer
		r := bytes.NewReader(sent)
		host, port, err := s.negotiate(r, &answer)
		host2, port2, err2 := s.negotiate(iotest.OneByteReader(bytes.NewReader(sent)), &slow)
		if host != host2 || port != port2 || (err == nil) != (err2 == nil) || answer.String() != slow.String() {
			t.Errorf("got %q, %d, %v and %q at once; %q, %d, %v and %q byte by byte", host, port, err, answer.String(), host2, port2, err2, slow.String())
		}
		if answer.Len() > 4 {
			t.Errorf("answered %q", answer.String())
		}
		if err != nil {
			return
		}
		if !bytes.Contains(sent, []byte("\x09terrarium\x06secret")) || answer.String() != "\x05\x02\x01\x00" {
			t.Errorf("a request without the password: %q, %q", sent, answer.String())
		}
		var list egress.List
		if _, err := list.Host(host, port); err == nil || strings.Trim(oneLine(err.Error()), "\x00") != err.Error() {
			t.Errorf("%q: %v", host, err)
		}
	})
}

// FuzzRelay answers a relay with anything. It never reads more than it should of a header, and what
// it tells is one line.
func FuzzRelay(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 Connection established\r\n\r\nSSH-2.0-x\r\n", "HTTP/1.1 403 Forbidden: x\r\nContent-Length: 4\r\n\r\nwhy\n",
		"HTTP/1.1 407 x\r\n\r\n", "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "SSH-2.0-x\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nbehind", "HTTP/1.1 101 \r\n\r\n", "\x1b[2J", strings.Repeat("J", 3000), "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		in := bytes.NewReader(sent)
		r, err := readTunnel(in)
		if err != nil {
			text := err.Error()
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || len(text) > 2*maxAnswer {
				t.Errorf("told %q", text)
			}
			if read := len(sent) - in.Len(); read > maxHeader {
				t.Errorf("read %d bytes", read)
			}
			return
		}
		rest, err := io.ReadAll(r)
		if err != nil || !bytes.HasSuffix(sent, rest) {
			t.Errorf("read %q, %v, which is not how %q ends", rest, err, sent)
		}
		head, _, _ := bytes.Cut(sent, []byte("\n\r\n"))
		if cut := len(sent) - len(rest); cut < len(head) && !bytes.Contains(sent[:cut], []byte("\n\n")) {
			t.Errorf("read %q as the tunnel's of %q", rest, sent)
		}
	})
}

func FuzzAuthority(f *testing.F) {
	for _, seed := range []string{"example.org:443", "[::1]:80", "::1:80", "a:0", "a:65536", ":1", "[a]:1", "a:+1", "a:01"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, port, ok := splitAuthority(text)
		if !ok {
			return
		}
		if port == 0 || !strings.Contains(text, host) {
			t.Errorf("%q: got %q, %d", text, host, port)
		}
		if a, err := netip.ParseAddrPort(text); err == nil && (a.Port() != port || a.Addr().String() != netip.MustParseAddr(host).String()) {
			t.Errorf("%q: got %q, %d, want %s", text, host, port, a)
		}
	})
}
