package sys

import (
	"fmt"
	"math/bits"
	"strconv"
)

// Human writes a size in bytes for people: 1.5K, 12M. It rounds up. base is 1024, or 1000 for
// lower-case k.
func Human(n int64, base int64) string {
	if n < base {
		return strconv.FormatInt(n, 10)
	}
	units := "KMGTPE"
	if base == 1000 {
		units = "kMGTPE"
	}
	unit, i := base, 0
	for i < len(units)-1 && n/unit >= base {
		unit *= base
		i++
	}
	for ; ; i, unit = i+1, unit*base {
		rest := n % unit
		hi, lo := bits.Mul64(uint64(rest), 10) // which may not fit
		more, left := bits.Div64(hi, lo, uint64(unit))
		tenths := n/unit*10 + int64(more)
		if left > 0 {
			tenths++
		}
		if tenths < 100 {
			return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, units[i])
		}
		whole := n / unit
		if rest > 0 {
			whole++
		}
		if whole < base || i == len(units)-1 {
			return fmt.Sprintf("%d%c", whole, units[i])
		}
	}
}

// ParseBlockSize reads a block size such as 1K, KB or M, and returns the suffix that sizes in it
// are shown with.
func ParseBlockSize(s string) (size int64, suffix string, ok bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	n := int64(1)
	if i > 0 {
		var err error
		if n, err = strconv.ParseInt(s[:i], 10, 40); err != nil || n == 0 {
			return 0, "", false
		}
	}
	unit := s[i:]
	if i == 0 {
		suffix = unit
	}
	if unit == "" {
		return n, "", i > 0
	}
	base := int64(1024)
	switch {
	case len(unit) == 2 && unit[1] == 'B':
		base = 1000
	case len(unit) == 1, unit[1:] == "iB":
	default:
		return 0, "", false
	}
	for _, u := range "KMGTPE" {
		if n > 1<<62/base {
			return 0, "", false
		}
		n *= base
		if unit[0]&^0x20 == byte(u) {
			return n, suffix, true
		}
	}
	return 0, "", false
}
