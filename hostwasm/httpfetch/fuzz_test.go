package httpfetch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// A said is one side of a connection that has said all it will.
type said struct {
	io.Reader
	got bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) { return s.got.Write(b) }
func (s *said) Close() error                { return nil }

// A server is a connection to one.
type server struct {
	said
	net.Conn // for the methods that nobody calls
}

func (s *server) Read(b []byte) (int, error)  { return s.said.Read(b) }
func (s *server) Write(b []byte) (int, error) { return len(b), nil }
func (s *server) Close() error                { return nil }
func (s *server) SetDeadline(time.Time) error { return nil }

// FuzzFetch has guests and servers say anything. The answer is a row of frames as ABI.md has it,
// and what is dialled is what the request names.
func FuzzFetch(f *testing.F) {
	for _, sent := range []string{
		get("http://a.example/x"), get("https://a.example"), get("http://[::1]:0/"), get("http://a:99999/"), get("http://a\x00/"),
		frame(1, "PUT http://a.example/\nHost: b\nConnection: close\nContent-Length: 3") + frame(2, "abc") + frame(3, ""),
		frame(1, "PUT http://a.example/") + frame(2, "a") + frame(2, "") + "\x03\x00", frame(1, "GET"), frame(7, ""), frame(1, "")[:6],
	} {
		for _, answer := range []string{
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
			"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 301 \r\nLocation: x\r\n\r\n", "HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "no", "",
		} {
			f.Add([]byte(sent), []byte(answer))
		}
	}
	f.Fuzz(func(t *testing.T, sent, answer []byte) {
		f := httpfetch.New(httpfetch.Config{
			Dial: func(_ context.Context, host string, port uint16) (net.Conn, error) {
				if host == "" || port == 0 {
					t.Errorf("dialled %q, port %d", host, port)
				}
				return &server{said: said{Reader: bytes.NewReader(answer)}}, nil
			},
			MaxReceived: 1 << 16, Idle: 10 * time.Second, Whole: 10 * time.Second,
		})
		exchange := &said{Reader: bytes.NewReader(sent)}
		f.Fetch(t.Context(), exchange)
		last, n := uint32(0), 0
		for rest := exchange.got.Bytes(); len(rest) > 0; n++ {
			if len(rest) < 8 || int(binary.LittleEndian.Uint32(rest[4:])) > len(rest)-8 {
				t.Fatalf("got a frame that is cut: %q", rest)
			}
			kind, size := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
			text := rest[8:][:size]
			rest = rest[8+size:]
			switch {
			case kind == 1 && n > 0, kind == 2 && n == 0, kind == 3 && n == 0, kind == 0, kind > 4, last > 2:
				t.Fatalf("got the frame %d behind %d", kind, last)
			case kind == 4 && (size < 4 || size > 8<<10 || bytes.ContainsAny(text[4:], "\n\r\x00")):
				t.Fatalf("got the error %q", text)
			}
			last = kind
		}
		if last < 3 {
			t.Errorf("got no end but %d, %d frames", last, n)
		}
	})
}
