package egress_test

import (
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/egress"
)

func reasonOf(err error) egress.Reason {
	if refused, ok := errors.AsType[*egress.Refusal](err); ok {
		return refused.Reason
	}
	return ""
}

const public = egress.ReasonNotListed // all that a list without rules has against it

// ranges has each range by its first and its last address, where the table in the package has
// prefixes. The reason "carried" is that of an IPv4 address within.
var ranges = map[egress.Reason]string{
	egress.ReasonLoopback:  "127.0.0.0-127.255.255.255 ::1-::1",
	egress.ReasonLinkLocal: "169.254.0.0-169.254.255.255 fe80::-febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	egress.ReasonMetadata: `169.254.169.254-169.254.169.254 169.254.170.2-169.254.170.2 169.254.170.23-169.254.170.23
		169.254.0.23-169.254.0.23 169.254.42.42-169.254.42.42 100.100.100.200-100.100.100.200 168.63.129.16-168.63.129.16
		192.0.0.192-192.0.0.192 fd00:ec2::254-fd00:ec2::254 fd00:ec2::23-fd00:ec2::23 fd20:ce::254-fd20:ce::254
		fd00:c1::a9fe:a9fe-fd00:c1::a9fe:a9fe fd00:42::42-fd00:42::42 fd00:a9fe:a9fe::1-fd00:a9fe:a9fe::1
		fe80::a9fe:a9fe-fe80::a9fe:a9fe`,
	egress.ReasonPrivate: `10.0.0.0-10.255.255.255 172.16.0.0-172.31.255.255 192.168.0.0-192.168.255.255
		fc00::-fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0::-feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
	egress.ReasonShared: "100.64.0.0-100.127.255.255",
	egress.ReasonReserved: `0.0.0.0-0.255.255.255 192.0.0.0-192.0.0.255 192.0.2.0-192.0.2.255 192.88.99.0-192.88.99.255
		198.18.0.0-198.19.255.255 198.51.100.0-198.51.100.255 203.0.113.0-203.0.113.255 240.0.0.0-255.255.255.255
		::-1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001::-2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
		2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff::-3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
		4000::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
		64:ff9b:1::-64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100::-100::ffff:ffff:ffff:ffff 5f00::-5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
	egress.ReasonUnspecified: "0.0.0.0-0.0.0.0 ::-::",
	egress.ReasonMulticast:   "224.0.0.0-239.255.255.255 ff00::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	egress.ReasonBroadcast:   "255.255.255.255-255.255.255.255",
	"carried": `64:ff9b::-64:ff9b::ffff:ffff 2001::-2001:0:ffff:ffff:ffff:ffff:ffff:ffff 2002::-2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff
		::3-::ffff:ffff`,
}

// TestRanges asks for the first and the last address of each range, and the ones around it.
func TestRanges(t *testing.T) {
	type span struct {
		first, last netip.Addr
		reason      egress.Reason
	}
	var spans []span
	for reason, texts := range ranges {
		for text := range strings.FieldsSeq(texts) {
			first, last, _ := strings.Cut(text, "-")
			spans = append(spans, span{netip.MustParseAddr(first), netip.MustParseAddr(last), reason})
		}
	}
	// The narrowest span that holds an address is the one that begins last and then ends first.
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(b.first.Compare(a.first), a.last.Compare(b.last)) })
	want := func(a netip.Addr) egress.Reason {
		for _, s := range spans {
			if a.BitLen() == s.first.BitLen() && s.first.Compare(a) <= 0 && a.Compare(s.last) <= 0 {
				return s.reason
			}
		}
		return public
	}
	addrs := []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("2606:4700::1111"), netip.MustParseAddr("3fff:ffff::")}
	for _, s := range spans {
		addrs = append(addrs, s.first.Prev(), s.first, s.first.Next(), s.last.Prev(), s.last, s.last.Next())
	}
	// Then what is between, in steps as long as the blocks of IPv6's registry.
	for i := range 1 << 13 {
		addrs = append(addrs, netip.AddrFrom16([16]byte{0: byte(i >> 5), 1: byte(i << 3), 15: 7}))
	}
	named := listOf(t, "example.org")
	target, err := named.Host("example.org", 443)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if !a.IsValid() || want(a) == "carried" {
			continue
		}
		forms := []netip.Addr{a}
		if a.Is4() {
			forms = append(forms, netip.AddrFrom16(a.As16())) // IPv4-mapped
		} else {
			forms = append(forms, a.WithZone("eth0"))
		}
		for _, a := range forms {
			want := want(a.Unmap().WithZone(""))
			if got := reasonOf(named.Direct(netip.AddrPortFrom(a, 443))); got != want {
				t.Errorf("%s: got %s, want %s", a, got, want)
			}
			// What a name may lead to is what is public.
			dial, err := named.Address(target, a)
			if want == public && (err != nil || dial != netip.AddrPortFrom(a.Unmap(), 443)) || want != public && reasonOf(err) != want {
				t.Errorf("example.org at %s: got %v, %v, want %s", a, dial, err, want)
			}
		}
	}
}

// TestCarried: an IPv4 address does not slip by in one of IPv6.
func TestCarried(t *testing.T) {
	var none egress.List
	for _, test := range []struct {
		addr    string
		reason  egress.Reason
		carried string // or the address itself
	}{
		{"64:ff9b::8.8.8.8", public, ""},
		{"64:ff9b::200.8.8.8", public, ""},
		{"64:ff9b::127.0.0.1", egress.ReasonLoopback, "127.0.0.1"},
		{"64:ff9b::10.1.2.3", egress.ReasonPrivate, "10.1.2.3"},
		{"64:ff9b::169.254.169.254", egress.ReasonMetadata, "169.254.169.254"},
		{"64:ff9b::0.0.0.0", egress.ReasonUnspecified, "0.0.0.0"},
		{"64:ff9b::255.255.255.255", egress.ReasonBroadcast, "255.255.255.255"},
		{"64:ff9b:1::8.8.8.8", egress.ReasonReserved, ""},
		{"::8.8.8.8", egress.ReasonReserved, ""},
		{"::127.0.0.1", egress.ReasonLoopback, "127.0.0.1"},
		{"::2", egress.ReasonReserved, "0.0.0.2"},
		{"::ffff:0:127.0.0.1", egress.ReasonReserved, ""}, // RFC 2765, 2.1
		{"2002:808:808::1", public, ""},
		{"2002:7f00:1::", egress.ReasonLoopback, "127.0.0.1"},
		{"2002:7f00:1:7f00:1:7f00:1:8", egress.ReasonLoopback, "127.0.0.1"},
		{"2002:c0a8:101::1", egress.ReasonPrivate, "192.168.1.1"},
		{"2002:e000:1::", egress.ReasonMulticast, "224.0.0.1"},
		{"2001:0:808:808::f7f7:f7f7", public, ""}, // server and client 8.8.8.8
		{"2001:0:c808:808::f7f7:f7f7", public, ""},
		{"2001:0:808:808::80ff:fffe", egress.ReasonLoopback, "127.0.0.1"},     // client
		{"2001:0:7f00:1::f7f7:f7f7", egress.ReasonLoopback, "127.0.0.1"},      // server
		{"2001:0:808:808::", egress.ReasonBroadcast, "255.255.255.255"},       // client
		{"2001:0:a00:1::f5ff:fffe", egress.ReasonPrivate, "10.0.0.1"},         // both
		{"2001:0:808:808:0:5efe:7f00:1", public, ""},                          // no ISATAP
		{"2606:4700::5efe:127.0.0.1", egress.ReasonLoopback, "127.0.0.1"},     // ISATAP
		{"2606:4700::200:5efe:127.0.0.1", egress.ReasonLoopback, "127.0.0.1"}, // ISATAP, universal
		{"2606:4700::5efe:8.8.8.8", public, ""},
		{"2606:4700::100:5efe:127.0.0.1", public, ""},
		{"2606:4700::1:5efe:127.0.0.1", public, ""},
		{"2606:4700::5eff:127.0.0.1", public, ""},
		{"2606:4700::5ffe:127.0.0.1", public, ""},
		{"fe80::5efe:8.8.8.8", egress.ReasonLinkLocal, ""},
		{"fe80::5efe:10.0.0.1", egress.ReasonPrivate, "10.0.0.1"},
		{"2002:808:808::5efe:10.0.0.1", egress.ReasonPrivate, "10.0.0.1"},
		{"2002:a00:1::5efe:8.8.8.8", egress.ReasonPrivate, "10.0.0.1"},
	} {
		err := none.Direct(netip.AddrPortFrom(netip.MustParseAddr(test.addr), 80))
		refused, ok := errors.AsType[*egress.Refusal](err)
		if !ok || refused.Reason != test.reason {
			t.Errorf("%s: got %v, want %s", test.addr, err, test.reason)
			continue
		}
		if got := refused.Carried; got.IsValid() != (test.carried != "") || got.IsValid() && got.String() != test.carried {
			t.Errorf("%s: refused for %v, want %q", test.addr, got, test.carried)
		}
	}
}
