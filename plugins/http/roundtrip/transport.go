// Package roundtrip has an http.RoundTripper over package plugins/http, for
// commands that link net/http: with it an http.Client works in the sandbox.
//
//	client := &http.Client{Transport: roundtrip.Transport{}}
package roundtrip

import (
	"fmt"
	"net/http"
	"strconv"

	guest "github.com/terrarium-dev/terrarium/plugins/http"
)

// A Transport fetches by the host: see plugins/http. The zero value is ready. It is
// safe for concurrent use. There are no HTTP trailers, no upgrades and no 1xx
// responses.
type Transport struct{}

var _ http.RoundTripper = Transport{}

// RoundTrip implements http.RoundTripper. Its errors are those of plugins/http's Do.
func (Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	request := &guest.Request{Method: r.Method, URL: r.URL.String()}
	if r.Host != "" && r.Host != r.URL.Host {
		request.Header = append(request.Header, guest.Field{Name: "Host", Value: r.Host})
	}
	for name, values := range r.Header {
		for _, value := range values {
			request.Header = append(request.Header, guest.Field{Name: name, Value: value})
		}
	}
	if r.Body != nil {
		defer r.Body.Close()
	}
	if r.Body != nil && r.Body != http.NoBody {
		request.Body, request.Length = r.Body, max(r.ContentLength, 0)
	}
	response, err := guest.Do(r.Context(), request)
	if err != nil {
		return nil, err
	}
	return answer(r, response), nil
}

// answer returns what net/http makes of a response.
func answer(r *http.Request, from *guest.Response) *http.Response {
	response := &http.Response{
		Status:     fmt.Sprintf("%d %s", from.Status, from.Reason),
		StatusCode: from.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{},
		Body:   from.Body, ContentLength: -1,
		Request: r,
	}
	for _, f := range from.Header {
		response.Header.Add(f.Name, f.Value)
	}
	if n, err := strconv.ParseInt(response.Header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		response.ContentLength = n
	}
	return response
}
