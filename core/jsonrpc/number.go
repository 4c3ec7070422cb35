package jsonrpc

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// Errors of the methods that read a number.
var (
	// ErrFraction: an integer was asked for and the number has a fraction.
	ErrFraction = errors.New("jsonrpc: number is not an integer")

	// ErrRange: the number does not fit the type that was asked for.
	ErrRange = errors.New("jsonrpc: number out of range")
)

// Uint64 returns v if it is an integer from 0 to 2^64-1. As in JSON Schema an
// integer is a matter of value, not of spelling: 1.0 and 1e3 are integers and
// are read exactly. It returns [ErrType], [ErrFraction] or [ErrRange].
func (v Value) Uint64() (uint64, error) {
	n, negative, err := v.integer()
	if err == nil && negative && n != 0 {
		return 0, ErrRange
	}
	return n, err
}

// Int64 returns v if it is an integer from -2^63 to 2^63-1, as [Value.Uint64]
// does.
func (v Value) Int64() (int64, error) {
	n, negative, err := v.integer()
	switch {
	case err != nil:
		return 0, err
	case negative && n <= -math.MinInt64:
		return int64(-n), nil
	case !negative && n <= math.MaxInt64:
		return int64(n), nil
	}
	return 0, ErrRange
}

// Float64 returns the float64 nearest to v. It returns [ErrType], or [ErrRange]
// if that is an infinity.
func (v Value) Float64() (float64, error) {
	if v.Kind() != Number {
		return 0, ErrType
	}
	f, err := strconv.ParseFloat(string(v.raw), 64)
	if err != nil {
		return 0, ErrRange
	}
	return f, nil
}

// integer returns the magnitude and sign of v.
//
// The digits are read as one integer, point or not, and zeros are multiplied in
// only when another digit follows. So n does not end in a zero, and v is an
// integer exactly if the power of ten that remains is not negative.
func (v Value) integer() (n uint64, negative bool, err error) {
	if v.Kind() != Number {
		return 0, false, ErrType
	}
	digits := v.raw
	if digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	var power, pending int64 // powers of ten: to come, not yet multiplied in
	var point, overflow bool
	for i, c := range digits {
		if c == 'e' || c == 'E' {
			power += exponent(digits[i+1:])
			break
		}
		if c == '.' {
			point = true
			continue
		}
		if point {
			power--
		}
		pending++
		if c == '0' {
			continue
		}
		if n != 0 && !scale(&n, pending) {
			overflow = true
		}
		sum, carry := bits.Add64(n, uint64(c-'0'), 0)
		n, overflow, pending = sum, overflow || carry != 0, 0
	}
	power += pending
	switch {
	case n == 0 && !overflow:
		return 0, negative, nil
	case power < 0:
		return 0, negative, ErrFraction
	case overflow || !scale(&n, power):
		return 0, negative, ErrRange
	}
	return n, negative, nil
}

// scale multiplies n by ten to the power. It returns false if that overflows;
// n, which is not 0, is then unspecified.
func scale(n *uint64, power int64) bool {
	if power > 19 { // 10^20 > 2^64
		return false
	}
	for range power {
		hi, lo := bits.Mul64(*n, 10)
		if hi != 0 {
			return false
		}
		*n = lo
	}
	return true
}

// exponent returns the value of the exponent p, clamped to a magnitude that no
// number of digits in a text can make up for.
func exponent(p []byte) (n int64) {
	const limit = 1 << 48
	sign := int64(1)
	switch p[0] {
	case '-':
		sign, p = -1, p[1:]
	case '+':
		p = p[1:]
	}
	for _, c := range p {
		n = min(n*10+int64(c-'0'), limit)
	}
	return sign * n
}
