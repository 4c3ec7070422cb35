package awk

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func (e *builtin) eval(in *interp) value { return e.call(in, e) }

// caller returns what evaluates a call of a built-in function.
func caller(name string) func(*interp, *builtin) value {
	switch name {
	case "length":
		return func(in *interp, e *builtin) value { return num(in.length(e)) }
	case "sub", "gsub":
		return (*interp).sub
	case "gensub":
		return (*interp).gensub
	case "match":
		return (*interp).match
	case "split":
		return (*interp).split
	case "sprintf":
		return func(in *interp, e *builtin) value {
			base := len(in.scratch)
			in.sprintf("sprintf", e.args)
			return str(in.taken(base))
		}
	case "asort", "asorti":
		return (*interp).sortArray
	}
	return func(in *interp, e *builtin) value {
		args := in.values(e.args)
		v := in.plain(e.name, args)
		in.release(args)
		return v
	}
}

// plain calls a built-in function that needs nothing but the values of its arguments.
func (in *interp) plain(name string, args []value) value {
	switch name {
	case "index":
		s, t := in.str(args[0]), in.str(args[1])
		i := strings.Index(s, t)
		if i < 0 {
			return num(0)
		}
		return num(float64(utf8.RuneCountInString(s[:i]) + 1))
	case "tolower":
		return str(strings.ToLower(in.str(args[0])))
	case "toupper":
		return str(strings.ToUpper(in.str(args[0])))
	case "close":
		return num(in.close(in.str(args[0])))
	case "fflush":
		in.flush()
		return num(0)
	case "system":
		return num(float64(in.system(in.str(args[0]))))
	case "systime", "mktime", "strftime":
		return in.times(name, args)
	case "rand":
		return num(in.rand.Float64())
	case "srand":
		old := in.seed
		in.seed = float64(time.Now().Unix())
		if len(args) > 0 {
			in.seed = args[0].num()
		}
		in.rand = rand.New(rand.NewPCG(math.Float64bits(in.seed), 0))
		return num(old)
	}
	return num(calculate(name, args))
}

// calculate calls functions of numbers.
func calculate(name string, args []value) float64 {
	x := args[0].num()
	switch name {
	case "atan2":
		return math.Atan2(x, args[1].num())
	case "cos":
		return math.Cos(x)
	case "exp":
		return math.Exp(x)
	case "int":
		return math.Trunc(x)
	case "log":
		return math.Log(x)
	case "sin":
		return math.Sin(x)
	case "sqrt":
		return math.Sqrt(x)
	case "strtonum":
		s := strings.TrimSpace(args[0].s)
		if n, err := strconv.ParseInt(s, 0, 64); err == nil && args[0].kind != number {
			return float64(n)
		}
		return x
	case "compl":
		return float64(^uint64(x) & (1<<53 - 1))
	}
	n := uint64(x)
	for _, a := range args[1:] {
		k := uint64(a.num())
		switch name {
		case "and":
			n &= k
		case "or":
			n |= k
		case "xor":
			n ^= k
		case "lshift":
			n <<= k
		case "rshift":
			n >>= k
		}
	}
	return float64(n)
}

func (in *interp) length(e *builtin) float64 {
	if len(e.args) == 0 {
		return float64(tool.Runes(in.record.string()))
	}
	if v, ok := e.args[0].(*variable); ok && in.cell(v).arr != nil {
		return float64(in.cell(v).arr.len())
	}
	return float64(tool.Runes(in.str(e.args[0].eval(in))))
}

// substr counts characters from 1. Places and lengths are rounded, as POSIX wants.
func (e *substr) eval(in *interp) value {
	v := e.x.eval(in)
	s := in.str(v)
	from := math.RoundToEven(e.from.number(in))
	end := math.Inf(1)
	if e.length != nil {
		end = from + math.RoundToEven(e.length.number(in))
	}
	// There are as many characters as bytes, or fewer.
	from, end = max(from, 1), min(end, float64(len(s)+1))
	if !(from < end) {
		return str("")
	}
	lo := offset(s, int(from)-1)
	return value{kind: text, lent: v.lent, s: s[lo : lo+offset(s[lo:], int(end-from))]}
}

// offset returns where character n begins, in bytes.
func offset(s string, n int) int {
	i := tool.ASCIIPrefix(s[:min(n, len(s))])
	n -= i
	for ; n > 0 && i < len(s); n-- {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func (in *interp) match(e *builtin) value {
	s := in.str(e.args[0].eval(in))
	p := []byte(s)
	loc, err := in.regexp(e.args[1]).Find(p, 0)
	if err != nil {
		in.fail("%v", err)
	}
	start, length := 0, -1
	if loc != nil {
		start = utf8.RuneCount(p[:loc[0]]) + 1
		length = utf8.RuneCount(p[loc[0]:loc[1]])
	}
	in.setName("RSTART", num(float64(start)))
	in.setName("RLENGTH", num(float64(length)))
	if len(e.args) == 3 {
		arr := in.array(e.args[2].(*variable))
		arr.clear()
		for i := 0; i < len(loc); i += 2 {
			if loc[i] >= 0 {
				arr.at(strconv.Itoa(i / 2)).val = field(s[loc[i]:loc[i+1]])
			}
		}
	}
	return num(float64(start))
}

func (in *interp) split(e *builtin) value {
	v := e.args[0].eval(in).kept() // once, and not for each part
	s := in.str(v)
	parts := in.parts[:0]
	switch {
	case len(e.args) < 3:
		parts = in.splitFields(parts, s, in.fs)
	default:
		sep := e.args[2]
		if g, ok := sep.(*group); ok {
			sep = g.x
		}
		if r, ok := sep.(*regexLit); ok {
			if s != "" {
				parts = in.splitBy(parts, r.re, s)
			}
		} else {
			parts = in.splitFields(parts, s, in.str(sep.eval(in)))
		}
	}
	in.array(e.args[1].(*variable)).split(parts)
	in.parts = parts
	return num(float64(len(parts)))
}

// sortArray is asort and asorti: values, or keys, in order under the keys 1, 2, ….
func (in *interp) sortArray(e *builtin) value {
	src := in.array(e.args[0].(*variable))
	var vals []value
	for _, el := range src.list() {
		switch {
		case el.dead:
		case e.name == "asorti":
			vals = append(vals, str(el.key))
		default:
			vals = append(vals, el.val)
		}
	}
	slices.SortStableFunc(vals, func(a, b value) int {
		switch in.compare(a, b) {
		case less:
			return -1
		case greater:
			return 1
		}
		return 0
	})
	dst := in.array(e.args[len(e.args)-1].(*variable))
	dst.clear()
	for i, v := range vals {
		dst.at(strconv.Itoa(i + 1)).val = v
	}
	return num(float64(len(vals)))
}
