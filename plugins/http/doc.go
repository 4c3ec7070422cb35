// Package http fetches by HTTP from inside the sandbox, where there are no
// sockets: the host fetches, from the hosts that a person has allowed. It is for
// commands written in Go, the guest's side of terrarium_http_v0
// (hostwasm/ABI.md), and works where GOOS=wasip1 runs in Terrarium; everywhere
// else Do returns errors.ErrUnsupported.
//
//	r, err := http.Do(ctx, &http.Request{URL: "https://example.org/"})
//	if err != nil { … }
//	defer r.Body.Close()
//	_, err = io.Copy(os.Stdout, r.Body)
//
// It does not link net/http, which makes a module 3 MB larger. Whoever has
// net/http anyway finds an http.RoundTripper in package roundtrip.
//
// Redirects are not followed and cookies are not kept: these are the caller's
// business, and each request is asked of the host's rules anew. What is
// compressed stays so. While a goroutine waits for a request the others go on.
package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Request is what to fetch.
type Request struct {
	// Method is in capitals; empty is GET.
	Method string
	// URL begins with "http://" or "https://". It may have no user and no
	// password: those are for the header Authorization.
	URL string
	// Header are the header's fields, in any order. "Host" names the server
	// otherwise than URL does. The host alone sets what is about the connection,
	// such as Connection and Transfer-Encoding, and drops it here. Nothing is
	// added, not even a User-Agent.
	Header []Field
	// Body is what to send, nil for nothing. Do reads it on a goroutine of its
	// own, until it ends or the response's Body is closed, and leaves it open. An
	// error of Body's ends the request.
	Body io.Reader
	// Length is how many bytes Body has; 0 is unknown, where there is a Body.
	Length int64
}

// A Field is one line of a header.
type Field struct{ Name, Value string }

// A Response is what the server has answered, whatever its status is.
type Response struct {
	// Status is the status, from 100 to 999, and Reason the words behind it,
	// which may be missing.
	Status int
	Reason string
	// Header are the header's fields, names in the capitals that net/http gives
	// them, those of one name in the server's order.
	Header []Field
	// Body is never nil. Its error is an *Error, or io.ErrUnexpectedEOF where the
	// host has gone away: only io.EOF says that all has come. To close it ends
	// the request. It is for one goroutine.
	Body io.ReadCloser
}

// Get returns the first field of a name in whatever capitals, or "".
func (r *Response) Get(name string) string {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Supported reports whether anything can be fetched here: whether somebody has
// allowed a host.
func Supported() bool { return supported() }

// Do fetches, and returns when the response's header is there. Where ctx ends,
// so does the request, with its cause, also later, while Body is read. The error
// wraps errors.ErrUnsupported where nothing can be fetched; it is an *Error where
// the host, or the server, does not answer.
func Do(ctx context.Context, r *Request) (*Response, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	stream, err := open()
	if err != nil {
		return nil, err
	}
	return exchange(ctx, stream, r)
}

// errNone is what Do returns where there is nothing to fetch from.
var errNone = fmt.Errorf("http: no host is allowed here: %w", errors.ErrUnsupported)
