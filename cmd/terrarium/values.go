package main

import (
	"errors"
	"math"
	"net"
	"strconv"
	"strings"
	"time"
)

// duration is a flag's time.Duration. A number without a unit is answered with
// what was probably meant.
type duration time.Duration

// Set implements pflag.Value.
func (d *duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err == nil {
		*d = duration(v)
		return nil
	}
	want := "want a time with its unit, as in 500ms, 90s or 1h30m"
	if _, err := time.ParseDuration(text + "s"); err == nil {
		want += ": " + text + "s?"
	}
	return errors.New(want)
}

// String implements pflag.Value.
func (d *duration) String() string { return time.Duration(*d).String() }

// Type implements pflag.Value.
func (d *duration) Type() string { return "duration" }

// repeated is a flag that may be given several times. pflag's own has encoding/csv print that it is
// empty, with 4 KiB for each of our flags at each start.
type repeated []string

// Set implements pflag.Value.
func (r *repeated) Set(text string) error {
	*r = append(*r, text)
	return nil
}

// String implements pflag.Value.
func (r *repeated) String() string { return strings.Join(*r, ",") }

// Type implements pflag.Value. Completion offers a flag again that is called so.
func (r *repeated) Type() string { return "stringArray" }

// address is a flag's HOST:PORT to listen on. HOST may be empty, which is all of this machine.
type address string

// Set implements pflag.Value.
func (a *address) Set(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return errors.New("want HOST:PORT, as in 127.0.0.1:8080")
	}
	*a = address(text)
	return nil
}

// String implements pflag.Value.
func (a *address) String() string { return string(*a) }

// Type implements pflag.Value.
func (a *address) Type() string { return "address" }

// count is a flag's number of many things: "500", "64k", "2M", "1G".
type count int64

var thousands = []struct {
	name string
	size int64
}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}}

// Set implements pflag.Value.
func (c *count) Set(text string) error {
	for _, u := range thousands {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && (n > math.MaxInt64/u.size || n < math.MinInt64/u.size):
			return errors.New("out of range")
		case err != nil:
			return errors.New("want a number, as in 500, 64k, 2M or 1G")
		}
		*c = count(n * u.size)
		return nil
	}
	return nil // not reached: every text ends in ""
}

// String implements pflag.Value.
func (c *count) String() string { return strconv.FormatInt(int64(*c), 10) }

// Type implements pflag.Value.
func (c *count) Type() string { return "count" }
