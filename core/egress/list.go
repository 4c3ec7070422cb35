package egress

import (
	"net/netip"
	"slices"
	"strings"
)

// NoProxy is what NO_PROXY should be for a command whose other connections go through a proxy that
// asks a List. No rule changes it. What is listed still goes through the proxy, which knows the
// name; loopback goes direct, as a proxy can't tell the command's own servers from others, and
// whoever decides on connect(2) can. Python's urllib knows ::1 only in brackets.
const NoProxy = "localhost,127.0.0.1,::1,[::1]"

// A List decides by its rules. The zero value refuses everything. It may be used by several
// goroutines as long as its fields stay the same.
type List struct {
	Rules []Rule
	// Own are the addresses of this machine's interfaces.
	Own []netip.Addr
}

// A Target is a host and a port that List.Host has let pass. The zero value is none.
type Target struct {
	name  string // clean; empty if an address was asked for
	known []netip.Addr
	port  uint16
}

// Name returns the name to look up: lower case, no dot at the end. It is empty if the target is an
// address.
func (t Target) Name() string { return t.name }

// Known returns the addresses of a target that must not be looked up: an address is its own, and
// localhost has those of loopback that rules list. Otherwise it is nil.
func (t Target) Known() []netip.Addr { return t.known }

// Port returns the port to connect to.
func (t Target) Port() uint16 { return t.port }

// Host decides on what a command asks for, before anything is looked up. A host is a name or an
// address; IPv6 may be in brackets, as in a URL. An error is a *Refusal.
//
// A target's Known addresses, or those that its Name leads to, then go through Address.
func (l *List) Host(host string, port uint16) (Target, error) {
	if port == 0 {
		return Target{}, refuseText(host, port, malformed("it has the port 0"))
	}
	a, isAddr, wrong := parseLiteral(host)
	if isAddr {
		if err := l.Direct(netip.AddrPortFrom(a, port)); err != nil {
			return Target{}, err
		}
		return Target{known: []netip.Addr{a}, port: port}, nil
	}
	name := ""
	if wrong == (fault{}) {
		name, wrong = clean(host)
	}
	if wrong != (fault{}) {
		return Target{}, refuseText(host, port, wrong)
	}
	t := Target{name: name, port: port}
	if isLocal(name) {
		return l.local(t)
	}
	reason := ReasonNotListed
	for _, r := range l.Rules {
		switch {
		case !r.names(name):
		case r.covers(port):
			return t, nil
		default:
			reason = ReasonOtherPort
		}
	}
	return Target{}, refuseName(name, port, reason)
}

// parseLiteral reads a host that is an address. If it can be neither an address nor a name, it
// says why.
func parseLiteral(host string) (a netip.Addr, ok bool, wrong fault) {
	text := host
	if len(host) > maxName+len("[]") {
		return a, false, malformed("it is longer than any name")
	}
	if inside, cut := strings.CutPrefix(host, "["); cut {
		if text, cut = strings.CutSuffix(inside, "]"); !cut || !strings.Contains(text, ":") {
			return a, false, malformed("it has brackets, which are for IPv6 addresses only")
		}
	}
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil && strings.Contains(text, ":"):
		return a, false, malformed("it has a ':' and is no IPv6 address")
	case err != nil:
		return a, false, fault{}
	case a.Zone() != "":
		return a, false, malformed("it has a zone: leave out all from the '%' on")
	}
	return a.Unmap(), true, fault{}
}

// local decides on localhost, and the names below it, by the addresses that they have.
func (l *List) local(t Target) (Target, error) {
	for _, a := range []netip.Addr{loopback4, netip.IPv6Loopback()} {
		if reason, _ := l.judge(a, t.port, false); reason == "" {
			t.known = append(t.known, a)
		}
	}
	if t.known == nil {
		return Target{}, refuseAddr(t.name, loopback4, t.port, ReasonLoopback, loopback4)
	}
	return t, nil
}

// Address decides on an address that a target's name leads to, and returns what to dial. An error
// is a *Refusal; then other addresses of the name may still be allowed.
func (l *List) Address(t Target, a netip.Addr) (netip.AddrPort, error) {
	if t.port == 0 || !a.IsValid() {
		return netip.AddrPort{}, refuseText(t.name, t.port, malformed("it leads to no address"))
	}
	a = a.Unmap()
	if reason, form := l.judge(a.WithZone(""), t.port, t.known == nil); reason != "" {
		return netip.AddrPort{}, refuseAddr(t.name, a, t.port, reason, form)
	}
	return netip.AddrPortFrom(a, t.port), nil
}

// Direct decides on a connection for which nobody gave a name, as connect(2) asks for it: rules
// that have names don't count. An error is a *Refusal.
func (l *List) Direct(to netip.AddrPort) error {
	if !to.Addr().IsValid() || to.Port() == 0 {
		return refuseText(to.Addr().String(), to.Port(), malformed("it is no address and port"))
	}
	a := to.Addr().Unmap().WithZone("")
	if reason, form := l.judge(a, to.Port(), false); reason != "" {
		return refuseAddr("", a, to.Port(), reason, form)
	}
	return nil
}

// judge returns why an address is refused, and which of its forms is. A public one is allowed if a
// name led to it.
func (l *List) judge(a netip.Addr, port uint16, named bool) (Reason, netip.Addr) {
	listed, unlisted := -1, ReasonNotListed // listed is the length of the narrowest rule's prefix
	for _, r := range l.Rules {
		if bits := r.lists(a); bits >= 0 && r.covers(port) {
			listed = max(listed, bits)
		} else if bits >= 0 {
			unlisted = ReasonOtherPort
		}
	}
	f, n := forms(a)
	// What an address carries says more than what it is. What no rule can list comes first, as
	// the person is told of a rule for the rest.
	for _, form := range slices.Backward(f[:n]) {
		if b := blockOf(form.addr); b.reason.never() {
			return b.reason, form.addr
		}
	}
	for _, form := range slices.Backward(f[:n]) {
		b := blockOf(form.addr)
		// The ranges and the rules that hold a are prefixes of it: the longer lies within the
		// other.
		switch {
		case b.reason != ReasonLoopback && listed < form.before+form.addr.BitLen() && l.owns(form.addr):
			return ReasonOwn, form.addr
		case b.reason != public && listed < form.before+b.prefix.Bits():
			return b.reason, form.addr
		}
	}
	if !named && listed < 0 {
		return unlisted, a
	}
	return "", a
}

func (l *List) owns(a netip.Addr) bool {
	for _, own := range l.Own {
		if own.Unmap().WithZone("") == a {
			return true
		}
	}
	return false
}
