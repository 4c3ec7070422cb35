package bc

import "math/big"

// library returns a function of -l, or nil. It computes with x as a whole number of 10^-places, and
// returns such a one.
func library(name string) func(b *bc, x *big.Int, places int) *big.Int {
	return map[string]func(b *bc, x *big.Int, places int) *big.Int{
		"s": func(b *bc, x *big.Int, places int) *big.Int { return sine(b, x, places) },
		"c": func(b *bc, x *big.Int, places int) *big.Int {
			return sine(b, new(big.Int).Add(x, new(big.Int).Rsh(pi(b, places), 1)), places)
		},
		"a": arctangent,
		"e": exponential,
		"l": logarithm,
		"j": func(_ *bc, x *big.Int, _ int) *big.Int { return x }, // bessel computes it
	}[name]
}

// guard is how many places more are computed than are asked for.
const guard = 12

// maxExponent bounds what e() raises to: beyond it results have too many digits.
const maxExponent = 100_000

func (b *bc) callLibrary(n *node, f func(b *bc, x *big.Int, places int) *big.Int) number {
	want := 1
	if n.name == "j" {
		want = 2
	}
	if len(n.kids) != want {
		b.fail("Parameter number mismatch")
	}
	args := make([]number, want)
	for i, kid := range n.kids {
		args[i] = b.eval(kid)
	}
	scale, x := b.scale, args[want-1]
	if scale > maxScale/10 {
		b.fail("scale too large")
	}
	digits := max(0, x.length()-x.scale)
	places := scale + guard + digits
	switch n.name {
	case "l":
		if x.sign() <= 0 {
			return div(sub(one, number{power10(scale), 0}), one, scale)
		}
	case "e":
		exponent, ok := x.int(maxExponent)
		if !ok {
			b.fail("number too large")
		}
		places += max(0, exponent) // digits of the result are fewer
	case "j":
		return b.bessel(args[0], x, scale)
	}
	if x.sign() == 0 && (n.name == "s" || n.name == "a") {
		return zero
	}
	return number{f(b, x.rescaled(places).digits, places), places}.rescaled(scale)
}

// series adds first, and what next makes of each term, until nothing is left of it.
func series(b *bc, first *big.Int, next func(term *big.Int, i int64)) *big.Int {
	sum, term := new(big.Int).Set(first), new(big.Int).Set(first)
	for i := int64(1); term.Sign() != 0; i++ {
		b.step()
		next(term, i)
		sum.Add(sum, term)
	}
	return sum
}

func exponential(b *bc, x *big.Int, places int) *big.Int {
	unit := power10(places)
	// e^x = (e^(x/2^k))^(2^k)
	halvings := uint(max(0, x.BitLen()-unit.BitLen()+8))
	extra := int(halvings)/3 + 5
	unit.Mul(unit, power10(extra))
	y := new(big.Int).Mul(x, power10(extra))
	y.Quo(y, new(big.Int).Lsh(big.NewInt(1), halvings))
	sum := series(b, unit, func(term *big.Int, i int64) {
		term.Mul(term, y).Quo(term, unit).Quo(term, big.NewInt(i))
	})
	for range halvings {
		b.step()
		sum.Mul(sum, sum).Quo(sum, unit)
	}
	return sum.Quo(sum, power10(extra))
}

func logarithm(b *bc, x *big.Int, places int) *big.Int {
	places += 10
	unit := power10(places)
	y := new(big.Int).Mul(x, power10(10))
	// ln x = 2^k ln(x^(1/2^k)), and that near 1 by the series of the area tangent
	roots := uint(0)
	near := new(big.Int).Quo(unit, big.NewInt(20))
	for new(big.Int).Sub(y, unit).CmpAbs(near) > 0 {
		b.step()
		y.Sqrt(y.Mul(y, unit))
		roots++
	}
	t := new(big.Int).Sub(y, unit)
	t.Mul(t, unit).Quo(t, y.Add(y, unit))
	square := new(big.Int).Mul(t, t)
	square.Quo(square, unit)
	power := new(big.Int).Set(t)
	sum := series(b, t, func(term *big.Int, i int64) {
		power.Mul(power, square).Quo(power, unit)
		term.Quo(power, big.NewInt(2*i+1))
	})
	return sum.Lsh(sum, roots+1).Quo(sum, power10(10))
}

func arctangent(b *bc, x *big.Int, places int) *big.Int {
	places += 10
	unit := power10(places)
	y := new(big.Int).Mul(x, power10(10))
	square := func(n *big.Int) *big.Int {
		s := new(big.Int).Mul(n, n)
		return s.Quo(s, unit)
	}
	// atan x = 2 atan(x / (1 + sqrt(1 + x^2)))
	const halvings = 6
	for range halvings {
		root := square(y)
		root.Add(root, unit).Mul(root, unit).Sqrt(root).Add(root, unit)
		y.Mul(y, unit).Quo(y, root)
	}
	s := square(y)
	s.Neg(s)
	power := new(big.Int).Set(y)
	sum := series(b, y, func(term *big.Int, i int64) {
		power.Mul(power, s).Quo(power, unit)
		term.Quo(power, big.NewInt(2*i+1))
	})
	return sum.Lsh(sum, halvings).Quo(sum, power10(10))
}

func pi(b *bc, places int) *big.Int {
	quarter := arctangent(b, power10(places+5), places+5)
	return quarter.Lsh(quarter, 2).Quo(quarter, power10(5))
}

func sine(b *bc, x *big.Int, places int) *big.Int {
	unit, half := power10(places), pi(b, places)
	// Taken near 0: sin x = -sin(x - pi)
	turns := new(big.Int).Quo(new(big.Int).Add(x, new(big.Int).Rsh(half, 1)), half)
	y := new(big.Int).Sub(x, new(big.Int).Mul(turns, half))
	square := new(big.Int).Mul(y, y)
	square.Quo(square, unit).Neg(square)
	sum := series(b, y, func(term *big.Int, i int64) {
		term.Mul(term, square).Quo(term, unit).Quo(term, big.NewInt(2*i*(2*i+1)))
	})
	if turns.Bit(0) == 1 {
		sum.Neg(sum)
	}
	return sum
}

// bessel is the Bessel function of a whole order.
func (b *bc) bessel(order, x number, scale int) number {
	n, ok := order.int(1_000)
	size, ok2 := x.int(10_000)
	if !ok || !ok2 {
		b.fail("number too large")
	}
	negate := n < 0 && n%2 != 0
	n, size = max(n, -n), max(size, -size)
	places := scale + guard + size
	unit := power10(places)
	half := new(big.Int).Quo(x.rescaled(places).digits, big.NewInt(2))
	first := new(big.Int).Set(unit)
	for i := 1; i <= n; i++ {
		first.Mul(first, half).Quo(first, unit).Quo(first, big.NewInt(int64(i)))
	}
	square := new(big.Int).Mul(half, half)
	square.Quo(square, unit).Neg(square)
	sum := series(b, first, func(term *big.Int, i int64) {
		term.Mul(term, square).Quo(term, unit).Quo(term, big.NewInt(i*(i+int64(n))))
	})
	if negate {
		sum.Neg(sum)
	}
	return number{sum, places}.rescaled(scale)
}
