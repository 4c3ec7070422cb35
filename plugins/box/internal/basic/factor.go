package basic

import (
	"bufio"
	"math/big"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// maxFactorDigits bounds what is factored: beyond it even a number of two prime factors would take
// years.
const maxFactorDigits = 1000

// factor prints the prime factors of numbers.
func factor(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "")
	if opts == nil {
		return status
	}
	one := func(word string) {
		digits := strings.TrimPrefix(strings.TrimLeft(word, " \t\n"), "+")
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok || len(digits) > maxFactorDigits || strings.Trim(digits, "0123456789") != "" {
			env.Errorf("%s is not a valid positive integer", env.Quote(word))
			status = 1
			return
		}
		env.Out.WriteString(n.String() + ":")
		for _, p := range primes(env, n) {
			env.Out.WriteString(" " + p.String())
		}
		env.Out.WriteByte('\n')
	}
	for _, word := range opts.Operands {
		one(word)
	}
	if len(opts.Operands) > 0 {
		return status
	}
	words := bufio.NewScanner(env.Stdin)
	words.Split(bufio.ScanWords)
	for !env.Stopped() && words.Scan() {
		one(words.Text())
	}
	if err := words.Err(); err != nil {
		env.Errorf("error reading input: %s", tool.Strerror(err))
		status = 1
	}
	return status
}

// primes returns the prime factors of n in order; fewer, if the command is stopped.
func primes(env *tool.Env, n *big.Int) []*big.Int {
	var found []*big.Int
	const small = 1 << 12
	for p := uint64(2); p < small; p++ {
		d, rest := new(big.Int).SetUint64(p), new(big.Int)
		for n.Sign() > 0 {
			q, _ := new(big.Int).QuoRem(n, d, rest)
			if rest.Sign() != 0 {
				break
			}
			found, n = append(found, d), q
		}
		if n.IsUint64() && n.Uint64() < p*p {
			break
		}
	}
	left := []*big.Int{n}
	for len(left) > 0 && !env.Stopped() {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		switch {
		case n.Cmp(big.NewInt(1)) <= 0:
		case n.ProbablyPrime(20):
			found = append(found, n)
		default:
			d := divisor(env, n)
			left = append(left, d, new(big.Int).Quo(n, d))
		}
	}
	slices.SortFunc(found, (*big.Int).Cmp)
	return found
}

// divisor finds one of a number that has more than one, by Pollard's rho. 1 means that the command
// is stopped.
func divisor(env *tool.Env, n *big.Int) *big.Int {
	const many = 128 // steps between two looks at whether a divisor was met
	one := big.NewInt(1)
	for c := int64(1); ; c++ {
		add := big.NewInt(c)
		step := func(x *big.Int) { x.Mod(x.Add(x.Mul(x, x), add), n) }
		slow, fast, product, d := big.NewInt(2), big.NewInt(2), big.NewInt(1), new(big.Int)
		apart := new(big.Int)
		look := func(steps int) bool {
			product.SetInt64(1)
			for range steps {
				step(slow)
				step(fast)
				step(fast)
				product.Mod(product.Mul(product, apart.Abs(apart.Sub(slow, fast))), n)
			}
			return d.GCD(nil, nil, product, n).Cmp(one) == 0
		}
		before, ahead := new(big.Int), new(big.Int)
		for {
			if env.Stopped() {
				return one
			}
			before.Set(slow)
			ahead.Set(fast)
			if !look(many) {
				break
			}
		}
		if d.Cmp(n) != 0 {
			return d
		}
		slow.Set(before) // several at once: one step after the other
		fast.Set(ahead)
		for look(1) {
		}
		if d.Cmp(n) != 0 {
			return d
		}
	}
}
