package awk

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// builtin calls a built-in function.
func (in *interp) builtin(e *builtin) value {
	switch e.name {
	case "length":
		return in.length(e)
	case "sub", "gsub":
		return in.sub(e)
	case "gensub":
		return in.gensub(e)
	case "match":
		return in.match(e)
	case "split":
		return in.split(e)
	case "sprintf":
		return str(in.sprintf("sprintf", e.args))
	case "asort", "asorti":
		return in.sortArray(e)
	}
	args := make([]value, len(e.args))
	for i, a := range e.args {
		args[i] = in.eval(a)
	}
	switch e.name {
	case "substr":
		return in.substr(args)
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
		return num(float64(in.shell(in.str(args[0]), nil, nil)))
	case "systime", "mktime", "strftime":
		return in.times(e.name, args)
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
	return num(compute(e.name, args))
}

// compute calls functions of numbers.
func compute(name string, args []value) float64 {
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

func (in *interp) length(e *builtin) value {
	if len(e.args) == 0 {
		return num(float64(utf8.RuneCountInString(in.str(in.record.get(0)))))
	}
	if v, ok := e.args[0].(*variable); ok && in.cell(v).arr != nil {
		return num(float64(len(in.cell(v).arr.byKey)))
	}
	return num(float64(utf8.RuneCountInString(in.str(in.eval(e.args[0])))))
}

// substr counts characters from 1. Places and lengths are rounded, as POSIX wants.
func (in *interp) substr(args []value) value {
	s := in.str(args[0])
	from := math.RoundToEven(args[1].num())
	end := math.Inf(1)
	if len(args) == 3 {
		end = from + math.RoundToEven(args[2].num())
	}
	chars := float64(utf8.RuneCountInString(s))
	from, end = max(from, 1), min(end, chars+1)
	if !(from < end) {
		return str("")
	}
	lo := offset(s, int(from)-1)
	return str(s[lo : lo+offset(s[lo:], int(end-from))])
}

// offset returns where character n begins, in bytes.
func offset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func (in *interp) match(e *builtin) value {
	s := in.str(in.eval(e.args[0]))
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
	s := in.str(in.eval(e.args[0]))
	var parts []string
	switch {
	case len(e.args) < 3:
		parts = in.splitFields(nil, s, in.fs)
	default:
		sep := e.args[2]
		if g, ok := sep.(*group); ok {
			sep = g.x
		}
		if r, ok := sep.(*regexLit); ok {
			if s != "" {
				parts = in.splitBy(r, s)
			}
		} else {
			parts = in.splitFields(nil, s, in.str(in.eval(sep)))
		}
	}
	arr := in.array(e.args[1].(*variable))
	arr.clear()
	for i, p := range parts {
		arr.at(strconv.Itoa(i + 1)).val = field(p)
	}
	return num(float64(len(parts)))
}

// splitBy splits at the matches of a literal pattern.
func (in *interp) splitBy(r *regexLit, s string) (parts []string) {
	p, from, at := []byte(s), 0, 0
	for at <= len(p) {
		loc, err := r.re.FindEdges(p, at)
		if err != nil {
			in.fail("%v", err)
		}
		if loc == nil {
			break
		}
		if loc[0] == loc[1] {
			at++
			continue
		}
		parts = append(parts, s[from:loc[0]])
		from, at = loc[1], loc[1]
	}
	return append(parts, s[from:])
}

// sortArray is asort and asorti: values, or keys, in order under the keys 1, 2, ….
func (in *interp) sortArray(e *builtin) value {
	src := in.array(e.args[0].(*variable))
	var vals []value
	for _, el := range src.order {
		switch {
		case el.dead:
		case e.name == "asorti":
			vals = append(vals, str(el.key))
		default:
			vals = append(vals, el.val)
		}
	}
	slices.SortStableFunc(vals, func(a, b value) int {
		switch {
		case in.compare("<", a, b):
			return -1
		case in.compare(">", a, b):
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
