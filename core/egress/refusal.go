package egress

import (
	"net/netip"
	"strconv"
)

// A Refusal is an error that says why a connection is not made.
type Refusal struct {
	Reason Reason
	// Host is what was asked for: a clean name, an address, or, if it is neither, the text, of
	// which only the beginning if it is long.
	Host string
	Port uint16
	// Addr is what is refused, and what Host leads to; not valid if Host is refused by itself.
	Addr netip.Addr
	// Carried is the IPv4 address in Addr for which it is refused; not valid if it is Addr itself.
	Carried netip.Addr
	// Rule is what would allow it after --net; empty if nothing does.
	Rule string

	why string // of what is no host
}

func refuseText(host string, port uint16, wrong fault) *Refusal {
	return &Refusal{Reason: wrong.reason, Host: clip(host), Port: port, why: wrong.why}
}

func refuseName(name string, port uint16, reason Reason) *Refusal {
	return &Refusal{Reason: reason, Host: name, Port: port, Rule: Rule{name: name, port: port}.String()}
}

// refuseAddr refuses a for what form is. Name is empty if none led there.
func refuseAddr(name string, a netip.Addr, port uint16, reason Reason, form netip.Addr) *Refusal {
	a = a.WithZone("")
	r := &Refusal{Reason: reason, Host: name, Port: port, Addr: a}
	if name == "" {
		r.Host = a.String()
	}
	if form != a {
		r.Carried = form
	}
	switch {
	case isLocal(name) && Rule{name: name}.lists(a) >= 0:
		r.Rule = Rule{name: name, port: port}.String()
	case !reason.never():
		r.Rule = Rule{prefix: netip.PrefixFrom(a, a.BitLen()), port: port}.String()
	}
	return r
}

// Error returns a sentence for the person, and what would allow the connection.
func (r *Refusal) Error() string {
	text := r.asked() + " is refused: " + r.because()
	if r.Reason == ReasonUnspecified {
		text += "; this machine's own services are at localhost:" + strconv.Itoa(int(r.Port))
	}
	if r.Rule != "" {
		text += "; to allow it, add --net " + r.Rule
	}
	return text
}

// asked is the host and the port. What is no host may have any bytes, so it is quoted.
func (r *Refusal) asked() string {
	host := r.Host
	switch {
	case r.why != "":
		host = strconv.QuoteToASCII(host)
	case r.direct() && r.Addr.Is6():
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(r.Port))
}

// direct reports whether no name led to the address.
func (r *Refusal) direct() bool { return r.Addr.IsValid() && r.Host == r.Addr.String() }

func (r *Refusal) because() string {
	if r.why != "" {
		return r.why
	}
	what := ", " + r.Reason.what()
	named := r.Addr.IsValid() && !r.direct()
	switch {
	case named && r.Carried.IsValid():
		return "it leads to " + r.Addr.String() + ", which stands for " + r.Carried.String() + what
	case named:
		return "it leads to " + r.Addr.String() + what
	case r.Carried.IsValid():
		return "it stands for " + r.Carried.String() + what
	}
	return "it is " + r.Reason.what()
}
