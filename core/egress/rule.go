package egress

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Rule is one thing that may be connected to, as --net names it. The zero value is none. Rules
// that allow the same are equal, but for localhost, which also has other names.
type Rule struct {
	name   string       // clean; empty if prefix is valid
	below  bool         // the names below name, and not itself
	prefix netip.Prefix // masked
	port   uint16       // 0 is the web's
}

// String returns the rule as Parse reads it.
func (r Rule) String() string {
	text := r.name
	switch {
	case r.below:
		text = "*." + text
	case r.prefix.IsSingleIP():
		text = r.prefix.Addr().String()
	case r.prefix.IsValid():
		text = r.prefix.String()
	}
	if r.prefix.Addr().Is6() {
		text = "[" + text + "]"
	}
	if r.port != 0 {
		text += ":" + strconv.Itoa(int(r.port))
	}
	return text
}

// NeedsLookup reports whether the rule names a host whose addresses only a look-up tells: it does
// not allow any connection to an address by itself.
func (r Rule) NeedsLookup() bool { return r.name != "" && !isLocal(r.name) }

// covers reports whether the rule is for the port.
func (r Rule) covers(port uint16) bool {
	return r.port == port || r.port == 0 && (port == 80 || port == 443)
}

// names reports whether the rule is for the clean name, on some port.
func (r Rule) names(name string) bool {
	if r.below {
		before, found := strings.CutSuffix(name, r.name)
		return found && strings.HasSuffix(before, ".")
	}
	return r.name == name
}

// lists returns how long the prefix is by which the rule lists a, on some port, or -1.
func (r Rule) lists(a netip.Addr) int {
	switch {
	case r.prefix.Contains(a):
		return r.prefix.Bits()
	case isLocal(r.name) && (a == loopback4 || a == netip.IPv6Loopback()):
		return a.BitLen()
	}
	return -1
}

var loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
