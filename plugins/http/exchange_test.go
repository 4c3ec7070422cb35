package http

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// A host answers a request as a host of hostwasm's would; TestHTTP there has the real one.
type host struct {
	t    *testing.T
	conn net.Conn
}

// do starts a request, and has answer be its host.
func do(t *testing.T, ctx context.Context, r *Request, answer func(h host)) (*Response, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() { // ends with answer
		defer close(done)
		defer theirs.Close()
		answer(host{t, theirs})
	}()
	t.Cleanup(func() {
		ours.Close()
		<-done
	})
	return exchange(ctx, ours, r)
}

func (h host) send(kind uint32, text string) {
	_, _ = h.conn.Write(append(appendFrame(nil, kind, len(text)), text...))
}

// receive returns the next frame, and its kind or 0.
func (h host) receive() (kind uint32, text string) {
	kind, size, err := readFrame(h.conn)
	if err != nil {
		return 0, ""
	}
	if text, err = readText(h.conn, size, maxHead); err != nil {
		return 0, ""
	}
	return kind, text
}

func TestExchange(t *testing.T) {
	r := &Request{Method: "PUT", URL: "http://a.example/x", Body: iotest.OneByteReader(strings.NewReader("abc")), Header: []Field{{"A", "b"}}}
	var head, body string
	response, err := do(t, t.Context(), r, func(h host) {
		_, head = h.receive()
		for {
			kind, text := h.receive()
			if kind != frameData {
				break
			}
			body += text
		}
		h.send(frameHead, "201 Made it\nX-A: 1\nX-A: 2\nEmpty: ")
		h.send(frameData, "one,")
		h.send(frameData, "")
		h.send(frameData, "two")
		h.send(frameEnd, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err != nil || string(got) != "one,two" {
		t.Errorf("got %q, %v", got, err)
	}
	if head != "PUT http://a.example/x\nA: b" || body != "abc" {
		t.Errorf("sent %q and %q", head, body)
	}
	if response.Status != 201 || response.Reason != "Made it" || response.Get("x-a") != "1" || len(response.Header) != 3 {
		t.Errorf("got %+v", response)
	}
}

func TestLength(t *testing.T) {
	for _, test := range []struct {
		request Request
		want    string
	}{
		{Request{URL: "http://a/"}, "GET http://a/\nContent-Length: 0"},
		{Request{URL: "http://a/", Body: strings.NewReader("abc"), Length: 3}, "GET http://a/\nContent-Length: 3"},
		{Request{URL: "http://a/", Body: strings.NewReader(""), Header: []Field{{"content-length", "7"}}}, "GET http://a/"},
	} {
		head, err := test.request.head()
		if err != nil || string(head[frameSize:]) != test.want {
			t.Errorf("got %q, %v, want %q", head, err, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	refusal := string(binary.LittleEndian.AppendUint32(nil, uint32(Refused))) + "not that one"
	for name, test := range map[string]struct {
		answer func(h host)
		want   string
	}{
		"refused":         {func(h host) { h.send(frameError, refusal) }, "not that one"},
		"gone":            {func(host) {}, "unexpected EOF"},
		"cut":             {func(h host) { h.send(frameHead, "200 OK"); h.send(frameData, "a") }, "unexpected EOF"},
		"cut in a frame":  {func(h host) { _, _ = h.conn.Write(appendFrame(nil, frameHead, 9)) }, "unexpected EOF"},
		"error in a body": {func(h host) { h.send(frameHead, "200 OK"); h.send(frameError, refusal) }, "not that one"},
		"a large header":  {func(h host) { _, _ = h.conn.Write(appendFrame(nil, frameHead, 1<<30)) }, "http: the host sends a frame of 1073741824 bytes"},
		"no error":        {func(h host) { h.send(frameError, "ab") }, "unexpected EOF"},
		"no status":       {func(h host) { h.send(frameHead, "OK") }, `http: the host sends the status "OK"`},
		"nonsense":        {func(h host) { h.send(77, "") }, "http: the host sends a frame that means nothing here"},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := do(t, t.Context(), &Request{URL: "http://a/"}, func(h host) {
				h.receive()
				test.answer(h)
			})
			if err == nil {
				_, err = io.ReadAll(response.Body)
			}
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// TestEnded is why a request ends that its own side ends.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	response, err := do(t, ctx, &Request{URL: "http://a/"}, func(h host) {
		h.receive()
		h.send(frameHead, "200 OK")
		h.receive() // until it is closed
	})
	if err != nil {
		t.Fatal(err)
	}
	cancel(why)
	if _, err := io.ReadAll(response.Body); err != why {
		t.Errorf("got %v, want %v", err, why)
	}
	_, err = do(t, t.Context(), &Request{URL: "http://a/", Body: iotest.ErrReader(why)}, func(h host) {
		h.receive()
		h.receive()
	})
	if err != why {
		t.Errorf("a body that can't be read: got %v, want %v", err, why)
	}
	for _, r := range []*Request{{URL: "http://a b/"}, {URL: "http://a/\nX: y"}, {URL: "http://a/", Header: []Field{{"A", "b\nC: d"}}}, {URL: "http://a/", Header: []Field{{"A: b", "c"}}}} {
		_, err := do(t, t.Context(), r, func(h host) { h.receive() })
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != Invalid {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

func TestUnsupported(t *testing.T) {
	if _, err := Do(t.Context(), &Request{URL: "http://a/"}); Supported() || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
