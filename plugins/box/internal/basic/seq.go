package basic

import (
	"math"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func seq(env *tool.Env, args []string) int {
	opts, status := seqOptions(env, args)
	if opts == nil {
		return status
	}
	s := opts
	switch {
	case s.equal && s.format != "":
		return env.UsageError("format string may not be specified when printing equal width strings")
	case len(s.operands) == 0:
		return env.UsageError("missing operand")
	case len(s.operands) > 3:
		return env.UsageError("extra operand %s", env.Quote(s.operands[3]))
	}
	nums := []float64{1, 1, 1}
	prec, width := 0, 0
	for i, arg := range s.operands {
		f, ok := parseFloat(arg)
		if !ok {
			return env.UsageError("invalid floating point argument: %s", env.Quote(arg))
		}
		k := i
		if len(s.operands) < 3 && i == len(s.operands)-1 {
			k = 2
		}
		if k == 1 && f == 0 {
			return env.UsageError("invalid Zero increment value: %s", env.Quote(arg))
		}
		nums[k] = f
		p := decimals(arg)
		if k != 2 {
			prec = max(prec, p)
		}
	}
	format := s.format
	if format == "" {
		for i, arg := range s.operands {
			w := len(strings.TrimPrefix(arg, "+")) - max(0, decimals(arg)+min(1, decimals(arg)))
			if p := prec; p > 0 {
				w += p + 1
			}
			if !(len(s.operands) == 3 && i == 1) {
				width = max(width, w)
			}
		}
		format = "%." + strconv.Itoa(prec) + "f"
		if s.equal {
			format = "%0" + strconv.Itoa(width) + "." + strconv.Itoa(prec) + "f"
		}
	}
	return s.print(env, nums, format)
}

type seqState struct {
	format, separator string
	equal             bool
	operands          []string
}

// seqOptions parses options, of which numbers such as -3 are none.
func seqOptions(env *tool.Env, args []string) (*seqState, int) {
	numbers := len(args)
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			break
		}
		if a == "-s" || a == "-f" || a == "--separator" || a == "--format" {
			i++
			continue
		}
		if len(a) > 1 && a[0] == '-' && (a[1] == '.' || a[1] >= '0' && a[1] <= '9') {
			numbers = i
			break
		}
	}
	head := append([]string(nil), args[:numbers]...)
	opts, status := env.Options(head, "+ f,format= s,separator= w,equal-width")
	if opts == nil {
		return nil, status
	}
	s := &seqState{separator: "\n", operands: append(opts.Operands, args[numbers:]...)}
	for _, o := range opts.Options {
		switch o.Name {
		case "f":
			s.format = o.Arg
		case "s":
			s.separator = o.Arg
		case "w":
			s.equal = true
		}
	}
	if s.format == "" {
		return s, 0
	}
	i := strings.Index(strings.ReplaceAll(s.format, "%%", "\x00\x00"), "%")
	if i < 0 {
		env.Errorf("format %s has no %% directive", env.Quote(s.format))
		return nil, 1
	}
	d, n := cprintf.Parse(s.format[i:])
	if d.Verb == 0 {
		env.Errorf("format %s ends in %%", env.Quote(s.format))
		return nil, 1
	}
	if !strings.ContainsRune("eEfFgGaA", rune(d.Verb)) {
		env.Errorf("format %s has unknown %%%c directive", env.Quote(s.format), d.Verb)
		return nil, 1
	}
	if strings.Contains(strings.ReplaceAll(s.format[i+n:], "%%", ""), "%") {
		env.Errorf("format %s has too many %% directives", env.Quote(s.format))
		return nil, 1
	}
	return s, 0
}

func parseFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimLeft(s, " \t\n"), 64)
	if err != nil {
		n, e := strconv.ParseInt(s, 0, 64)
		if e != nil {
			return 0, false
		}
		f = float64(n)
	}
	return f, !math.IsNaN(f) && !strings.Contains(s, "_")
}

// decimals counts the digits behind the point.
func decimals(s string) int {
	mantissa, exp, _ := strings.Cut(strings.ToLower(s), "e")
	n := 0
	if i := strings.IndexByte(mantissa, '.'); i >= 0 {
		n = len(mantissa) - i - 1
	}
	if e, err := strconv.Atoi(exp); err == nil {
		n = max(0, n-e)
	}
	return n
}

func (s *seqState) print(env *tool.Env, nums []float64, format string) int {
	first, step, last := nums[0], nums[1], nums[2]
	at := strings.Index(strings.ReplaceAll(format, "%%", "\x00\x00"), "%")
	d, n := cprintf.Parse(format[at:])
	before := strings.ReplaceAll(format[:at], "%%", "%")
	after := strings.ReplaceAll(format[at+n:], "%%", "%")
	whole := before == "" && after == "" && d.Width == 0 && d.Prec == 0 && d.HasPrec && d.Verb == 'f' && math.Abs(last) < 1e15
	var digits []byte
	for i := 0.0; !env.Stopped(); i++ {
		x := first + i*step
		if step > 0 && x > last || step < 0 && x < last {
			// What is printed may still be the last number: 0.1 is not a tenth.
			shown, _ := strconv.ParseFloat(d.Float(x), 64)
			if whole || i == 0 || shown != last {
				if i > 0 {
					env.Out.WriteByte('\n')
				}
				break
			}
			env.Out.WriteString(s.separator + before + d.Float(x) + after + "\n")
			break
		}
		if i > 0 {
			env.Out.WriteString(s.separator)
		}
		if whole {
			digits = strconv.AppendInt(digits[:0], int64(x), 10)
			env.Out.Write(digits)
			continue
		}
		env.Out.WriteString(before + d.Float(x) + after)
	}
	return 0
}
