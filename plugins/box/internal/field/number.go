package field

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Numbers are what GNU's has them in: an extended double, of 64 bits of precision.
const longDouble = 64

const suffixes = "KMGTPEZY"

// maxDigits is how many digits are read, and how many are written without a scale.
const (
	maxDigits      = 27
	maxPlainDigits = 18
)

func float(n int64) *big.Float { return new(big.Float).SetPrec(longDouble).SetInt64(n) }

// power is base to the n.
func power(base int64, n int) *big.Float {
	v := float(1)
	for range n {
		v.Mul(v, float(base))
	}
	return v
}

// read reads a number, and counts the digits behind its point.
func (c *converter) read(text string) (v *big.Float, precision int, err error) {
	q := c.env.Quote
	invalid := fmt.Errorf("invalid number: %s", q(text))
	rest, negative := strings.CutPrefix(text, "-")
	v, n, rest, ok := readDigits(rest)
	if !ok {
		return nil, 0, fmt.Errorf("value too large to be converted: %s", q(text))
	}
	if n == 0 && !strings.HasPrefix(rest, ".") {
		return nil, 0, invalid
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		var f *big.Float
		if f, precision, rest, ok = readDigits(fraction); !ok {
			return nil, 0, fmt.Errorf("value too large to be converted: %s", q(text))
		}
		if precision == 0 {
			return nil, 0, invalid
		}
		v.Add(v, f.Quo(f, power(10, precision)))
	}
	if negative {
		v.Neg(v)
	}
	exponent, base := 0, int64(1000)
	if c.from == "iec" || c.from == "iec-i" {
		base = 1024
	}
	if rest = strings.TrimLeft(rest, " \t"); rest != "" {
		exponent = 1 + strings.IndexByte(suffixes, rest[0])
		if exponent == 0 {
			return nil, 0, fmt.Errorf("invalid suffix in input: %s", q(text))
		}
		if c.from == "none" {
			return nil, 0, fmt.Errorf("rejecting suffix in input: %s (consider using --from)", q(text))
		}
		rest = rest[1:]
		if c.from == "auto" && strings.HasPrefix(rest, "i") {
			base, rest = 1024, rest[1:]
		}
		precision = 0
	}
	if c.from == "iec-i" {
		if !strings.HasPrefix(rest, "i") {
			return nil, 0, fmt.Errorf("missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)", q(text))
		}
		rest = rest[1:]
	}
	if rest != "" {
		return nil, 0, fmt.Errorf("invalid suffix in input %s: %s", q(text), q(rest))
	}
	return v.Mul(v, power(base, exponent)), precision, nil
}

// readDigits reads a number that has no sign, and returns how many digits it has. It is not ok if
// they are too many.
func readDigits(s string) (v *big.Float, n int, rest string, ok bool) {
	v = float(0)
	counted := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		if v.Sign() != 0 || s[n] != '0' {
			counted++
		}
		if counted > maxDigits {
			return v, n, s[n:], false
		}
		v.Add(v.Mul(v, float(10)), float(int64(s[n]-'0')))
		n++
	}
	return v, n, s[n:], true
}

// show writes a number in the scale that is asked for.
func (c *converter) show(v *big.Float, precision int) (string, error) {
	_, digits := scaled(v, 10)
	g := func() string {
		f, _ := v.Float64()
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	switch {
	case c.to == "none" && digits+precision > maxPlainDigits && precision > 0:
		return "", fmt.Errorf("value/precision too large to be printed: '%s/%d' (consider using --to)", g(), precision)
	case c.to == "none" && digits > maxPlainDigits:
		return "", fmt.Errorf("value too large to be printed: '%s' (consider using --to)", g())
	case digits >= maxDigits:
		return "", errors.New("value too large to be printed: '" + g() + "' (cannot handle values > 999Y)")
	}
	if c.to == "none" {
		return c.fill(c.rounded(v, precision).Text('f', precision)), nil
	}
	base := int64(1000)
	if c.to != "si" {
		base = 1024
	}
	v, exponent := scaled(v, base)
	adjust := 0
	switch {
	case c.precision >= 0:
		adjust = min(3*exponent, c.precision)
	case less(v, 10):
		adjust = 1
	}
	v = c.rounded(v, adjust)
	if !less(v, base) {
		v.Quo(v, float(base))
		exponent++
	}
	places := 0
	if c.precision >= 0 {
		places = c.precision
	} else if v.Sign() != 0 && less(v, 10) && exponent > 0 {
		places = 1
	}
	s := c.fill(v.Text('f', places))
	if exponent > 0 {
		s += suffixes[exponent-1 : exponent]
		if c.to == "iec-i" {
			s += "i"
		}
	}
	return s, nil
}

// fill puts zeros before a number.
func (c *converter) fill(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	return sign + strings.Repeat("0", max(0, c.zeros-len(sign)-len(s))) + s
}

// less reports whether v is nearer to 0 than n.
func less(v *big.Float, n int64) bool { return new(big.Float).Abs(v).Cmp(float(n)) < 0 }

// scaled divides v by base until it is below, and counts how often.
func scaled(v *big.Float, base int64) (*big.Float, int) {
	v = new(big.Float).Copy(v)
	n := 0
	for ; !less(v, base); n++ {
		v.Quo(v, float(base))
	}
	return v, n
}

// rounded rounds v to so many digits behind its point.
func (c *converter) rounded(v *big.Float, places int) *big.Float {
	unit := power(10, places)
	v = new(big.Float).SetPrec(longDouble).Mul(v, unit)
	negative := v.Signbit()
	if c.round == "nearest" {
		half := new(big.Float).SetPrec(longDouble).SetFloat64(0.5)
		if negative {
			half.Neg(half)
		}
		v.Add(v, half)
	}
	whole, exact := v.Int(nil)
	if exact != big.Exact && (c.round == "from-zero" || c.round == "up" && !negative || c.round == "down" && negative) {
		step := int64(1)
		if negative {
			step = -1
		}
		whole.Add(whole, big.NewInt(step))
	}
	v = new(big.Float).SetPrec(longDouble).SetInt(whole)
	return v.Quo(v, unit)
}
