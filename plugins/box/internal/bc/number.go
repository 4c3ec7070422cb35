package bc

import (
	"math/big"
	"strings"
)

// A number is digits / 10^scale. Numbers are never changed.
type number struct {
	digits *big.Int
	scale  int
}

// Limits of numbers, so that what would take all memory or time ends with a message.
const (
	maxDigits = 1_000_000
	maxScale  = 100_000
)

var (
	zero = number{new(big.Int), 0}
	one  = number{big.NewInt(1), 0}
)

func fromInt(n int) number { return number{big.NewInt(int64(n)), 0} }

func truth(b bool) number {
	if b {
		return one
	}
	return zero
}

// power10 returns 10^n.
func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// rescaled returns n with so many places; what is beyond them is cut off.
func (n number) rescaled(scale int) number {
	switch {
	case scale > n.scale:
		return number{new(big.Int).Mul(n.digits, power10(scale-n.scale)), scale}
	case scale < n.scale:
		return number{new(big.Int).Quo(n.digits, power10(n.scale-scale)), scale}
	}
	return n
}

func aligned(a, b number) (x, y *big.Int, scale int) {
	scale = max(a.scale, b.scale)
	return a.rescaled(scale).digits, b.rescaled(scale).digits, scale
}

func (n number) sign() int { return n.digits.Sign() }

func (n number) neg() number { return number{new(big.Int).Neg(n.digits), n.scale} }

func compare(a, b number) int {
	x, y, _ := aligned(a, b)
	return x.Cmp(y)
}

func add(a, b number) number {
	x, y, scale := aligned(a, b)
	return number{new(big.Int).Add(x, y), scale}
}

func sub(a, b number) number { return add(a, b.neg()) }

// mul keeps as many places as the operands have, or as scale says if that is more, but not more
// than are exact.
func mul(a, b number, scale int) number {
	product := number{new(big.Int).Mul(a.digits, b.digits), a.scale + b.scale}
	return product.rescaled(min(product.scale, max(scale, a.scale, b.scale)))
}

// div cuts the quotient off at scale. b is not zero.
func div(a, b number, scale int) number {
	x := a.digits
	if shift := scale + b.scale - a.scale; shift >= 0 {
		x = new(big.Int).Mul(x, power10(shift))
		return number{new(big.Int).Quo(x, b.digits), scale}
	} else {
		y := new(big.Int).Mul(b.digits, power10(-shift))
		return number{new(big.Int).Quo(x, y), scale}
	}
}

// mod is what division with scale leaves. b is not zero.
func mod(a, b number, scale int) number {
	rest := max(a.scale, b.scale+scale)
	q := div(a, b, scale)
	return sub(a, number{new(big.Int).Mul(q.digits, b.digits), q.scale + b.scale}.rescaled(rest)).rescaled(rest)
}

// power raises to a whole exponent, which fits an int.
func power(base number, exponent, scale int) (number, bool) {
	if exponent == 0 {
		return one, true
	}
	n := exponent
	if n < 0 {
		n = -n
	}
	if digits := base.digits.BitLen() * 30103 / 100000; base.digits.CmpAbs(big.NewInt(1)) > 0 && (n > maxDigits || digits*n > maxDigits) || base.scale*n > 4*maxDigits {
		return zero, false
	}
	raised := number{new(big.Int).Exp(base.digits, big.NewInt(int64(n)), nil), base.scale * n}
	if exponent < 0 {
		if raised.sign() == 0 {
			return zero, true
		}
		return div(one, raised, scale), true
	}
	return raised.rescaled(min(raised.scale, max(scale, base.scale))), true
}

// sqrt is the root cut off at the larger of scale and the number's own. n is not negative.
func sqrt(n number, scale int) number {
	scale = max(scale, n.scale)
	x := n.rescaled(2 * scale)
	return number{new(big.Int).Sqrt(x.digits), scale}
}

// length counts the digits that count, places after the point included.
func (n number) length() int {
	digits := len(new(big.Int).Abs(n.digits).String())
	if n.sign() == 0 {
		digits = 1
	}
	return max(digits, n.scale, 1)
}

// whole returns the number without its places.
func (n number) whole() *big.Int { return new(big.Int).Quo(n.digits, power10(n.scale)) }

// int returns the number's whole part if it is at most so large.
func (n number) int(limit int) (int, bool) {
	w := n.whole()
	if !w.IsInt64() || w.Int64() > int64(limit) || w.Int64() < -int64(limit) {
		return 0, false
	}
	return int(w.Int64()), true
}

// parseNumber reads digits in a base. A digit too large for it counts as the largest, unless it is
// alone.
func parseNumber(s string, base int) number {
	before, after, _ := strings.Cut(s, ".")
	if base == 10 && strings.Trim(s, "0123456789.") == "" {
		digits, ok := new(big.Int).SetString("0"+before+after, 10)
		if !ok {
			return zero
		}
		return number{digits, len(after)}
	}
	single := len(s) == 1
	digit := func(c byte) *big.Int {
		d := int(c - '0')
		if c >= 'A' {
			d = int(c-'A') + 10
		}
		if d >= base && !single {
			d = base - 1
		}
		return big.NewInt(int64(d))
	}
	n, b := new(big.Int), big.NewInt(int64(base))
	for i := range len(before) {
		n.Mul(n, b).Add(n, digit(before[i]))
	}
	if after == "" {
		return number{n, 0}
	}
	fraction, divisor := new(big.Int), big.NewInt(1)
	for i := range len(after) {
		fraction.Mul(fraction, b).Add(fraction, digit(after[i]))
		divisor.Mul(divisor, b)
	}
	return add(number{n, 0}, div(number{fraction, 0}, number{divisor, 0}, len(after)))
}

const digitNames = "0123456789ABCDEF"

// format writes a number in a base. Bases above 16 write each digit as a decimal number with a
// blank before.
func (n number) format(base int) string {
	var b strings.Builder
	if n.sign() < 0 {
		b.WriteByte('-')
	}
	abs := new(big.Int).Abs(n.digits)
	if base == 10 {
		s := abs.String()
		if len(s) <= n.scale {
			s = strings.Repeat("0", n.scale-len(s)+1) + s
		}
		before, after := strings.TrimLeft(s[:len(s)-n.scale], "0"), s[len(s)-n.scale:]
		if n.sign() == 0 {
			return "0"
		}
		b.WriteString(before)
		if after != "" {
			b.WriteString("." + after)
		}
		return b.String()
	}
	if n.sign() == 0 {
		return "0"
	}
	unit := power10(n.scale)
	whole, rest := new(big.Int).QuoRem(abs, unit, new(big.Int))
	writeWhole(&b, whole, base)
	if n.scale == 0 {
		return b.String()
	}
	b.WriteByte('.')
	bigBase, limit, reached := big.NewInt(int64(base)), unit, big.NewInt(1)
	for first := true; reached.Cmp(limit) < 0; first = false {
		rest.Mul(rest, bigBase)
		digit, remaining := new(big.Int).QuoRem(rest, unit, new(big.Int))
		rest = remaining
		writeDigit(&b, int(digit.Int64()), base, first)
		reached.Mul(reached, bigBase)
	}
	return b.String()
}

func writeWhole(b *strings.Builder, n *big.Int, base int) {
	if n.Sign() == 0 {
		return
	}
	if base <= 16 {
		b.WriteString(strings.ToUpper(n.Text(base)))
		return
	}
	var digits []int
	bigBase, digit := big.NewInt(int64(base)), new(big.Int)
	for n = new(big.Int).Set(n); n.Sign() > 0; {
		n.QuoRem(n, bigBase, digit)
		digits = append(digits, int(digit.Int64()))
	}
	for i := len(digits) - 1; i >= 0; i-- {
		writeDigit(b, digits[i], base, false)
	}
}

func writeDigit(b *strings.Builder, digit, base int, first bool) {
	if base <= 16 {
		b.WriteByte(digitNames[digit])
		return
	}
	if !first {
		b.WriteByte(' ')
	}
	s := big.NewInt(int64(digit)).String()
	width := len(big.NewInt(int64(base - 1)).String())
	b.WriteString(strings.Repeat("0", width-len(s)) + s)
}
