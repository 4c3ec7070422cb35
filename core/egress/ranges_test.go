package egress_test

import (
	"errors"
	"net/netip"
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

// TestRanges has the first and the last address of each range, and those around it.
func TestRanges(t *testing.T) {
	var none egress.List
	for reason, addrs := range map[egress.Reason]string{
		public: `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17
			169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.88.98.255
			192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0
			223.255.255.255 2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff
			2001:db9:: 2003:: 2606:4700::1111 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
		egress.ReasonLoopback: "127.0.0.0 127.0.0.1 127.0.0.53 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7fff:ffff",
		egress.ReasonLinkLocal: `169.254.0.0 169.254.0.22 169.254.169.253 169.254.169.255 169.254.170.3 169.254.255.255 fe80::
			fe80::1 fe80::1%eth0 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
		egress.ReasonMetadata: `169.254.169.254 ::ffff:169.254.169.254 169.254.170.2 169.254.170.23 169.254.0.23 169.254.42.42
			100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe
			fd00:42::42 fd00:a9fe:a9fe::1 fe80::a9fe:a9fe fe80::a9fe:a9fe%eth0`,
		egress.ReasonPrivate: `10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 ::ffff:10.0.0.1
			fc00:: fd00:ec2::253 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
		egress.ReasonShared: "100.64.0.0 100.100.100.199 100.100.100.201 100.127.255.255",
		egress.ReasonReserved: `0.0.0.1 0.255.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255
			198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 240.0.0.0 255.255.255.254
			::2:0:0 0:ffff:: 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 64:ff9b:2:: 64:ff9a:ffff:: 64:ff9b::1:0:0 ff:ffff:: 100:: 200::
			400:: 800:: 1000:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:1:: 2001:2:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
			2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: 5f00:: 6000:: 8000::
			a000:: c000:: e000:: f000:: f800:: fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe00:: fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
		egress.ReasonUnspecified: "0.0.0.0 :: ::ffff:0.0.0.0",
		egress.ReasonMulticast:   "224.0.0.0 224.0.0.251 239.255.255.255 ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		egress.ReasonBroadcast:   "255.255.255.255 ::ffff:255.255.255.255",
	} {
		for text := range strings.FieldsSeq(addrs) {
			a := netip.MustParseAddr(text)
			if got := reasonOf(none.Direct(netip.AddrPortFrom(a, 443))); got != reason {
				t.Errorf("%s: got %s, want %s", text, got, reason)
			}
			// What a name may lead to is what is public.
			named := egress.List{Rules: []egress.Rule{mustParse(t, "example.org")}}
			target, err := named.Host("example.org", 443)
			if err != nil {
				t.Fatal(err)
			}
			dial, err := named.Address(target, a)
			if reason == public && (err != nil || dial != netip.AddrPortFrom(a, 443)) || reason != public && reasonOf(err) != reason {
				t.Errorf("example.org at %s: got %v, %v", text, dial, err)
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
		{"2001:0:808:808::f7f7:f7f7", public, ""},                             // server and client 8.8.8.8
		{"2001:0:808:808::80ff:fffe", egress.ReasonLoopback, "127.0.0.1"},     // client
		{"2001:0:7f00:1::f7f7:f7f7", egress.ReasonLoopback, "127.0.0.1"},      // server
		{"2001:0:808:808::", egress.ReasonBroadcast, "255.255.255.255"},       // client
		{"2001:0:a00:1::f5ff:fffe", egress.ReasonPrivate, "10.0.0.1"},         // both
		{"2001:0:808:808:0:5efe:7f00:1", public, ""},                          // client 128.255.255.254, and no ISATAP
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

// TestMost of the addresses that IPv4 has are public, and of IPv6 less than an eighth: a range with
// a wrong length would show here.
func TestMost(t *testing.T) {
	var none egress.List
	share := func(addrs []netip.Addr) float64 {
		n := 0
		for _, a := range addrs {
			if reasonOf(none.Direct(netip.AddrPortFrom(a, 80))) == public {
				n++
			}
		}
		return float64(n) / float64(len(addrs))
	}
	var four, six []netip.Addr
	for i := range 1 << 16 {
		four = append(four, netip.AddrFrom4([4]byte{byte(i >> 8), byte(i), 77, 7}))
		six = append(six, netip.AddrFrom16([16]byte{0: byte(i >> 8), 1: byte(i), 5: 1, 15: 7}))
	}
	// 0/8, 10/8, 127/8, 224/3 and the parts of 100/8, 169/8, 172/8, 192/8 and 198/8 that count here.
	want := 1 - (256*(1+1+1+32)+64+1+16+1+2)/65536.
	if got := share(four); got != want {
		t.Errorf("%v of IPv4 is public, want %v", got, want)
	}
	// 2000::/3 without Teredo and 6to4, which carry 0.1.0.0 and 0.0.0.1 here, and 3fff::/20.
	want = (8192 - 3) / 65536.
	if got := share(six); got != want {
		t.Errorf("%v of IPv6 is public, want %v", got, want)
	}
}
