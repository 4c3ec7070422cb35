package netproxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// refusedHeader is the header that has an egress.Reason. Only the proxy sets it.
const refusedHeader = "X-Terrarium-Refused"

// An answer is what a command is told when it gets no connection.
type answer struct {
	status int    // of HTTP
	reply  byte   // of SOCKS
	reason string // an egress.Reason; empty if the list has refused nothing
	text   string // a sentence
}

// explain returns the answer for an error of connect or of a round trip.
func explain(err error) answer {
	a := answer{status: http.StatusBadGateway, reply: replyFailure, text: err.Error()}
	refusal, isRefusal := errors.AsType[*egress.Refusal](err)
	_, isLookUp := errors.AsType[*lookUpError](err)
	switch {
	case isRefusal:
		a.status, a.reply, a.reason = http.StatusForbidden, replyNotAllowed, string(refusal.Reason)
		return a
	case isTimeout(err):
		a.status = http.StatusGatewayTimeout
	}
	switch {
	case isLookUp:
		a.reply = replyHostUnreachable
	// One address may be beyond reach, and another refuse: that one has a host behind it.
	case errors.Is(err, syscall.ECONNREFUSED):
		a.reply, a.status = replyConnRefused, http.StatusBadGateway
	case a.status == http.StatusGatewayTimeout:
		a.reply = replyTTLExpired
	case errors.Is(err, syscall.EHOSTUNREACH):
		a.reply = replyHostUnreachable
	case errors.Is(err, syscall.ENETUNREACH):
		a.reply = replyNetUnreachable
	case errors.Is(err, context.Canceled):
		a.text = "the session is over"
	}
	return a
}

// header returns the fields that go with the text.
func (a answer) header() http.Header {
	h := http.Header{}
	h.Set("Content-Type", "text/plain; charset=us-ascii")
	h.Set("X-Content-Type-Options", "nosniff")
	if a.reason != "" {
		h.Set(refusedHeader, a.reason)
	}
	if a.status == http.StatusProxyAuthRequired {
		h.Set("Proxy-Authenticate", `Basic realm="`+user+`"`)
	}
	return h
}

// write answers a request.
func (a answer) write(w http.ResponseWriter) {
	for name, values := range a.header() {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, oneLine(a.text)+"\n")
}

// writeAnswer answers on a connection that no http.Server has, and which ends with it. The text is
// also in the status line, as it is all that clients show of an answer to CONNECT, if they show
// anything.
func writeAnswer(w io.Writer, a answer) error {
	text := oneLine(a.text)
	return (&http.Response{
		Status:        http.StatusText(a.status) + ": " + text,
		StatusCode:    a.status,
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.header(),
		Body:          io.NopCloser(strings.NewReader(text + "\n")),
		ContentLength: int64(len(text) + 1),
		Close:         true,
	}).Write(w)
}

// maxAnswer is longer than any sentence of ours, in bytes.
const maxAnswer = 2000

// oneLine makes text fit into a header, whoever has written it.
func oneLine(text string) string {
	if len(text) > maxAnswer {
		text = text[:maxAnswer] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
