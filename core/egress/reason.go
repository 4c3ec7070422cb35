package egress

// A Reason is a stable word for why a connection was refused.
type Reason string

const (
	// ReasonMalformed: the host is neither a name nor an address.
	ReasonMalformed Reason = "malformed"
	// ReasonAmbiguous: the host is a name that some programs read as an address: "0x7f.1".
	ReasonAmbiguous Reason = "ambiguous"
	// ReasonNotListed: no rule names the host.
	ReasonNotListed Reason = "not_listed"
	// ReasonOtherPort: rules name the host, with other ports.
	ReasonOtherPort Reason = "other_port"

	// What the address is, where no rule lists it.

	ReasonLoopback  Reason = "loopback"   // this machine: 127.0.0.0/8, ::1, localhost
	ReasonOwn       Reason = "own"        // another address of this machine: see List.Own
	ReasonLinkLocal Reason = "link_local" // the next cable only: 169.254.0.0/16, fe80::/10
	ReasonMetadata  Reason = "metadata"   // where clouds hand out credentials: 169.254.169.254
	ReasonPrivate   Reason = "private"    // a private network: RFC 1918, fc00::/7, fec0::/10
	ReasonShared    Reason = "shared"     // carriers and overlay networks: 100.64.0.0/10
	ReasonReserved  Reason = "reserved"   // no host of the internet: for documentation, say

	// What the address is, where no rule can list it.

	ReasonUnspecified Reason = "unspecified" // 0.0.0.0 and ::, which is this machine to Linux
	ReasonMulticast   Reason = "multicast"   // many hosts at once: 224.0.0.0/4, ff00::/8
	ReasonBroadcast   Reason = "broadcast"   // all hosts of the network: 255.255.255.255
)

// public is the reason of addresses that any name may lead to.
const public Reason = ""

// never reports whether no rule lists addresses that are refused for r.
func (r Reason) never() bool {
	return r == ReasonUnspecified || r == ReasonMulticast || r == ReasonBroadcast
}

// what ends a sentence that begins with "it is", or with an address.
func (r Reason) what() string {
	switch r {
	case ReasonNotListed:
		return "listed by no rule"
	case ReasonOtherPort:
		return "listed with other ports only"
	case ReasonLoopback:
		return "a loopback address"
	case ReasonOwn:
		return "an address of this machine"
	case ReasonLinkLocal:
		return "a link-local address"
	case ReasonMetadata:
		return "an address where clouds hand out credentials"
	case ReasonPrivate:
		return "a private address"
	case ReasonShared:
		return "an address shared by carriers and overlay networks"
	case ReasonUnspecified:
		return "the unspecified address"
	case ReasonMulticast:
		return "a multicast address"
	case ReasonBroadcast:
		return "the broadcast address"
	}
	return "a reserved address"
}
