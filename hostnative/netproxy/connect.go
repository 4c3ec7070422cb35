package netproxy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// connect connects to what a command asks for, if the list allows it. An error is a
// *egress.Refusal, a *lookUpError, a *dialError or that of ctx.
func (s *Session) connect(ctx context.Context, host string, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.proxy.config.ConnectTimeout)
	defer cancel()
	to, err := s.decide(ctx, host, port)
	if refusal, ok := errors.AsType[*egress.Refusal](err); ok && s.refused != nil {
		s.refused(refusal)
	}
	if err != nil {
		return nil, err
	}
	return s.dial(ctx, to)
}

// Dialer returns what connects to the hosts of a list without a proxy in between, for
// a program that itself does something for commands. Its errors are a *egress.Refusal,
// which refused is told of if it is not nil; one that wraps a *net.DNSError where the
// name could not be looked up; or those of the addresses that were tried. No list
// makes it connect to sessions' ports.
func (p *Proxy) Dialer(list egress.List, refused func(*egress.Refusal)) func(ctx context.Context, host string, port uint16) (net.Conn, error) {
	return (&Session{proxy: p, list: list, refused: refused}).connect
}

// decide returns the addresses that may be dialled, of which there is at least one. It is the only
// function that looks up a name, and does so at most once.
func (s *Session) decide(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	own, err := s.proxy.own.get()
	if err != nil {
		return nil, err
	}
	list := egress.List{Rules: s.list.Rules, Own: slices.Concat(s.list.Own, own)}
	target, err := list.Host(host, port)
	if err != nil {
		return nil, err
	}
	found := target.Known()
	if found == nil {
		found, err = s.proxy.config.LookUp(ctx, target.Name())
		if err == nil && len(found) == 0 {
			err = &net.DNSError{Err: "it has no address", Name: target.Name(), IsNotFound: true}
		}
		if err != nil {
			return nil, &lookUpError{target.Name(), err}
		}
	}
	var allowed []netip.AddrPort
	var refusal error // the first; what else is refused doesn't matter if something is allowed
	for _, a := range found {
		to, err := list.Address(target, a)
		if err == nil && s.proxy.isOurs(to) {
			// A command that names our port would talk to itself, and each round take a connection.
			err = &egress.Refusal{Reason: egress.ReasonOwn, Host: a.String(), Port: port, Addr: a}
		}
		switch {
		case err == nil:
			allowed = append(allowed, to)
		case refusal == nil:
			refusal = err
		}
	}
	if allowed == nil {
		return nil, refusal
	}
	return allowed, nil
}

// dial connects to the first address that answers.
func (s *Session) dial(ctx context.Context, addrs []netip.AddrPort) (net.Conn, error) {
	failed := &dialError{}
	for _, to := range addrs {
		conn, err := s.dialOne(ctx, to)
		if err == nil {
			return conn, nil
		}
		failed.add(to, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

func (s *Session) dialOne(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.proxy.config.DialTimeout)
	defer cancel()
	return s.proxy.config.Dial(ctx, to)
}

// A lookUpError says why a name leads nowhere.
type lookUpError struct {
	name string
	err  error
}

func (e *lookUpError) Error() string {
	err := e.err
	// What the resolver says has the name and the resolver's address: of this the command needs
	// nothing.
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "look up " + e.name + ": " + dns.Err
	}
	return "look up " + e.name + ": " + err.Error()
}

func (e *lookUpError) Unwrap() error { return e.err }

// A dialError says why no address of a host answers.
type dialError struct {
	errs []error // of the addresses, in the order in which they were tried
	text string
}

// maxTold is how many addresses an error names.
const maxTold = 4

func (e *dialError) add(to netip.AddrPort, err error) {
	e.errs = append(e.errs, err)
	switch n := len(e.errs); {
	case n > maxTold+1:
		return
	case n > maxTold:
		e.text += ", and others"
		return
	case n > 1:
		e.text += ", "
	}
	e.text += to.String() + ": " + cause(err)
}

// cause is what an error says without what net puts around it.
func cause(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && !op.Timeout() {
		err = op.Err
		for u := errors.Unwrap(err); u != nil; u = errors.Unwrap(err) {
			err = u
		}
	}
	if isTimeout(err) {
		return "no answer in time"
	}
	return err.Error()
}

func (e *dialError) Error() string { return "connect to " + e.text }

func (e *dialError) Unwrap() []error { return e.errs }

// isTimeout reports whether something took too long.
func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

// splitAuthority reads a host and a port, as in a request for CONNECT (RFC 9112, 3.2.3). The host
// may still be anything.
func splitAuthority(text string) (host string, port uint16, ok bool) {
	host, number, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0, false
	}
	port, ok = parsePort(number)
	return host, port, ok
}

func parsePort(text string) (port uint16, ok bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil { // then n may be the largest there is
		return 0, false
	}
	return uint16(n), n != 0
}
