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

	ReasonLoopback  Reason = "loopback"
	ReasonOwn       Reason = "own"
	ReasonLinkLocal Reason = "link_local"
	ReasonMetadata  Reason = "metadata"
	ReasonPrivate   Reason = "private"
	ReasonShared    Reason = "shared"
	ReasonReserved  Reason = "reserved"

	// What the address is, where no rule can list it.

	ReasonUnspecified Reason = "unspecified"
	ReasonMulticast   Reason = "multicast"
	ReasonBroadcast   Reason = "broadcast"
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
