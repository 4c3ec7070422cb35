package cprintf

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// What the tables want was written by glibc 2.36. They leave out %.0a, which it rounds to 0x2p+0
// and Go to 0x1p+1.

func TestInt(t *testing.T) {
	for _, c := range []struct {
		format string
		n      int64
		want   string
	}{
		{"%d", 0, "0"},
		{"%d", 42, "42"},
		{"%d", -9223372036854775808, "-9223372036854775808"},
		{"%5d", -1, "   -1"},
		{"%5d", 9223372036854775807, "9223372036854775807"},
		{"%-5d|", 1, "1    |"},
		{"%-5d|", -42, "-42  |"},
		{"%05d", 0, "00000"},
		{"%05d", 42, "00042"},
		{"%05d", -9223372036854775808, "-9223372036854775808"},
		{"%+d", -1, "-1"},
		{"%+d", 9223372036854775807, "+9223372036854775807"},
		{"% d", 1, " 1"},
		{"% d", -42, "-42"},
		{"%.3d", 0, "000"},
		{"%.3d", 42, "042"},
		{"%.3d", -9223372036854775808, "-9223372036854775808"},
		{"%8.3d", -1, "    -001"},
		{"%8.3d", 9223372036854775807, "9223372036854775807"},
		{"%08.3d", 0, "     000"},
		{"%08.3d", 1, "     001"},
		{"%08.3d", -1, "    -001"},
		{"%08.3d", 42, "     042"},
		{"%08.3d", -42, "    -042"},
		{"%08.3d", 9223372036854775807, "9223372036854775807"},
		{"%08.3d", -9223372036854775808, "-9223372036854775808"},
		{"%.0d", 0, ""},
		{"%.0d", 1, "1"},
		{"%.0d", -1, "-1"},
		{"%.0d", 42, "42"},
		{"%.0d", -42, "-42"},
		{"%.0d", 9223372036854775807, "9223372036854775807"},
		{"%.0d", -9223372036854775808, "-9223372036854775808"},
		{"%+05d", 0, "+0000"},
		{"%+05d", 1, "+0001"},
		{"%+05d", -1, "-0001"},
		{"%+05d", 42, "+0042"},
		{"%+05d", -42, "-0042"},
		{"%+05d", 9223372036854775807, "+9223372036854775807"},
		{"%+05d", -9223372036854775808, "-9223372036854775808"},
		{"%i", 0, "0"},
		{"%i", 1, "1"},
		{"%i", -1, "-1"},
		{"%i", 42, "42"},
		{"%i", -42, "-42"},
		{"%i", 9223372036854775807, "9223372036854775807"},
		{"%i", -9223372036854775808, "-9223372036854775808"},
	} {
		d, rest := parse(t, c.format)
		if got := d.Int(c.n) + rest; got != c.want {
			t.Errorf("%s of %d: got %q, want %q", c.format, c.n, got, c.want)
		}
	}
}

func TestUint(t *testing.T) {
	for _, c := range []struct {
		format string
		n      uint64
		want   string
	}{
		{"%o", 0, "0"},
		{"%o", 255, "377"},
		{"%#o", 1, "01"},
		{"%#o", 18446744073709551615, "01777777777777777777777"},
		{"%x", 0, "0"},
		{"%x", 255, "ff"},
		{"%#x", 1, "0x1"},
		{"%#x", 18446744073709551615, "0xffffffffffffffff"},
		{"%X", 0, "0"},
		{"%X", 255, "FF"},
		{"%#X", 1, "0X1"},
		{"%#X", 18446744073709551615, "0XFFFFFFFFFFFFFFFF"},
		{"%#08x", 0, "00000000"},
		{"%#08x", 255, "0x0000ff"},
		{"%u", 1, "1"},
		{"%u", 18446744073709551615, "18446744073709551615"},
		{"%.4x", 0, "0000"},
		{"%.4x", 255, "00ff"},
		{"%#.4x", 0, "0000"},
		{"%#.4x", 1, "0x0001"},
		{"%#.4x", 255, "0x00ff"},
		{"%#.4x", 18446744073709551615, "0xffffffffffffffff"},
		{"%#10.4o", 0, "      0000"},
		{"%#10.4o", 1, "      0001"},
		{"%#10.4o", 255, "      0377"},
		{"%#10.4o", 18446744073709551615, "01777777777777777777777"},
		{"%#.0x", 0, ""},
		{"%#.0x", 1, "0x1"},
		{"%#.0x", 255, "0xff"},
		{"%#.0x", 18446744073709551615, "0xffffffffffffffff"},
		{"%#.0o", 0, "0"},
		{"%#.0o", 1, "01"},
		{"%#.0o", 255, "0377"},
		{"%#.0o", 18446744073709551615, "01777777777777777777777"},
	} {
		d, rest := parse(t, c.format)
		if got := d.Uint(c.n) + rest; got != c.want {
			t.Errorf("%s of %d: got %q, want %q", c.format, c.n, got, c.want)
		}
	}
}

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		format string
		x      float64
		want   string
	}{
		{"%f", 0, "0.000000"},
		{"%f", -2.5, "-2.500000"},
		{"%f", 1000000, "1000000.000000"},
		{"%f", math.NaN(), "nan"},
		{"%f", 1.5, "1.500000"},
		{"%.0f", 1, "1"},
		{"%.0f", 100000, "100000"},
		{"%.0f", 0.0001, "0"},
		{"%.0f", math.Inf(-1), "-inf"},
		{"%.0f", 0.5, "0"},
		{"%#.0f", 0, "0."},
		{"%#.0f", math.Copysign(0, -1), "-0."},
		{"%#.0f", 1, "1."},
		{"%#.0f", -2.5, "-2."},
		{"%#.0f", 3.1415899999999999, "3."},
		{"%#.0f", 100000, "100000."},
		{"%#.0f", 1000000, "1000000."},
		{"%#.0f", 1.0000000000000001e-05, "0."},
		{"%#.0f", 0.0001, "0."},
		{"%#.0f", math.Inf(1), "inf"},
		{"%#.0f", math.Inf(-1), "-inf"},
		{"%#.0f", math.NaN(), "nan"},
		{"%#.0f", 999999.5, "1000000."},
		{"%#.0f", 0.5, "0."},
		{"%#.0f", 1.5, "2."},
		{"%e", 0, "0.000000e+00"},
		{"%e", -2.5, "-2.500000e+00"},
		{"%e", 1000000, "1.000000e+06"},
		{"%e", math.NaN(), "nan"},
		{"%e", 1.5, "1.500000e+00"},
		{"%.0e", 1, "1e+00"},
		{"%.0e", 100000, "1e+05"},
		{"%.0e", 0.0001, "1e-04"},
		{"%.0e", math.Inf(-1), "-inf"},
		{"%.0e", 0.5, "5e-01"},
		{"%#.0e", 0, "0.e+00"},
		{"%#.0e", math.Copysign(0, -1), "-0.e+00"},
		{"%#.0e", 1, "1.e+00"},
		{"%#.0e", -2.5, "-2.e+00"},
		{"%#.0e", 3.1415899999999999, "3.e+00"},
		{"%#.0e", 100000, "1.e+05"},
		{"%#.0e", 1000000, "1.e+06"},
		{"%#.0e", 1.0000000000000001e-05, "1.e-05"},
		{"%#.0e", 0.0001, "1.e-04"},
		{"%#.0e", math.Inf(1), "inf"},
		{"%#.0e", math.Inf(-1), "-inf"},
		{"%#.0e", math.NaN(), "nan"},
		{"%#.0e", 999999.5, "1.e+06"},
		{"%#.0e", 0.5, "5.e-01"},
		{"%#.0e", 1.5, "2.e+00"},
		{"%E", 0, "0.000000E+00"},
		{"%E", -2.5, "-2.500000E+00"},
		{"%E", 1000000, "1.000000E+06"},
		{"%E", math.NaN(), "NAN"},
		{"%E", 1.5, "1.500000E+00"},
		{"%g", 1, "1"},
		{"%g", 100000, "100000"},
		{"%g", 0.0001, "0.0001"},
		{"%g", math.Inf(-1), "-inf"},
		{"%g", 0.5, "0.5"},
		{"%#g", 0, "0.00000"},
		{"%#g", math.Copysign(0, -1), "-0.00000"},
		{"%#g", 1, "1.00000"},
		{"%#g", -2.5, "-2.50000"},
		{"%#g", 3.1415899999999999, "3.14159"},
		{"%#g", 100000, "100000."},
		{"%#g", 1000000, "1.00000e+06"},
		{"%#g", 1.0000000000000001e-05, "1.00000e-05"},
		{"%#g", 0.0001, "0.000100000"},
		{"%#g", math.Inf(1), "inf"},
		{"%#g", math.Inf(-1), "-inf"},
		{"%#g", math.NaN(), "nan"},
		{"%#g", 0.5, "0.500000"},
		{"%#g", 1.5, "1.50000"},
		{"%.3g", 0, "0"},
		{"%.3g", -2.5, "-2.5"},
		{"%.3g", 1000000, "1e+06"},
		{"%.3g", math.NaN(), "nan"},
		{"%.3g", 1.5, "1.5"},
		{"%G", 1, "1"},
		{"%G", 100000, "100000"},
		{"%G", 0.0001, "0.0001"},
		{"%G", math.Inf(-1), "-INF"},
		{"%G", 0.5, "0.5"},
		{"%#.0g", 0, "0."},
		{"%#.0g", math.Copysign(0, -1), "-0."},
		{"%#.0g", 1, "1."},
		{"%#.0g", -2.5, "-2."},
		{"%#.0g", 3.1415899999999999, "3."},
		{"%#.0g", 100000, "1.e+05"},
		{"%#.0g", 1000000, "1.e+06"},
		{"%#.0g", 1.0000000000000001e-05, "1.e-05"},
		{"%#.0g", 0.0001, "0.0001"},
		{"%#.0g", math.Inf(1), "inf"},
		{"%#.0g", math.Inf(-1), "-inf"},
		{"%#.0g", math.NaN(), "nan"},
		{"%#.0g", 999999.5, "1.e+06"},
		{"%#.0g", 0.5, "0.5"},
		{"%#.0g", 1.5, "2."},
		{"%a", 0, "0x0p+0"},
		{"%a", -2.5, "-0x1.4p+1"},
		{"%a", 1000000, "0x1.e848p+19"},
		{"%a", math.NaN(), "nan"},
		{"%a", 1.5, "0x1.8p+0"},
		{"%#a", 1, "0x1.p+0"},
		{"%.2a", 0, "0x0.00p+0"},
		{"%.2a", -2.5, "-0x1.40p+1"},
		{"%.2a", 1000000, "0x1.e8p+19"},
		{"%.2a", math.NaN(), "nan"},
		{"%.2a", 1.5, "0x1.80p+0"},
		{"%A", 1, "0X1P+0"},
		{"%A", 100000, "0X1.86AP+16"},
		{"%A", 0.0001, "0X1.A36E2EB1C432DP-14"},
		{"%A", math.Inf(-1), "-INF"},
		{"%A", 0.5, "0X1P-1"},
		{"%010.2f", math.Copysign(0, -1), "-000000.00"},
		{"%010.2f", 3.1415899999999999, "0000003.14"},
		{"%010.2f", 1.0000000000000001e-05, "0000000.00"},
		{"%010.2f", math.Inf(1), "       inf"},
		{"%010.2f", 999999.5, "0999999.50"},
		{"%-10.2f|", 0, "0.00      |"},
		{"%-10.2f|", -2.5, "-2.50     |"},
		{"%-10.2f|", 1000000, "1000000.00|"},
		{"%-10.2f|", math.NaN(), "nan       |"},
		{"%-10.2f|", 1.5, "1.50      |"},
		{"%+.1f", 1, "+1.0"},
		{"%+.1f", 100000, "+100000.0"},
		{"%+.1f", 0.0001, "+0.0"},
		{"%+.1f", math.Inf(-1), "-inf"},
		{"%+.1f", 0.5, "+0.5"},
		{"% .1f", math.Copysign(0, -1), "-0.0"},
		{"% .1f", 3.1415899999999999, " 3.1"},
		{"% .1f", 1.0000000000000001e-05, " 0.0"},
		{"% .1f", math.Inf(1), " inf"},
		{"% .1f", 999999.5, " 999999.5"},
		{"%+g", 0, "+0"},
		{"%+g", -2.5, "-2.5"},
		{"%+g", 1000000, "+1e+06"},
		{"%+g", math.NaN(), "+nan"},
		{"%+g", 1.5, "+1.5"},
		{"%010g", 1, "0000000001"},
		{"%010g", 100000, "0000100000"},
		{"%010g", 0.0001, "00000.0001"},
		{"%010g", math.Inf(-1), "      -inf"},
		{"%010g", 0.5, "00000000.5"},
		{"%.20g", math.Copysign(0, -1), "-0"},
		{"%.20g", 3.1415899999999999, "3.1415899999999998826"},
		{"%.20g", 1.0000000000000001e-05, "1.0000000000000000818e-05"},
		{"%.20g", math.Inf(1), "inf"},
		{"%.20g", 999999.5, "999999.5"},
	} {
		d, rest := parse(t, c.format)
		if got := d.Float(c.x) + rest; got != c.want {
			t.Errorf("%s of %v: got %q, want %q", c.format, c.x, got, c.want)
		}
	}
}

func TestStr(t *testing.T) {
	for _, c := range []struct{ format, s, want string }{
		{"%s", "", ""},
		{"%s", "abc", "abc"},
		{"%5s", "", "     "},
		{"%5s", "abc", "  abc"},
		{"%-5s|", "", "     |"},
		{"%-5s|", "abc", "abc  |"},
		{"%.2s", "", ""},
		{"%.2s", "abc", "ab"},
		{"%5.1s", "", "     "},
		{"%5.1s", "abc", "    a"},
		{"%5s", "é", "   é"},
		{"%.1s", "é", "\xc3"},
	} {
		d, rest := parse(t, c.format)
		if got := d.Str(c.s) + rest; got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.format, c.s, got, c.want)
		}
	}
}

// Characters are counted where gawk counts them.
func TestChars(t *testing.T) {
	for _, c := range []struct{ format, s, want string }{
		{"%5s", "é", "    é"},
		{"%-3s|", "漢字", "漢字 |"},
		{"%.1s", "éa", "é"},
		{"%.9s", "éa", "éa"},
		{"%3.1s", "\xff\xff", "  \xff"},
	} {
		d, rest := parse(t, c.format)
		if got := d.Chars(c.s) + rest; got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.format, c.s, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		format string
		want   Directive
		n      int
	}{
		{"%", Directive{}, 1},
		{"%%", Directive{Verb: '%'}, 2},
		{"%5", Directive{Width: 5}, 2},
		{"%-+ #0'Id", Directive{Minus: true, Plus: true, Space: true, Alt: true, Zero: true, Verb: 'd'}, 9},
		{"%*.*s", Directive{WidthStar: true, HasPrec: true, PrecStar: true, Verb: 's'}, 5},
		{"%.s", Directive{HasPrec: true, Verb: 's'}, 3},
		{"%lld!", Directive{Verb: 'd'}, 4},
		{"%99999999999999999999d", Directive{Width: maxSize, Verb: 'd'}, 22},
		{"%.99999999999999999999d", Directive{HasPrec: true, Prec: maxSize, Verb: 'd'}, 23},
	} {
		if got, n := Parse(c.format); got != c.want || n != c.n {
			t.Errorf("%s: got %+v, %d, want %+v, %d", c.format, got, n, c.want, c.n)
		}
	}
}

// A width that is given as an argument is bounded as one in the format is, also the most negative.
func TestSetWidth(t *testing.T) {
	for _, c := range []struct {
		width, want int
		minus       bool
	}{
		{3, 3, false}, {-3, 3, true}, {math.MaxInt, maxSize, false}, {math.MinInt, maxSize, true}, {0, 0, false},
	} {
		var d Directive
		if d.SetWidth(c.width); d.Width != c.want || d.Minus != c.minus {
			t.Errorf("%d: got %d, %v, want %d, %v", c.width, d.Width, d.Minus, c.want, c.minus)
		}
	}
}

// FuzzFormat compares with fmt where Go and C agree, and bounds what comes out of any directive.
func FuzzFormat(f *testing.F) {
	f.Add("-5.2d", int64(42), 1.5)
	f.Add("030d", int64(42), 1.5)
	f.Add("#.3g", int64(-1), 1e10)
	f.Add("099999999999a", int64(0), math.Inf(1))
	f.Fuzz(func(t *testing.T, format string, n int64, x float64) {
		d, length := Parse("%" + format)
		if length < 1 || length > len(format)+1 {
			t.Fatalf("%q: got length %d", format, length)
		}
		d.Width, d.Prec = min(d.Width, 1000), min(d.Prec, 1000)
		const most = 1000 + 400
		for _, got := range []string{d.Int(n), d.Uint(uint64(n)), d.Float(x), d.Str(format), d.Chars(format)} {
			if len(got) > most+4*len(format) {
				t.Errorf("%q: got %d bytes", format, len(got))
			}
		}
		flags := ""
		for _, flag := range []struct {
			set  bool
			text string
		}{{d.Minus, "-"}, {d.Plus, "+"}, {d.Space, " "}, {d.Zero && !d.Minus, "0"}} {
			if flag.set {
				flags += flag.text
			}
		}
		same := fmt.Sprintf("%%%s%dd", flags, d.Width)
		if d.Width == 0 {
			same = "%" + flags + "d"
		}
		d.HasPrec = false
		if got, want := d.Int(n), fmt.Sprintf(same, n); got != want {
			t.Errorf("%s of %d: got %q, want %q", same, n, got, want)
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return
		}
		d.Verb, d.Alt = 'e', false
		same = strings.TrimSuffix(same, "d") + "e"
		if got, want := d.Float(x), fmt.Sprintf(same, x); got != want {
			t.Errorf("%s of %v: got %q, want %q", same, x, got, want)
		}
	})
}

func parse(t *testing.T, format string) (d Directive, rest string) {
	t.Helper()
	d, n := Parse(format)
	return d, format[n:]
}
