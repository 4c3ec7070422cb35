package httpfetch

import (
	"cmp"
	"context"
	"crypto/x509"
	"net"
	"time"
)

// A Config says how a Fetcher fetches. Only Dial is needed.
type Config struct {
	// Dial connects to a host, if commands may reach it: it decides and looks up the
	// name. The error that it refuses with is an *egress.Refusal. It heeds ctx, which
	// has the values of the command's start.
	Dial func(ctx context.Context, host string, port uint16) (net.Conn, error)

	// Done, if not nil, is told of each request when it is over, on any goroutine.
	Done func(ctx context.Context, r Record)

	// Roots are the certificates that servers' are checked by. Nil is the system's.
	Roots *x509.CertPool

	// MaxSent and MaxReceived are the most bytes of a request's body and of a
	// response's. 0 is 1 GiB.
	MaxSent, MaxReceived int64
	// Idle is the longest without a byte in either way, Whole the longest for all of
	// a request. 0 is a minute, and an hour.
	Idle, Whole time.Duration
	// MaxRequests is how many there may be at once, of all commands. 0 is 64.
	MaxRequests int
	// Share, if not nil, says whom a request counts for, given Fetch's ctx: a session,
	// say. Nobody has more of MaxRequests than are left to the others: one alone has
	// half, two have a third each. Without it all are one.
	Share func(ctx context.Context) string
}

func (c Config) withDefaults() Config {
	c.MaxSent = cmp.Or(c.MaxSent, 1<<30)
	c.MaxReceived = cmp.Or(c.MaxReceived, 1<<30)
	c.Idle = cmp.Or(c.Idle, time.Minute)
	c.Whole = cmp.Or(c.Whole, time.Hour)
	c.MaxRequests = cmp.Or(c.MaxRequests, 64)
	return c
}

// A Record is what became of a request.
type Record struct {
	Method string
	// URL is without the query, where secrets are. It is empty where what the guest
	// has sent is none.
	URL string
	// Status is the response's, 0 if none came.
	Status int
	// Sent and Received are how many bytes of bodies went through.
	Sent, Received int64
	Duration       time.Duration
	// Error says why not all went through, for a person: empty if all did.
	Error string
}
