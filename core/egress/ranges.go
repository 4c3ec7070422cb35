package egress

import (
	"net/netip"
	"strings"
)

// table has what is refused. The narrower range is before the one around it, and the first that
// holds an address decides. What is in none is public.
//
// Sources: the IANA registries of special-purpose addresses (RFC 6890),
// https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry, and of IPv6 address space,
// https://www.iana.org/assignments/ipv6-address-space, of which 2000::/3 is in use (RFC 4291, 2.4).
// What these call reachable within 192.0.0.0/24 and 2001::/23 is for routers, and no server's.
var table = []struct {
	reason   Reason
	prefixes string
}{
	// Where clouds hand out credentials. Most do at 169.254.169.254.
	{ReasonMetadata, "169.254.169.254/32"},
	// Amazon: ECS, EKS, EC2
	{ReasonMetadata, "169.254.170.2/32 169.254.170.23/32 fd00:ec2::254/128 fd00:ec2::23/128"},
	{ReasonMetadata, "168.63.129.16/32"},                          // Azure
	{ReasonMetadata, "fd20:ce::254/128"},                          // Google
	{ReasonMetadata, "192.0.0.192/32 fd00:c1::a9fe:a9fe/128"},     // Oracle
	{ReasonMetadata, "100.100.100.200/32 169.254.0.23/32"},        // Alibaba, Tencent
	{ReasonMetadata, "169.254.42.42/32 fd00:42::42/128"},          // Scaleway
	{ReasonMetadata, "fd00:a9fe:a9fe::1/128 fe80::a9fe:a9fe/128"}, // Linode, OpenStack

	{ReasonUnspecified, "0.0.0.0/32"},                // RFC 1122, 3.2.1.3; 127.0.0.1 to Linux
	{ReasonReserved, "0.0.0.0/8"},                    // "this network": RFC 791, 3.2
	{ReasonPrivate, "10.0.0.0/8 172.16.0.0/12"},      // RFC 1918
	{ReasonPrivate, "192.168.0.0/16"},                // RFC 1918
	{ReasonShared, "100.64.0.0/10"},                  // RFC 6598
	{ReasonLoopback, "127.0.0.0/8"},                  // RFC 1122, 3.2.1.3
	{ReasonLinkLocal, "169.254.0.0/16"},              // RFC 3927
	{ReasonReserved, "192.0.0.0/24"},                 // protocols: RFC 6890
	{ReasonReserved, "192.88.99.0/24"},               // relays of 6to4: RFC 7526
	{ReasonReserved, "192.0.2.0/24 198.51.100.0/24"}, // documentation: RFC 5737
	{ReasonReserved, "203.0.113.0/24"},               // documentation: RFC 5737
	{ReasonReserved, "198.18.0.0/15"},                // benchmarks: RFC 2544
	{ReasonMulticast, "224.0.0.0/4"},                 // RFC 5771
	{ReasonBroadcast, "255.255.255.255/32"},          // RFC 919
	{ReasonReserved, "240.0.0.0/4"},                  // RFC 1112, 4

	{ReasonUnspecified, "::/128"}, // RFC 4291, 2.5.2
	{ReasonLoopback, "::1/128"},   // RFC 4291, 2.5.3
	{public, "64:ff9b::/96"},      // NAT64, see forms: RFC 6052
	{ReasonReserved, "::/8"},      // also IPv4-compatible: RFC 4291, 2.5.5.1
	{ReasonReserved, "100::/8 200::/7 400::/6 800::/5 1000::/4"},
	{public, "2001::/32"},                       // Teredo, see forms: RFC 4380
	{ReasonReserved, "2001::/23"},               // protocols, benchmarks: RFC 2928
	{ReasonReserved, "2001:db8::/32 3fff::/20"}, // documentation: RFC 3849, RFC 9637
	{ReasonReserved, "4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 f800::/6 fe00::/9"},
	{ReasonPrivate, "fc00::/7"},    // RFC 4193
	{ReasonPrivate, "fec0::/10"},   // site-local: RFC 3879
	{ReasonLinkLocal, "fe80::/10"}, // RFC 4291, 2.5.6
	{ReasonMulticast, "ff00::/8"},  // RFC 4291, 2.7
}

// A block is one range of table.
type block struct {
	prefix netip.Prefix
	reason Reason
}

var blocks = parseTable()

func parseTable() (all []block) {
	for _, row := range table {
		for text := range strings.FieldsSeq(row.prefixes) {
			all = append(all, block{netip.MustParsePrefix(text), row.reason})
		}
	}
	return all
}

// blockOf returns the block that a is in. It has no reason if a is public.
func blockOf(a netip.Addr) block {
	for _, b := range blocks {
		if b.prefix.Contains(a) {
			return b
		}
	}
	return block{}
}

var (
	compatible = netip.MustParsePrefix("::/96")
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	teredo     = netip.MustParsePrefix("2001::/32")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

// A form is one reading of an address: the address itself, or an IPv4 address that it carries after
// so many bits.
type form struct {
	addr   netip.Addr
	before int
}

// forms returns the n readings of a, which is not IPv4-mapped and has no zone; the first is a.
func forms(a netip.Addr) (f [3]form, n int) {
	f[0] = form{addr: a}
	if a.Is4() {
		return f, 1
	}
	b := a.As16()
	carried := func(i int) form { return form{netip.AddrFrom4([4]byte(b[i:])), 8 * i} }
	switch {
	case a == netip.IPv6Unspecified() || a == netip.IPv6Loopback():
		return f, 1 // in the middle of the IPv4-compatible ones: RFC 4291, 2.5.5.1
	case compatible.Contains(a), nat64.Contains(a):
		f[1] = carried(12)
		return f, 2
	case teredo.Contains(a): // the client's address has each bit turned: RFC 4380, 4
		f[1] = carried(4)
		for i := range b[12:] {
			b[12+i] ^= 0xff
		}
		f[2] = carried(12)
		return f, 3
	}
	n = 1
	if sixToFour.Contains(a) { // RFC 3056, 2
		f[n] = carried(2)
		n++
	}
	if b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP: RFC 5214, 6.1
		f[n] = carried(12)
		n++
	}
	return f, n
}
