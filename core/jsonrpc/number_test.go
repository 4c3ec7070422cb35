package jsonrpc_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

func TestIntegers(t *testing.T) {
	errType, fraction, outside := jsonrpc.ErrType, jsonrpc.ErrFraction, jsonrpc.ErrRange
	for _, tt := range []struct {
		text   string
		u      uint64
		uerr   error
		i      int64
		ierr   error
		reason string
	}{
		{"0", 0, nil, 0, nil, ""},
		{"-0", 0, nil, 0, nil, "minus zero is zero"},
		{"-0.000e5", 0, nil, 0, nil, ""},
		{"0e999999999999999999999", 0, nil, 0, nil, "zero to any power"},
		{"42", 42, nil, 42, nil, ""},
		{"-42", 0, outside, -42, nil, ""},
		{"1.0", 1, nil, 1, nil, "JSON Schema has 1.0 as an integer"},
		{"1e3", 1000, nil, 1000, nil, ""},
		{"1E+3", 1000, nil, 1000, nil, ""},
		{"12.50e1", 125, nil, 125, nil, ""},
		{"12000e-3", 12, nil, 12, nil, ""},
		{"0.001e3", 1, nil, 1, nil, ""},
		{"100.00", 100, nil, 100, nil, ""},
		{"1.5", 0, fraction, 0, fraction, ""},
		{"-1.5", 0, fraction, 0, fraction, ""},
		{"15e-1", 0, fraction, 0, fraction, ""},
		{"1e-999999999999999999999", 0, fraction, 0, fraction, ""},
		{"1.0000000000000000000000000000001", 0, fraction, 0, fraction, "a float64 would not see it"},
		{"9007199254740993", 9007199254740993, nil, 9007199254740993, nil, "2^53+1"},
		{"9223372036854775807", math.MaxInt64, nil, math.MaxInt64, nil, ""},
		{"9223372036854775808", 1 << 63, nil, 0, outside, ""},
		{"-9223372036854775808", 0, outside, math.MinInt64, nil, ""},
		{"-9223372036854775809", 0, outside, 0, outside, ""},
		{"18446744073709551615", math.MaxUint64, nil, 0, outside, ""},
		{"1844674407370955161.5e1", math.MaxUint64, nil, 0, outside, ""},
		{"18446744073709551616", 0, outside, 0, outside, ""},
		{"18446744073709551620", 0, outside, 0, outside, ""},
		{"184467440737095516150", 0, outside, 0, outside, ""},
		{"99999999999999999999", 0, outside, 0, outside, ""},
		{"1e19", 1e19, nil, 0, outside, ""},
		{"1e20", 0, outside, 0, outside, ""},
		{"1e999999999999999999999", 0, outside, 0, outside, ""},
		{"1" + strings.Repeat("0", 400) + "e-400", 1, nil, 1, nil, ""},
		{"0." + strings.Repeat("0", 400) + "7e401", 7, nil, 7, nil, ""},
		{`"1"`, 0, errType, 0, errType, ""},
		{"null", 0, errType, 0, errType, ""},
	} {
		v := parse(t, tt.text)
		if got, err := v.Uint64(); err != tt.uerr || err == nil && got != tt.u {
			t.Errorf("Uint64 of %.40s: got %v, %v, want %v, %v %s", tt.text, got, err, tt.u, tt.uerr, tt.reason)
		}
		if got, err := v.Int64(); err != tt.ierr || err == nil && got != tt.i {
			t.Errorf("Int64 of %.40s: got %v, %v, want %v, %v %s", tt.text, got, err, tt.i, tt.ierr, tt.reason)
		}
	}
}

func TestFloat64(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64
		err  error
	}{
		{"0.1", 0.1, nil},
		{"-2.5e-3", -0.0025, nil},
		{"1e-400", 0, nil},
		{"1e400", 0, jsonrpc.ErrRange},
		{"-1e400", 0, jsonrpc.ErrRange},
		{"true", 0, jsonrpc.ErrType},
	} {
		if got, err := parse(t, tt.text).Float64(); got != tt.want || err != tt.err {
			t.Errorf("Float64 of %s: got %v, %v, want %v, %v", tt.text, got, err, tt.want, tt.err)
		}
	}
}

func FuzzInteger(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1.0", "1e3", "18446744073709551615", "1844674407370955161.5e1", "-9223372036854775808", "100e-2", "0.00100e3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonrpc.Parse([]byte(text))
		if err != nil || v.Kind() != jsonrpc.Number || len(text) > 100 {
			return
		}
		exact, ok := new(big.Rat).SetString(string(v.Raw()))
		if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 6 || !ok {
			return // more than the oracle should be asked to write out
		}
		u, err := v.Uint64()
		if want := exact.IsInt() && exact.Num().IsUint64(); (err == nil) != want || err == nil && u != exact.Num().Uint64() {
			t.Errorf("Uint64 of %s: got %v, %v", text, u, err)
		}
		if (err == jsonrpc.ErrFraction) == exact.IsInt() {
			t.Errorf("Uint64 of %s: got %v, want a fraction: %v", text, err, !exact.IsInt())
		}
		i, err := v.Int64()
		if want := exact.IsInt() && exact.Num().IsInt64(); (err == nil) != want || err == nil && i != exact.Num().Int64() {
			t.Errorf("Int64 of %s: got %v, %v", text, i, err)
		}
	})
}
