package egress_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// probes are hosts that have an edge for some rule.
var probes = []string{
	"example.org", "a.example.org", "a.b.example.org", "xexample.org", "org", "db", "my_db", "localhost", "app.localhost",
	"xn--bcher-kva.example", "1.example", longName, "127.0.0.1", "127.0.0.2", "::1", "8.8.8.8", "10.0.0.0", "10.1.2.3", "11.0.0.0",
	"0.0.0.0", "169.254.169.254", "203.0.113.7", "255.255.255.255", "2001:db8::7", "fd00::1", "64:ff9b::a01:203", "2606:4700::1111",
}

// decisions are those of a list on all probes, as one text.
func decisions(l *egress.List) string {
	var b strings.Builder
	for _, host := range probes {
		for _, port := range []uint16{22, 80, 443, 5432} {
			b.WriteString(ask(l, host, port) + "\n")
			target, err := l.Host(host, port)
			if err != nil {
				continue
			}
			for _, other := range probes {
				if a, err := netip.ParseAddr(other); err == nil {
					_, err = l.Address(target, a)
					b.WriteString(string(reasonOf(err)) + "\n")
				}
			}
		}
	}
	return b.String()
}

// TestStringDecidesTheSame: a rule that is written down and read again is the same rule, and so is
// one that was written in another way.
func TestStringDecidesTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	rules := 0
	for range 20_000 {
		var host string
		switch rng.IntN(4) {
		case 0:
			host = pick("", "*.", "*.", "a.") + pick("example.org", "org", "co.uk", "localhost", "my_db", "xn--a", "1.a", "a.1", "internal") + pick("", "", ".")
		case 1:
			bytes := [4]byte{byte(rng.IntN(256)), byte(rng.IntN(256)), byte(rng.IntN(4)), byte(rng.IntN(256))}
			if bits := rng.IntN(34); rng.IntN(2) == 0 {
				host = netip.PrefixFrom(netip.AddrFrom4(bytes), min(bits, 32)).Masked().String()
			} else {
				host = netip.AddrFrom4(bytes).String()
			}
		case 2:
			var bytes [16]byte
			for range rng.IntN(6) {
				bytes[rng.IntN(16)] = byte(rng.IntN(256))
			}
			copy(bytes[:], pick("", "\x20\x01", "\x20\x01\x00\x00", "\x20\x02", "\xfd", "\xfe\x80", "\x00\x64\xff\x9b\x00\x00\x00\x00\x00\x00\x00\x00"))
			host = "[" + pick(netip.AddrFrom16(bytes).String(), netip.AddrFrom16(bytes).StringExpanded(),
				netip.PrefixFrom(netip.AddrFrom16(bytes), rng.IntN(129)).Masked().String()) + "]"
		case 3:
			host = pick(probes...)
		}
		text := host + pick("", "", ":80", ":443", ":22", ":5432", ":65535")
		if rng.IntN(2) == 0 {
			text = strings.ToUpper(text)
		}
		r, err := egress.Parse(text)
		if err != nil {
			continue
		}
		rules++
		again, err := egress.Parse(r.String())
		if err != nil || again != r || again.String() != r.String() {
			t.Errorf("%s is %s, and that is %s: %v", text, r, again, err)
		}
		if rules%200 != 0 {
			continue
		}
		first, second := &egress.List{Rules: []egress.Rule{r}}, &egress.List{Rules: []egress.Rule{again}}
		if decisions(first) != decisions(second) {
			t.Errorf("%s and %s decide otherwise", text, r)
		}
	}
	if rules < 8_000 {
		t.Errorf("only %d texts were rules", rules)
	}
}

func FuzzParse(f *testing.F) {
	for text := range accepted {
		f.Add(text)
	}
	for _, text := range []string{
		"", "https://u:p@x:1/", "*", "*.com", "a..b", "0x7f.1", "[::1", "[fd00::]/8", "::1:80", "fe80::1%a:80", "10.1.0.0/8", "0.0.0.0/0",
		"::ffff:1.2.3.4", "[64:ff9b::e000:0/100]", "bücher.example", "a\x00", "a:0", "a:65536", "https://https://a", "x://[", "://@:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := egress.Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*egress.RuleError](err); !ok || r != (egress.Rule{}) {
				t.Errorf("%q: got %v and %v", text, r, err)
			}
			wantPrintable(t, err)
			return
		}
		short := r.String()
		if again, err := egress.Parse(short); err != nil || again != r {
			t.Errorf("%q is %s, and that is %s: %v", text, short, again, err)
		}
		if short != strings.ToLower(short) || strings.ContainsAny(short, " %@,\\\"'<>") || len(short) > 2+253+6 {
			t.Errorf("%q is %s", text, short)
		}
		// Alone it lets nothing through whose name it has not, and no address of another kind.
		l, some := &egress.List{Rules: []egress.Rule{r}}, 0
		for _, c := range []byte(text) {
			some += int(c)
		}
		host := probes[some%len(probes)] // all of them would take long
		checkHost(t, l, host, 80)
		if a, err := netip.ParseAddr(host); err == nil {
			checkAddr(t, l, "example.org", a, 80)
		}
	})
}

// FuzzDecide asks lists of rules, one in each line, for hostile names and addresses.
func FuzzDecide(f *testing.F) {
	all := strings.Join(slices.Collect(func(yield func(string) bool) {
		for _, text := range []string{
			"example.org", "*.example.org:22", "localhost:80", "10.0.0.0/8:80", "0.0.0.0/1:80", "[::/1]:80", "[fe80::/9]:80", "[2001::/31]:80",
			"169.254.0.0/16:80", "[64:ff9b::/96]:80", "[2002:a00::/24]:80", "[2001:0:a00::/40]:80", "192.0.0.0/2:80", "[8000::/1]:80",
		} {
			if !yield(text) {
				return
			}
		}
	}), "\n")
	for _, host := range append(slices.Clone(probes),
		"127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "::1%lo", "EXAMPLE.org.", "a.example.org\x00", "ｅxample.org", "", ".", "1.2.3.4.5", "a.0x",
	) {
		f.Add(all, host, uint16(80), []byte{10, 1, 2, 3}, []byte{10, 0, 0, 9})
	}
	for _, a := range []string{
		"127.0.0.1", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:808:808::80ff:fffe", "fe80::1",
		"2606:4700::5efe:7f00:1", "169.254.169.254", "224.0.0.1", "255.255.255.255", "fd00:ec2::254", "100.64.0.1", "168.63.129.16",
	} {
		f.Add(all, "example.org", uint16(80), netip.MustParseAddr(a).AsSlice(), netip.MustParseAddr("2606:4700::1").AsSlice())
	}
	f.Fuzz(func(t *testing.T, rules, host string, port uint16, to, own []byte) {
		l := &egress.List{}
		for text := range strings.SplitSeq(rules, "\n") {
			if r, err := egress.Parse(text); err == nil && len(l.Rules) < 50 {
				l.Rules = append(l.Rules, r)
			}
		}
		if a, ok := netip.AddrFromSlice(own); ok {
			l.Own = append(l.Own, a)
		}
		checkHost(t, l, host, port)
		if a, ok := netip.AddrFromSlice(to); ok {
			checkHost(t, l, a.String(), port)
			checkAddr(t, l, host, a, port)
		}
	})
}

// checkHost holds what Host lets pass against a second reading of the rules, and checks what it
// says of the rest.
func checkHost(t *testing.T, l *egress.List, host string, port uint16) {
	t.Helper()
	target, err := l.Host(host, port)
	if err != nil {
		checkRefusal(t, l, err, func(l *egress.List) error { _, err := l.Host(host, port); return err })
		return
	}
	if target.Port() != port {
		t.Errorf("%q port %d: port %d", host, port, target.Port())
	}
	name := target.Name()
	for _, a := range target.Known() {
		if dial, err := l.Address(target, a); err != nil || dial != netip.AddrPortFrom(a, port) {
			t.Errorf("%q port %d: known to be at %v, but dial %v: %v", host, port, a, dial, err)
		}
		if !listed(l, a, port) {
			t.Errorf("%q port %d: at %v, which no rule of %v lists", host, port, a, l.Rules)
		}
	}
	if name == "" && len(target.Known()) == 1 {
		return
	}
	if strings.ToLower(strings.TrimSuffix(host, ".")) != name || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || len(name) > 253 {
		t.Errorf("%q: looks up %q", host, name)
	}
	if isAddress(name) {
		t.Errorf("%q is an address to inet_aton", name)
	}
	if target.Known() == nil && !slices.ContainsFunc(l.Rules, func(r egress.Rule) bool {
		text, ports, found := strings.Cut(r.String(), ":")
		if !found {
			ports = "80 443"
		}
		below, wild := strings.CutPrefix(text, "*")
		return slices.Contains(strings.Fields(ports), strconv.Itoa(int(port))) && (text == name || wild && strings.HasSuffix(name, below) && name != below)
	}) {
		t.Errorf("%q port %d: allowed by none of %v", host, port, l.Rules)
	}
	for _, same := range []string{strings.ToUpper(name), name + "."} {
		if again, err := l.Host(same, port); err != nil || again.Name() != name {
			t.Errorf("%q is allowed, but for %q: %v", host, same, err)
		}
	}
}

// checkAddr holds what Address and Direct let pass against a second reading of the rules.
func checkAddr(t *testing.T, l *egress.List, host string, a netip.Addr, port uint16) {
	t.Helper()
	err := l.Direct(netip.AddrPortFrom(a, port))
	if err == nil && !listed(l, a, port) {
		t.Errorf("%v port %d: allowed, but listed by none of %v", a, port, l.Rules)
	}
	if err != nil {
		checkRefusal(t, l, err, func(l *egress.List) error { return l.Direct(netip.AddrPortFrom(a, port)) })
	}
	target, err := l.Host(host, port)
	if err != nil {
		return
	}
	dial, err := l.Address(target, a)
	if err != nil {
		checkRefusal(t, l, err, func(l *egress.List) error { _, err := l.Address(target, a); return err })
		return
	}
	if dial != netip.AddrPortFrom(a.Unmap(), port) {
		t.Errorf("%q at %v: dial %v", host, a, dial)
	}
	if special(l, a) && !listed(l, a, port) {
		t.Errorf("%q at %v: allowed, but listed by none of %v", host, a, l.Rules)
	}
}

// checkRefusal: a refusal says what it is about, and the rule that it names does allow it.
func checkRefusal(t *testing.T, l *egress.List, err error, ask func(*egress.List) error) {
	t.Helper()
	refused, ok := errors.AsType[*egress.Refusal](err)
	if !ok || refused.Reason == "" {
		t.Errorf("got %v, want a refusal", err)
		return
	}
	wantPrintable(t, err)
	if refused.Rule == "" {
		return
	}
	r, err := egress.Parse(refused.Rule)
	if err != nil {
		t.Errorf("%v: %v", refused, err)
		return
	}
	more := &egress.List{Rules: append(slices.Clip(l.Rules), r), Own: l.Own}
	if err := ask(more); err != nil {
		t.Errorf("%v\nbut with that: %v", refused, err)
	}
}

// special is a second reading of what a name may not lead to: addresses as texts of 32 digits, and
// what netip says of them. It knows fewer ranges.
func special(l *egress.List, a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, own := range l.Own {
		if own.Unmap() == a {
			return true
		}
	}
	if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return true
	}
	b := a.AsSlice()
	if a.Is4() {
		return b[0] == 0 || b[0] == 100 && b[1]&0xc0 == 64 || b[0] == 192 && b[1] == 0 && b[2] == 0 || b[0] == 198 && b[1]&0xfe == 18 || b[0] >= 224
	}
	digits := strings.ReplaceAll(a.StringExpanded(), ":", "")
	v4 := func(digits string) bool {
		b, _ := hex.DecodeString(digits)
		a, _ := netip.AddrFromSlice(b)
		return special(l, a)
	}
	switch {
	case strings.HasPrefix(digits, "0064ff9b0000000000000000"):
		return v4(digits[24:])
	case strings.HasPrefix(digits, "2002"):
		return v4(digits[4:12]) || digits[16:24] == "00005efe" && v4(digits[24:])
	case strings.HasPrefix(digits, "20010000"):
		client := strings.Map(func(r rune) rune {
			n, _ := strconv.ParseUint(string(r), 16, 8)
			return rune(strconv.FormatUint(15-n, 16)[0])
		}, digits[24:])
		return v4(digits[8:16]) || v4(client)
	}
	return digits[0] != '2' && digits[0] != '3' || digits[16:24] == "00005efe" && v4(digits[24:])
}

// listed is a second reading of which rules list an address: those whose prefix holds it and, if it
// is special, no address that differs in one bit and is not.
func listed(l *egress.List, a netip.Addr, port uint16) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(l.Rules, func(r egress.Rule) bool {
		host, ports := r.String(), "80 443"
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			host, ports = host[:i], host[i+1:]
		}
		if !slices.Contains(strings.Fields(ports), strconv.Itoa(int(port))) {
			return false
		}
		if host == "localhost" || strings.HasSuffix(host, ".localhost") {
			return a.String() == "127.0.0.1" || a.String() == "::1"
		}
		host = strings.Trim(host, "[]")
		if !strings.Contains(host, "/") {
			return host == a.String()
		}
		p, err := netip.ParsePrefix(host)
		if err != nil || !p.Contains(a) {
			return false
		}
		for _, own := range l.Own {
			if own.Unmap().WithZone("") == a && !a.IsLoopback() {
				return false // only by itself
			}
		}
		for i := p.Bits(); special(l, a) && i < a.BitLen(); i++ {
			b := a.AsSlice()
			b[i/8] ^= 0x80 >> (i % 8)
			if near, _ := netip.AddrFromSlice(b); !special(l, near) {
				return false
			}
		}
		return true
	})
}

// isAddress reads as inet_aton(3) does: up to four numbers, each decimal, octal or hexadecimal.
func isAddress(text string) bool {
	parts := strings.Split(text, ".")
	for i, part := range parts {
		limit := uint64(255)
		if i == len(parts)-1 {
			limit = 1<<(8*max(5-len(parts), 1)) - 1
		}
		digits, base := part, 10
		switch {
		case strings.HasPrefix(part, "0x") || strings.HasPrefix(part, "0X"):
			digits, base = part[2:], 16
		case len(part) > 1 && part[0] == '0':
			digits, base = part[1:], 8
		}
		if n, err := strconv.ParseUint(digits, base, 64); err != nil || n > limit {
			return false
		}
	}
	return len(parts) <= 4
}

// TestReadings: the second readings are no empty ones.
func TestReadings(t *testing.T) {
	for _, text := range []string{"127.1", "0x7f.1", "2130706433", "0177.0.0.1", "1.2.3.4", "0x7F000001", "1.2.65535", "4294967295"} {
		if !isAddress(text) {
			t.Errorf("%s is no address", text)
		}
	}
	for _, text := range []string{"example.org", "1.2.3.4.5", "256.1", "4294967296", "1.2.3.a", "a.1", "08.1"} {
		if isAddress(text) {
			t.Errorf("%s is an address", text)
		}
	}
	l := listOf(t, "10.0.0.0/8:80 0.0.0.0/1:80 localhost:80 [fd00::1]:80")
	for text, want := range map[string]bool{"10.1.2.3": true, "127.0.0.1": true, "127.0.0.2": false, "8.8.8.8": true, "fd00::1": true, "fd00::2": false} {
		if a := netip.MustParseAddr(text); listed(l, a, 80) != want || listed(l, a, 81) || special(l, a) != (text != "8.8.8.8") {
			t.Errorf("%s: listed %v, special %v", text, listed(l, a, 80), special(l, a))
		}
	}
}
