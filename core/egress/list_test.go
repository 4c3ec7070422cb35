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

func listOf(t testing.TB, rules string) *egress.List {
	t.Helper()
	list := &egress.List{}
	for text := range strings.FieldsSeq(rules) {
		list.Rules = append(list.Rules, mustParse(t, text))
	}
	return list
}

// ask returns the name and the addresses of a target, or why there is none.
func ask(l *egress.List, host string, port uint16) string {
	t, err := l.Host(host, port)
	if err != nil {
		return string(reasonOf(err))
	}
	if t.Port() != port {
		return "another port"
	}
	got := t.Name()
	for _, a := range t.Known() {
		got += " " + a.String()
	}
	return "ok " + got
}

func TestHost(t *testing.T) {
	const rules = `example.org *.example.net:8443 db:5432 git.example.org:22 *.git.example.org:22 localhost:5432 203.0.113.7:8080
		[2001:db8::7]:8080 8.8.0.0/16 my_db:1 *.co.uk:443 [2606:4700::/32]:443`
	l := listOf(t, rules)
	for _, test := range []struct {
		host string
		port uint16
		want string
	}{
		{"example.org", 443, "ok example.org"},
		{"example.org", 80, "ok example.org"},
		{"EXAMPLE.Org", 443, "ok example.org"},
		{"example.org.", 443, "ok example.org"},
		{"example.org", 22, "other_port"},
		{"example.org", 81, "other_port"},
		{"example.org", 8080, "other_port"},
		{"example.org", 0, "malformed"},
		{"www.example.org", 443, "not_listed"},
		{"xexample.org", 443, "not_listed"},
		{"example.org.evil.test", 443, "not_listed"},
		{"example.or", 443, "not_listed"},
		{"org", 443, "not_listed"},

		{"a.example.net", 8443, "ok a.example.net"},
		{"A.B.Example.NET.", 8443, "ok a.b.example.net"},
		{"a.example.net", 443, "other_port"},
		{"example.net", 8443, "not_listed"},
		{"aexample.net", 8443, "not_listed"},
		{"a.example.net.evil.test", 8443, "not_listed"},
		{".example.net", 8443, "malformed"},
		{"*.example.net", 8443, "malformed"},
		{"a.co.uk", 443, "ok a.co.uk"},

		{"db", 5432, "ok db"},
		{"db.example.org", 5432, "not_listed"},
		{"my_db", 1, "ok my_db"},
		{"git.example.org", 22, "ok git.example.org"},
		{"x.git.example.org", 22, "ok x.git.example.org"},

		// localhost is not looked up, and has two addresses and other names.
		{"localhost", 5432, "ok localhost 127.0.0.1 ::1"},
		{"LocalHost.", 5432, "ok localhost 127.0.0.1 ::1"},
		{"app.localhost", 5432, "ok app.localhost 127.0.0.1 ::1"},
		{"127.0.0.1", 5432, "ok  127.0.0.1"},
		{"::1", 5432, "ok  ::1"},
		{"localhost", 5433, "loopback"},
		{"localhost", 80, "loopback"},
		{"app.localhost", 80, "loopback"},
		{"127.0.0.1", 5433, "loopback"},
		{"127.0.0.2", 5432, "loopback"},
		{"127.0.0.53", 5432, "loopback"},
		{"notlocalhost", 5432, "not_listed"},
		{"localhost.example.org", 5432, "not_listed"},
		{"localhost.localdomain", 5432, "not_listed"},

		// Addresses.
		{"203.0.113.7", 8080, "ok  203.0.113.7"},
		{"::ffff:203.0.113.7", 8080, "ok  203.0.113.7"},
		{"[::ffff:cb00:7107]", 8080, "ok  203.0.113.7"},
		{"203.0.113.7", 80, "reserved"},
		{"203.0.113.8", 8080, "reserved"},
		{"2001:db8::7", 8080, "ok  2001:db8::7"},
		{"[2001:DB8:0::7]", 8080, "ok  2001:db8::7"},
		{"2001:db8::8", 8080, "reserved"},
		{"8.8.4.4", 443, "ok  8.8.4.4"},
		{"8.8.8.8", 80, "ok  8.8.8.8"},
		{"8.8.8.8", 53, "other_port"},
		{"9.9.9.9", 443, "not_listed"},
		{"2606:4700::1111", 443, "ok  2606:4700::1111"},
		{"2606:4700::1111", 80, "other_port"},
		{"64:ff9b::203.0.113.7", 8080, "reserved"}, // the rule is for another way there
		{"0.0.0.0", 5432, "unspecified"},
		{"::", 5432, "unspecified"},
		{"224.0.0.1", 443, "multicast"},
		{"255.255.255.255", 443, "broadcast"},

		// What is no name, and what only looks like one.
		{"", 443, "malformed"},
		{".", 443, "malformed"},
		{"example..org", 443, "malformed"},
		{"example.org..", 443, "malformed"},
		{"exam ple.org", 443, "malformed"},
		{"example.org\x00", 443, "malformed"},
		{"example.org\x00.evil.test", 443, "malformed"},
		{"example.org\n", 443, "malformed"},
		{"example.org/", 443, "malformed"},
		{"example.org:443", 443, "malformed"},
		{"user@example.org", 443, "malformed"},
		{"example%2eorg", 443, "malformed"},
		{"ex\u00e4mple.org", 443, "malformed"},
		{"example\u3002org", 443, "malformed"},
		{"\uff11\uff12\uff17.0.0.1", 443, "malformed"},
		{"-oProxyCommand=x", 443, "malformed"},
		{"-example.org", 443, "malformed"},
		{"[example.org]", 443, "malformed"},
		{"[127.0.0.1]", 5432, "malformed"},
		{"[::1", 5432, "malformed"},
		{"::1]", 5432, "malformed"},
		{"[::1]x", 5432, "malformed"},
		{"[]", 5432, "malformed"},
		{"[[::1]]", 5432, "malformed"},
		{"::1%lo", 5432, "malformed"},
		{"[::1%25lo]", 5432, "malformed"},
		{"127.0.0.1%lo", 5432, "malformed"},
		{":::", 443, "malformed"},
		{longName, 443, "not_listed"},
		{longName + ".", 443, "not_listed"},
		{longName + "b", 443, "malformed"},
		{longName + "b.", 443, "malformed"},
		{longLabel + "a.org", 443, "malformed"},
		{strings.Repeat("a", 1<<20), 443, "malformed"},
		{strings.Repeat(":", 1<<20), 443, "malformed"},
		{"[" + strings.Repeat(":", 1<<20) + "]", 443, "malformed"},
		{"[::1%" + strings.Repeat("a", 1<<20) + "]", 443, "malformed"},

		{"127.1", 5432, "ambiguous"},
		{"127.0.1", 5432, "ambiguous"},
		{"0x7f.1", 5432, "ambiguous"},
		{"0x7F000001", 5432, "ambiguous"},
		{"0177.0.0.1", 5432, "ambiguous"},
		{"017700000001", 5432, "ambiguous"},
		{"2130706433", 5432, "ambiguous"},
		{"127.0.0.01", 5432, "ambiguous"},
		{"127.0.0.1.", 5432, "ambiguous"},
		{"127.0.0.0x1", 5432, "ambiguous"},
		{"127.0.0.256", 5432, "ambiguous"},
		{"0", 5432, "ambiguous"},
		{"0x", 5432, "ambiguous"},
		{"a.0x", 5432, "ambiguous"},
		{"1.2.3.4.5", 5432, "ambiguous"},
		{"a.example.1", 5432, "ambiguous"},
	} {
		if got := ask(l, test.host, test.port); got != test.want {
			t.Errorf("%.80q port %d: got %q, want %q", test.host, test.port, got, test.want)
		}
	}
	if got := ask(&egress.List{}, "localhost", 5432); got != "loopback" {
		t.Errorf("localhost without rules: got %q", got)
	}
}

// TestLocal: localhost has the addresses that rules list, and no others.
func TestLocal(t *testing.T) {
	for _, test := range []struct{ rules, want string }{
		{"localhost:80", "ok localhost 127.0.0.1 ::1"},
		{"*.localhost:80", "ok localhost 127.0.0.1 ::1"},
		{"app.localhost:80", "ok localhost 127.0.0.1 ::1"},
		{"127.0.0.1:80", "ok localhost 127.0.0.1"},
		{"127.0.0.0/8:80", "ok localhost 127.0.0.1"},
		{"[::1]:80", "ok localhost ::1"},
		{"[::1]:80 127.0.0.1:80", "ok localhost 127.0.0.1 ::1"},
		{"127.0.0.2:80", "loopback"},
		{"126.0.0.0/7", "loopback"},
		{"localhost:81", "loopback"},
		{"example.org", "loopback"},
	} {
		if got := ask(listOf(t, test.rules), "localhost", 80); got != test.want {
			t.Errorf("%s: got %q, want %q", test.rules, got, test.want)
		}
	}
}

// TestAddress: where the name db.test may lead, on port 5432.
func TestAddress(t *testing.T) {
	own := []netip.Addr{
		netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.9"), netip.MustParseAddr("::ffff:9.9.9.9"),
		netip.MustParseAddr("fe80::9%eth0"), netip.MustParseAddr("2606:4700::9"), netip.MustParseAddr("0.0.0.0"),
	}
	for _, test := range []struct{ rules, addr, want string }{
		{"", "8.8.8.8", ""},
		{"", "::ffff:8.8.8.8", ""},
		{"", "2606:4700::1111", ""},
		{"", "64:ff9b::808:808", ""},
		{"", "127.0.0.1", "loopback"},
		{"", "::ffff:127.0.0.1", "loopback"},
		{"", "64:ff9b::7f00:1", "loopback"},
		{"", "10.1.2.3", "private"},
		{"", "0.0.0.0", "unspecified"},
		{"", "169.254.169.254", "metadata"},

		// Listed: by a rule that lies within the range, for this port.
		{"10.1.2.3:5432", "10.1.2.3", ""},
		{"10.1.2.3:5432", "::ffff:10.1.2.3", ""},
		{"10.1.2.3:5432", "10.1.2.4", "private"},
		{"10.1.2.3:5433", "10.1.2.3", "private"},
		{"10.1.2.3", "10.1.2.3", "private"},
		{"10.1.0.0/16:5432", "10.1.2.3", ""},
		{"10.0.0.0/8:5432", "10.1.2.3", ""},
		{"10.0.0.0/8:5432", "64:ff9b::a01:203", "private"},
		{"[64:ff9b::10.0.0.0/104]:5432", "64:ff9b::a01:203", ""},
		{"[64:ff9b::a01:203]:5432", "64:ff9b::a01:203", ""},
		{"[64:ff9b::10.0.0.0/103]:5432", "64:ff9b::a01:203", "private"},
		{"[64:ff9b::/96]:5432", "64:ff9b::a01:203", "private"},
		{"[64:ff9b::/96]:5432", "64:ff9b::808:808", ""},
		{"10.0.0.0/7:5432", "10.1.2.3", "private"},
		{"8.0.0.0/5:5432", "10.1.2.3", "private"},
		{"0.0.0.0/1:5432", "10.1.2.3", "private"},
		{"0.0.0.0/1:5432", "127.0.0.1", "loopback"},
		{"0.0.0.0/1:5432", "0.0.0.0", "unspecified"},
		{"0.0.0.0/1:5432 10.0.0.0/8:5432", "10.1.2.3", ""},
		{"10.0.0.0/8:5432 0.0.0.0/1:5432", "10.1.2.3", ""},
		{"10.0.0.0/8:5433 0.0.0.0/1:5432", "10.1.2.3", "private"},
		{"192.0.0.0/2:5432", "255.255.255.255", "broadcast"},
		{"192.0.0.0/2:5432", "224.0.0.1", "multicast"},
		{"100.64.0.0/10:5432", "100.64.0.1", ""},
		{"240.0.0.0/4:5432", "250.0.0.1", ""},
		{"240.0.0.0/4:5432", "255.255.255.255", "broadcast"},
		{"192.0.2.0/24:5432", "192.0.2.1", ""},
		{"[fd00::/8]:5432", "fd00::1", ""},
		{"[f000::/4]:5432", "fd00::1", "private"},
		{"[::/1]:5432", "::1", "loopback"},
		{"[::/8]:5432", "::1", "loopback"},
		{"[::/8]:5432", "::2", "reserved"}, // as 0.0.0.2, which it carries
		{"[::/96]:5432", "::8.8.8.8", ""},
		{"[::/104]:5432", "::2", ""},
		{"[2002:a00::/24]:5432", "2002:a01:203::1", ""},
		{"[2002:a00::/23]:5432", "2002:a01:203::1", "private"},
		{"[2002:a00::/24]:5432", "2002:a01:203::5efe:127.0.0.1", "loopback"},
		{"[fe80::5efe:0:0/96]:5432", "fe80::5efe:8.8.8.8", ""},
		{"[fe80::5efe:0:0/96]:5432", "fe80::5efe:10.0.0.1", "private"},
		{"[2001:0:a00::/40]:5432", "2001:0:a00:1::f7f7:f7f7", ""},
		{"[2001:0:a00::/39]:5432", "2001:0:a00:1::f7f7:f7f7", "private"},
		{"[2001:0:a00::/40]:5432", "2001:0:a00:1::f5ff:fffe", "private"}, // the client is private
		{"[2001:0:a00:1::f500:0/104]:5432", "2001:0:a00:1::f5ff:fffe", ""},

		// Where clouds hand out credentials, only the very address.
		{"169.254.0.0/16:5432", "169.254.1.1", ""},
		{"169.254.0.0/16:5432", "169.254.169.254", "metadata"},
		{"169.254.169.254/31:5432", "169.254.169.254", "metadata"},
		{"169.254.169.254:5432", "169.254.169.254", ""},
		{"168.63.0.0/16:5432", "168.63.129.16", "metadata"},

		// Link-local addresses with a zone are dialled with it.
		{"[fe80::1]:5432", "fe80::1%eth0", ""},
		{"", "fe80::1%eth0", "link_local"},

		// Loopback.
		{"localhost:5432", "127.0.0.1", ""},
		{"localhost:5432", "::1", ""},
		{"localhost:5432", "127.0.0.2", "loopback"},
		{"localhost:5433", "127.0.0.1", "loopback"},
		{"127.0.0.0/8:5432", "127.0.0.1", ""}, // though it is this machine's
		{"localhost:5432", "0.0.0.0", "unspecified"},

		// This machine.
		{"", "10.0.0.9", "own"},
		{"10.0.0.0/8:5432", "10.0.0.9", "own"},
		{"10.0.0.8/31:5432", "10.0.0.9", "own"},
		{"10.0.0.9:5432", "10.0.0.9", ""},
		{"10.0.0.9:5433", "10.0.0.9", "own"},
		{"localhost:5432", "10.0.0.9", "own"},
		{"", "9.9.9.9", "own"},
		{"9.0.0.0/8:5432", "9.9.9.9", "own"},
		{"9.9.9.9:5432", "::ffff:9.9.9.9", ""},
		{"9.9.9.9:5432", "64:ff9b::909:909", "own"},
		{"[64:ff9b::909:909]:5432", "64:ff9b::909:909", ""},
		{"", "2002:909:909::1", "own"},
		{"[2002:909:908::/47]:5432", "2002:909:909::1", "own"},
		{"[2002:909:909::/48]:5432", "2002:909:909::1", ""},
		{"", "fe80::9", "own"},
		{"", "fe80::9%eth1", "own"},
		{"[fe80::/10]:5432", "fe80::9", "own"},
		{"[fe80::9]:5432", "fe80::9%eth0", ""},
		{"", "2606:4700::9", "own"},
		{"[2606:4700::9]:5432", "2606:4700::9", ""},
	} {
		l := listOf(t, "db.test:5432 "+test.rules)
		l.Own = own
		target, err := l.Host("db.test", 5432)
		if err != nil {
			t.Fatal(err)
		}
		a := netip.MustParseAddr(test.addr)
		dial, err := l.Address(target, a)
		if got := string(reasonOf(err)); got != test.want || (err == nil) != (test.want == "") {
			t.Errorf("%s at %s: got %v, want %q", test.rules, a, err, test.want)
		}
		if want := netip.AddrPortFrom(a.Unmap(), 5432); err == nil && dial != want || err != nil && dial.IsValid() {
			t.Errorf("%s at %s: dial %v, want %v", test.rules, a, dial, want)
		}
		// Without a name the same is refused, and of what is public all that no rule lists.
		want := cmp.Or(test.want, "not_listed")
		if test.want == "" && test.rules != "" {
			want = ""
		}
		if got := string(reasonOf(l.Direct(netip.AddrPortFrom(a, 5432)))); got != want {
			t.Errorf("%s at %s: direct %q, want %q", test.rules, a, got, want)
		}
		if a.Zone() == "" {
			if got := ask(l, a.String(), 5432); got != cmp.Or(want, "ok  "+a.Unmap().String()) {
				t.Errorf("%s: host %s: %q, want %q", test.rules, a, got, want)
			}
		}
	}
}

// TestStrangeCalls: a caller that mixes things up gets a refusal.
func TestStrangeCalls(t *testing.T) {
	l := listOf(t, "example.org 203.0.113.7:80 localhost:80")
	name, err1 := l.Host("example.org", 80)
	addr, err2 := l.Host("203.0.113.7", 80)
	local, err3 := l.Host("localhost", 80)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	eight := netip.MustParseAddr("8.8.8.8")
	for what, test := range map[string]struct {
		target egress.Target
		addr   netip.Addr
		want   egress.Reason
	}{
		"a name's address":           {name, eight, ""},
		"no target":                  {egress.Target{}, eight, egress.ReasonMalformed},
		"no address":                 {name, netip.Addr{}, egress.ReasonMalformed},
		"an address's own":           {addr, addr.Known()[0], ""},
		"another than was asked for": {addr, eight, egress.ReasonNotListed},
		"localhost, looked up":       {local, eight, egress.ReasonNotListed},
		"localhost at another":       {local, netip.MustParseAddr("127.0.0.2"), egress.ReasonLoopback},
	} {
		_, err := l.Address(test.target, test.addr)
		if got := reasonOf(err); got != test.want || (err == nil) != (test.want == "") {
			t.Errorf("%s: got %v, want %q", what, err, test.want)
		}
		if refused, ok := errors.AsType[*egress.Refusal](err); ok {
			wantPrintable(t, err)
			rule := test.addr.String() + ":80"
			if test.want == egress.ReasonMalformed {
				rule = ""
			}
			if refused.Rule != rule {
				t.Errorf("%s: %v, want %q", what, err, rule)
			}
		}
	}
	for _, to := range []netip.AddrPort{{}, netip.AddrPortFrom(eight, 0), netip.AddrPortFrom(netip.Addr{}, 80)} {
		if got := reasonOf(l.Direct(to)); got != egress.ReasonMalformed {
			t.Errorf("%v: got %q", to, got)
		}
	}
	if slices.Contains(name.Known(), eight) || name.Known() != nil {
		t.Errorf("a name has the addresses %v before it is looked up", name.Known())
	}
}

// TestRefusal has the sentences.
func TestRefusal(t *testing.T) {
	l := listOf(t, "example.org db.test:5432 8.8.8.8:53 [2606:4700::1111]:53")
	l.Own = []netip.Addr{netip.MustParseAddr("9.9.9.9")}
	for _, test := range []struct{ host, leads, want string }{
		{"a.test", "", "a.test:443 is refused: it is listed by no rule; to allow it, add --net a.test:443"},
		{"db.test", "", "db.test:443 is refused: it is listed with other ports only; to allow it, add --net db.test:443"},
		{"8.8.8.8", "", "8.8.8.8:443 is refused: it is listed with other ports only; to allow it, add --net 8.8.8.8:443"},
		{"1.1.1.1", "", "1.1.1.1:443 is refused: it is listed by no rule; to allow it, add --net 1.1.1.1:443"},
		{"2606:4700::1111", "", "[2606:4700::1111]:443 is refused: it is listed with other ports only; to allow it, add --net [2606:4700::1111]:443"},
		{"localhost", "", "localhost:443 is refused: it leads to 127.0.0.1, a loopback address; to allow it, add --net localhost:443"},
		{"a.localhost", "", "a.localhost:443 is refused: it leads to 127.0.0.1, a loopback address; to allow it, add --net a.localhost:443"},
		{"::1", "", "[::1]:443 is refused: it is a loopback address; to allow it, add --net [::1]:443"},
		{"0.0.0.0", "", "0.0.0.0:443 is refused: it is the unspecified address; this machine's own services are at localhost:443"},
		{"::", "", "[::]:443 is refused: it is the unspecified address; this machine's own services are at localhost:443"},
		{"224.0.0.1", "", "224.0.0.1:443 is refused: it is a multicast address"},
		{"255.255.255.255", "", "255.255.255.255:443 is refused: it is the broadcast address"},
		{"64:ff9b::7f00:1", "", "[64:ff9b::7f00:1]:443 is refused: it stands for 127.0.0.1, a loopback address; to allow it, add --net [64:ff9b::7f00:1]:443"},
		{strings.Repeat("a", 1000), "", `"` + strings.Repeat("a", 300) + `...":443 is refused: it is longer than any name`},
		{"0x7f.1", "", `"0x7f.1":443 is refused: it may be read as an address: write four numbers from 0 to 255, without leading zeros`},
		{"a\x1b[31m", "", `"a\x1b[31m":443 is refused: it has the character '\x1b', which names don't`},
		{"example.org", "10.1.2.3", "example.org:443 is refused: it leads to 10.1.2.3, a private address; to allow it, add --net 10.1.2.3:443"},
		{"example.org", "::ffff:10.1.2.3", "example.org:443 is refused: it leads to 10.1.2.3, a private address; to allow it, add --net 10.1.2.3:443"},
		{"example.org", "9.9.9.9", "example.org:443 is refused: it leads to 9.9.9.9, an address of this machine; to allow it, add --net 9.9.9.9:443"},
		{"example.org", "fe80::1%eth0", "example.org:443 is refused: it leads to fe80::1, a link-local address; to allow it, add --net [fe80::1]:443"},
		{"example.org", "100.64.0.1", "example.org:443 is refused: it leads to 100.64.0.1, an address shared by carriers and overlay networks; to allow it, add --net 100.64.0.1:443"},
		{"example.org", "169.254.169.254", "example.org:443 is refused: it leads to 169.254.169.254, an address where clouds hand out credentials; to allow it, add --net 169.254.169.254:443"},
		{"example.org", "198.18.0.1", "example.org:443 is refused: it leads to 198.18.0.1, a reserved address; to allow it, add --net 198.18.0.1:443"},
		{"example.org", "0.0.0.0", "example.org:443 is refused: it leads to 0.0.0.0, the unspecified address; this machine's own services are at localhost:443"},
		{"example.org", "2002:a00:1::", "example.org:443 is refused: it leads to 2002:a00:1::, which stands for 10.0.0.1, a private address; to allow it, add --net [2002:a00:1::]:443"},
	} {
		target, err := l.Host(test.host, 443)
		if test.leads != "" {
			if err != nil {
				t.Fatal(err)
			}
			_, err = l.Address(target, netip.MustParseAddr(test.leads))
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%s at %s:\n got %v\nwant %s", test.host, test.leads, err, test.want)
			continue
		}
		wantPrintable(t, err)
		// The rule that is named in it does allow it.
		refused, ok := errors.AsType[*egress.Refusal](err)
		if !ok {
			t.Errorf("%v is a %T", err, err)
			continue
		}
		if refused.Port != 443 || refused.Host == "" || !strings.Contains(test.want, refused.Rule) {
			t.Errorf("%v: %+v", err, refused)
		}
		if refused.Rule == "" {
			continue
		}
		more := &egress.List{Rules: append(slices.Clip(l.Rules), mustParse(t, refused.Rule)), Own: l.Own}
		target, err = more.Host(test.host, 443)
		if err == nil && test.leads != "" {
			_, err = more.Address(target, netip.MustParseAddr(test.leads))
		}
		if err != nil {
			t.Errorf("with %s: %v", refused.Rule, err)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	l := listOf(b, "example.org *.example.net localhost:5432 10.0.0.0/8")
	a := netip.MustParseAddr("2606:4700::1111")
	b.ReportAllocs()
	for b.Loop() {
		target, err := l.Host("a.example.net", 443)
		if err == nil {
			_, err = l.Address(target, a)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
