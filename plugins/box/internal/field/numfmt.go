package field

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const numfmtOptions = "debug d,delimiter= field= format= from= from-unit= grouping header? invalid= padding= round= suffix= to= to-unit= z,zero-terminated"

// The statuses of numfmt.
const (
	numfmtUsage   = 1
	numfmtInvalid = 2 // a number
)

// A converter is one run of numfmt.
type converter struct {
	env              *tool.Env
	from, to         string
	fromUnit, toUnit *big.Float // nil for 1
	fields           []span
	delim            byte // 0: runs of blanks
	end              byte
	header           int
	invalid, round   string
	suffix           string

	before, after string // of the format
	padding       int    // below 0 to the left
	zeros         int    // a width that is filled with zeros
	precision     int    // below 0: that of the number
	padded        bool   // --padding or a width in the format
	formatted     bool
	grouping      bool
	status        int
}

func numfmt(env *tool.Env, args []string) int {
	opts, status := env.Options(args, numfmtOptions)
	if opts == nil {
		return status
	}
	c := &converter{env: env, from: "none", to: "none", fields: []span{{1, 1}}, end: '\n', invalid: "abort", round: "from-zero", precision: -1}
	if status := c.configure(opts); status != 0 {
		return status
	}
	if opts.Has("grouping") && c.formatted {
		env.Errorf("--grouping cannot be combined with --format")
		return numfmtUsage
	}
	if c.grouping && c.to != "none" {
		env.Errorf("grouping cannot be combined with --to")
		return numfmtUsage
	}
	if opts.Has("debug") && c.from == "none" && c.to == "none" && !c.grouping && !c.padded {
		env.Errorf("no conversion option specified")
	}
	if len(opts.Operands) > 0 {
		for _, a := range opts.Operands {
			if !c.line(a, true) {
				return c.status
			}
		}
		return c.status
	}
	lines := tool.NewLines(env.Stdin, c.end)
	for n := 0; !env.Stopped(); n++ {
		line, ok := lines.Next()
		if !ok {
			break
		}
		if n < c.header {
			env.Out.Write(line)
			if lines.Ended {
				env.Out.WriteByte(c.end)
			}
			continue
		}
		if !c.line(string(line), lines.Ended) {
			return c.status
		}
	}
	if err := lines.Err(); err != nil {
		env.Errorf("error reading input: %s", tool.Strerror(err))
		c.status = max(c.status, 1)
	}
	return c.status
}

// configure takes the options, and returns a status other than 0 if one is wrong.
func (c *converter) configure(opts *option.Result) int {
	env := c.env
	for _, o := range opts.Options {
		switch o.Name {
		case "from", "to":
			units := []string{"none", "si", "iec", "iec-i"}
			to := &c.to
			if o.Name == "from" {
				units = []string{"none", "auto", "si", "iec", "iec-i"}
				to = &c.from
			}
			if !env.Choose(to, o.Arg, "--"+o.Name, units...) {
				return numfmtUsage
			}
		case "round":
			if !env.Choose(&c.round, o.Arg, "--round", "up", "down", "from-zero", "towards-zero", "nearest") {
				return numfmtUsage
			}
		case "invalid":
			if !env.Choose(&c.invalid, o.Arg, "--invalid", "abort", "fail", "warn", "ignore") {
				return numfmtUsage
			}
		case "from-unit", "to-unit":
			n, ok := unitSize(o.Arg)
			if !ok {
				env.Errorf("invalid unit size: %s", env.Quote(o.Arg))
				return numfmtUsage
			}
			if o.Name == "to-unit" {
				c.toUnit = n
			} else {
				c.fromUnit = n
			}
		case "padding":
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n == 0 || n > maxPadding || n < -maxPadding {
				env.Errorf("invalid padding value %s", env.Quote(o.Arg))
				return numfmtUsage
			}
			c.padding, c.padded = n, true
		case "header":
			c.header = 1
			if o.Set {
				n, err := strconv.Atoi(o.Arg)
				if err != nil || n < 1 {
					env.Errorf("invalid header value %s", env.Quote(o.Arg))
					return numfmtUsage
				}
				c.header = n
			}
		case "d":
			if len(o.Arg) != 1 {
				env.Errorf("the delimiter must be a single character")
				return numfmtUsage
			}
			c.delim = o.Arg[0]
		case "field":
			list := o.Arg
			if list == "-" {
				list = "1-"
			}
			spans, err := parseList(env, list, true)
			if err != nil {
				return env.UsageError("%v", err)
			}
			c.fields = spans
		case "format":
			if err := c.setFormat(o.Arg); err != nil {
				env.Errorf("%v", err)
				return numfmtUsage
			}
		case "suffix":
			c.suffix = o.Arg
		case "grouping":
			c.grouping = true
		case "z":
			c.end = 0
		}
	}
	return 0
}

// maxPadding is the widest that fmt does.
const maxPadding = 1_000_000

// unitSize reads a positive number, which may have a suffix, or the suffix alone.
func unitSize(arg string) (*big.Float, bool) {
	digits := strings.TrimRight(arg, "KMGTPEi")
	n := uint64(1)
	if digits != "" {
		var err error
		if n, err = strconv.ParseUint(digits, 10, 64); err != nil || n == 0 {
			return nil, false
		}
	}
	unit := new(big.Float).SetPrec(longDouble).SetUint64(n)
	if arg == "" {
		return nil, false
	}
	if letter := arg[len(digits):]; letter != "" {
		base := int64(1000)
		if len(letter) == 2 && letter[1] == 'i' {
			base, letter = 1024, letter[:1]
		}
		if len(letter) != 1 || letter == "i" {
			return nil, false
		}
		unit.Mul(unit, power(base, 1+strings.IndexByte(suffixes, letter[0])))
	}
	return unit, true
}

// setFormat reads a format, of which one directive is for the number.
func (c *converter) setFormat(format string) error {
	i, n := 0, 0
	for ; i >= len(format) || format[i] != '%' || strings.HasPrefix(format[i:], "%%"); i, n = i+1, n+1 {
		if i >= len(format) {
			return fmt.Errorf("format %s has no %% directive", c.env.Quote(format))
		}
		if format[i] == '%' {
			i++
		}
	}
	c.before = format[:n] // an escaped % is one byte of two, as in GNU's
	d := format[i+1:]
	flags := len(d) - len(strings.TrimLeft(d, "'0 "))
	zero := strings.Contains(d[:flags], "0")
	c.grouping = c.grouping || strings.Contains(d[:flags], "'")
	d = d[flags:]
	left := len(d) > 1 && d[0] == '-' && '0' <= d[1] && d[1] <= '9'
	if left {
		d = d[1:]
	}
	width, d := leadingNumber(d)
	if rest, ok := strings.CutPrefix(d, "."); ok {
		if c.precision, d = leadingNumber(rest); strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, " ") {
			return fmt.Errorf("invalid precision in format %s", c.env.Quote(format))
		}
	}
	switch {
	case d == "" && strings.Trim(format[i+1:], "'0 -123456789.") == "":
		return fmt.Errorf("format %s ends in %%", c.env.Quote(format))
	case d == "" || d[0] != 'f':
		return fmt.Errorf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", c.env.Quote(format))
	}
	c.after = d[1:]
	if strings.Contains(strings.ReplaceAll(c.after, "%%", ""), "%") {
		return fmt.Errorf("format %s has too many %% directives", c.env.Quote(format))
	}
	switch {
	case width == 0:
	case left:
		c.padding, c.padded = -width, true
	case zero:
		c.zeros = width
	default:
		c.padding, c.padded = width, true
	}
	c.formatted = true
	return nil
}

func leadingNumber(s string) (n int, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	n, err := strconv.Atoi(s[:len(s)-len(rest)])
	if err != nil && len(rest) < len(s) {
		n = maxPadding
	}
	return min(n, maxPadding), rest
}

// line converts fields of a line. It returns false if that is the end.
func (c *converter) line(line string, ended bool) bool {
	for n := 1; ; n++ {
		text, rest, more := c.cutField(line)
		if !c.field(text, n) {
			return false
		}
		if !more {
			break
		}
		if c.delim == 0 {
			c.env.Out.WriteByte(' ')
		} else {
			c.env.Out.WriteByte(c.delim)
		}
		line = rest
	}
	if ended {
		c.env.Out.WriteByte(c.end)
	}
	return true
}

// cutField returns the first field, with the blanks before it, and what is behind the byte that
// ends it.
func (c *converter) cutField(line string) (text, rest string, more bool) {
	if c.delim != 0 {
		return strings.Cut(line, string(c.delim))
	}
	blank := len(line) - len(strings.TrimLeft(line, " \t\n"))
	if i := strings.IndexAny(line[blank:], " \t\n"); i >= 0 {
		return line[:blank+i], line[blank+i+1:], true
	}
	return line, "", false
}

// field writes a field, converted if it is one of those. It returns false if that is the end.
func (c *converter) field(text string, n int) bool {
	out := c.env.Out
	wanted := false
	for _, s := range c.fields {
		wanted = wanted || s.lo <= n && n <= s.hi
	}
	if !wanted {
		out.WriteString(text)
		return true
	}
	number := strings.TrimLeft(text, " \t\n")
	width := c.padding
	if !c.padded && c.delim == 0 && (len(number) < len(text) || n > 1) {
		width = len(text)
	}
	shown, err := c.convert(number)
	if err == nil {
		out.WriteString(c.before)
		fmt.Fprintf(out, "%*s", width, shown)
		out.WriteString(c.after)
		return true
	}
	if c.invalid != "ignore" {
		c.env.Errorf("%v", err)
	}
	switch c.invalid {
	case "abort":
		c.status = numfmtInvalid
		return false
	case "fail":
		c.status = numfmtInvalid
	}
	out.WriteString(text)
	return true
}

// convert returns what is shown of a number.
func (c *converter) convert(text string) (string, error) {
	if c.suffix != "" && len(text) > len(c.suffix) {
		text = strings.TrimSuffix(text, c.suffix)
	}
	v, precision, err := c.read(text)
	if err != nil {
		return "", err
	}
	if c.fromUnit != nil {
		v.Mul(v, c.fromUnit)
	}
	if c.toUnit != nil {
		v.Quo(v, c.toUnit)
	}
	if c.precision >= 0 {
		precision = c.precision
	}
	shown, err := c.show(v, precision)
	return shown + c.suffix, err
}
