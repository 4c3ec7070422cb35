package tool

import (
	"math"
	"math/bits"
	"strings"
)

// ParseCount reads a count as coreutils do: digits with an optional multiplier such as k, K, KiB
// (1024), kB (1000), M, G, T, P, E, or b (512). Counts that do not fit are math.MaxInt64, which is
// as good as all there is.
func ParseCount(s string) (int64, bool) {
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	unit, ok := multiplier(s[digits:])
	if !ok || digits == 0 && s == "" {
		return 0, false
	}
	n := uint64(1) // "K" is 1K
	if digits > 0 {
		n = 0
	}
	for i := 0; i < digits; i++ {
		hi, lo := bits.Mul64(n, 10)
		if hi != 0 || lo > math.MaxInt64-9 {
			return math.MaxInt64, true
		}
		n = lo + uint64(s[i]-'0')
	}
	hi, lo := bits.Mul64(n, unit)
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(lo), true
}

func multiplier(suffix string) (uint64, bool) {
	switch suffix {
	case "":
		return 1, true
	case "b":
		return 512, true
	}
	i := strings.IndexByte("KMGTPE", suffix[0]&^0x20)
	if i < 0 || suffix[0] != 'k' && suffix[0] >= 'a' && suffix[0] != 'm' {
		return 0, false
	}
	base := uint64(1024)
	switch suffix[1:] {
	case "", "iB":
	case "B":
		base = 1000
	default:
		return 0, false
	}
	n := uint64(1)
	for ; i >= 0; i-- {
		n *= base
	}
	return n, true
}
