package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// byteSize is a flag's number of bytes: "500", "64KiB", "2MiB", "1GiB".
type byteSize int64

var units = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

// Set implements pflag.Value.
func (s *byteSize) Set(text string) error {
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		switch {
		case err != nil:
			return errors.New("want bytes, as in 500, 64KiB, 2MiB or 1GiB")
		case n > math.MaxInt64/uint64(u.size):
			return errors.New("out of range")
		}
		*s = byteSize(int64(n) * u.size)
		return nil
	}
	return nil // not reached: every text ends in ""
}

// String implements pflag.Value, in the largest unit that loses nothing.
func (s *byteSize) String() string {
	n := int64(*s)
	for _, u := range units {
		if n != 0 && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return "0"
}

// Type implements pflag.Value.
func (s *byteSize) Type() string { return "bytes" }
