package order

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
)

// compare compares two keys.
func (o *ordering) compare(a, b []byte, seed maphash.Seed) int {
	if o.dict || o.print || o.fold && o.mode != 0 {
		a, b = o.filter(a), o.filter(b)
	}
	c := 0
	switch o.mode {
	case 'n':
		c = compareNumbers(a, b)
	case 'g':
		c = compareFloats(a, b)
	case 'h':
		c = compareHuman(a, b)
	case 'M':
		c = cmp.Compare(month(a), month(b))
	case 'V':
		c = compareVersions(a, b)
	case 'R':
		c = cmp.Compare(maphash.Bytes(seed, a), maphash.Bytes(seed, b))
	default:
		if c = bytes.Compare(a, b); o.fold && c != 0 {
			c = compareFolded(a, b)
		}
	}
	if o.reverse {
		return -c
	}
	return c
}

// filter returns p without what does not count, in upper case if case does not count.
func (o *ordering) filter(p []byte) []byte {
	out := make([]byte, 0, len(p))
	for _, c := range p {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if o.dict && !(letter || '0' <= c && c <= '9' || isBlank(c)) || o.print && (c < ' ' || c > '~') {
			continue
		}
		if o.fold {
			c = upper(c)
		}
		out = append(out, c)
	}
	return out
}

// compareFolded compares without case.
func compareFolded(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Compare(upper(a[i]), upper(b[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// A number is a decimal number of any length: its sign, its digits before the point without zeros
// in front, and those behind it without zeros at the end.
type number struct {
	negative    bool
	whole, rest []byte
	end         []byte // what follows the number
}

func parseNumber(p []byte) (n number) {
	for len(p) > 0 && isBlank(p[0]) {
		p = p[1:]
	}
	if len(p) > 0 && p[0] == '-' {
		n.negative = true
		p = p[1:]
	}
	i := 0
	for i < len(p) && '0' <= p[i] && p[i] <= '9' {
		i++
	}
	n.whole, p = bytes.TrimLeft(p[:i], "0"), p[i:]
	if len(p) > 0 && p[0] == '.' {
		i = 1
		for i < len(p) && '0' <= p[i] && p[i] <= '9' {
			i++
		}
		n.rest, p = bytes.TrimRight(p[1:i], "0"), p[i:]
	}
	n.end = p
	if len(n.whole) == 0 && len(n.rest) == 0 {
		n.negative = false
	}
	return n
}

func (n number) compare(m number) int {
	if n.negative != m.negative {
		if n.negative {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(len(n.whole), len(m.whole)), bytes.Compare(n.whole, m.whole), bytes.Compare(n.rest, m.rest))
	if n.negative {
		return -c
	}
	return c
}

func compareNumbers(a, b []byte) int { return parseNumber(a).compare(parseNumber(b)) }

// compareHuman compares numbers with a unit such as 2K and 1G: by sign, then unit, then number.
func compareHuman(a, b []byte) int {
	n, m := parseNumber(a), parseNumber(b)
	if c := cmp.Compare(unit(n), unit(m)); c != 0 {
		return c
	}
	return n.compare(m)
}

func unit(n number) int {
	u := 0
	if len(n.end) > 0 {
		u = strings.IndexByte("KMGTPEZY", n.end[0]) + 1
		if n.end[0] == 'k' {
			u = 1
		}
	}
	if n.negative {
		return -u
	}
	if len(n.whole) == 0 && len(n.rest) == 0 {
		return 0
	}
	return u
}

// compareFloats orders what is no number first, then NaN, then numbers.
func compareFloats(a, b []byte) int {
	x, okX := float(a)
	y, okY := float(b)
	switch {
	case okX != okY:
		if okX {
			return 1
		}
		return -1
	case !okX:
		return 0
	}
	return cmp.Compare(x, y)
}

// float parses the longest beginning of p that is a number.
func float(p []byte) (float64, bool) {
	s := strings.TrimLeft(string(p[:min(len(p), 400)]), " \t\n")
	end := strings.IndexFunc(s, func(c rune) bool { return !strings.ContainsRune("+-.0123456789eExXabcdefABCDEFpPinfINFtyTYNan", c) })
	if end >= 0 {
		s = s[:end]
	}
	for ; s != ""; s = s[:len(s)-1] {
		text := s
		if strings.HasPrefix(strings.TrimLeft(strings.ToLower(s), "+-"), "0x") && !strings.ContainsAny(s, "pP") {
			text += "p0" // Go wants an exponent
		}
		f, err := strconv.ParseFloat(text, 64)
		if err == nil || math.IsInf(f, 0) {
			return f, true
		}
	}
	return 0, false
}

// month returns 1 to 12 for a key that begins with a month's name, else 0.
func month(p []byte) int {
	p = bytes.TrimLeft(p, " \t\n")
	if len(p) < 3 {
		return 0
	}
	i := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(string(p[:3])))
	if i%3 != 0 {
		return 0
	}
	return i/3 + 1
}
