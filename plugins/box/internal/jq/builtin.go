package jq

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// builtins returns the functions that take values and have one result. The map is shared: it is
// only read.
func builtins() map[string]func(m *machine, in any, args []any) (any, error) {
	fillBuiltins.Do(makeBuiltins)
	return builtinTable
}

var (
	fillBuiltins sync.Once // not whenever the box starts
	builtinTable map[string]func(m *machine, in any, args []any) (any, error)
)

func makeBuiltins() { // not a literal: some of them lead back to the table
	builtinTable = map[string]func(m *machine, in any, args []any) (any, error){
		"not/0":               func(_ *machine, in any, _ []any) (any, error) { return !truth(in), nil },
		"length/0":            length,
		"utf8bytelength/0":    byteLength,
		"keys/0":              keys,
		"keys_unsorted/0":     keysUnsorted,
		"has/1":               has,
		"contains/1":          containsValue,
		"add/0":               sum,
		"reverse/0":           reverse,
		"type/0":              func(_ *machine, in any, _ []any) (any, error) { return kind(in), nil },
		"tostring/0":          func(_ *machine, in any, _ []any) (any, error) { return toString(in), nil },
		"tojson/0":            func(_ *machine, in any, _ []any) (any, error) { return text(in), nil },
		"fromjson/0":          fromJSON,
		"tonumber/0":          toNumber,
		"toarray/0":           toArray,
		"sort/0":              sortArray,
		"unique/0":            unique,
		"min/0":               func(_ *machine, in any, _ []any) (any, error) { return extreme(in, -1) },
		"max/0":               func(_ *machine, in any, _ []any) (any, error) { return extreme(in, 1) },
		"flatten/0":           func(_ *machine, in any, _ []any) (any, error) { return flatten(in, maxDepth) },
		"flatten/1":           flattenTo,
		"setpath/2":           setPathTo,
		"delpaths/1":          deletePathsOf,
		"bsearch/1":           search,
		"now/0":               func(*machine, any, []any) (any, error) { return float64(time.Now().UnixMicro()) / 1e6, nil },
		"env/0":               func(m *machine, _ any, _ []any) (any, error) { return m.environ(), nil },
		"builtins/0":          names,
		"input_filename/0":    func(m *machine, _ any, _ []any) (any, error) { return m.file(), nil },
		"input_line_number/0": func(m *machine, _ any, _ []any) (any, error) { return float64(m.line()), nil },
		"infinite/0":          func(*machine, any, []any) (any, error) { return math.Inf(1), nil },
		"nan/0":               func(*machine, any, []any) (any, error) { return notANumber, nil },
		"null/0":              func(*machine, any, []any) (any, error) { return nil, nil },
		"halt/0":              func(*machine, any, []any) (any, error) { return nil, &halted{quiet: true} },
		"halt_error/0":        func(_ *machine, in any, _ []any) (any, error) { return nil, &halted{status: 5, v: in} },
		"halt_error/1":        haltError,
		"get_search_list/0":   func(*machine, any, []any) (any, error) { return []any{}, nil },
		"isnan/0":             isNaN,
		"isinfinite/0":        isInfinite,
		"isnormal/0":          isNormal,
		"ltrimstr/1":          leftTrim,
		"rtrimstr/1":          rightTrim,
		"startswith/1":        startsWith,
		"endswith/1":          endsWith,
		"explode/0":           explode,
		"implode/0":           implode,
		"split/1":             splitString,
		"ascii_downcase/0":    func(_ *machine, in any, _ []any) (any, error) { return mapASCII(in, 'A', 'Z', 'a'-'A') },
		"ascii_upcase/0":      func(_ *machine, in any, _ []any) (any, error) { return mapASCII(in, 'a', 'z', 'A'-'a') },
		"trim/0":              func(_ *machine, in any, _ []any) (any, error) { return trim(in, strings.TrimSpace) },
		"ltrim/0": func(_ *machine, in any, _ []any) (any, error) {
			return trim(in, func(s string) string { return strings.TrimLeft(s, " \t\r\n\f\v") })
		},
		"rtrim/0": func(_ *machine, in any, _ []any) (any, error) {
			return trim(in, func(s string) string { return strings.TrimRight(s, " \t\r\n\f\v") })
		},
		"indices/1":       indicesOf,
		"_match/2":        match,
		"gmtime/0":        gmtime,
		"localtime/0":     localtime,
		"mktime/0":        mktime,
		"strftime/1":      strftime,
		"strflocaltime/1": strflocaltime,
		"strptime/1":      strptime,
	}
	for name, f := range mathematics() {
		builtinTable[name+"/0"] = func(_ *machine, in any, _ []any) (any, error) {
			x, ok := in.(float64)
			if !ok {
				return nil, raise(describe(in) + " number required")
			}
			return f(x), nil
		}
	}
	for name, f := range mathematics2() {
		builtinTable[name+"/2"] = func(_ *machine, _ any, args []any) (any, error) {
			x, ok := args[0].(float64)
			y, ok2 := args[1].(float64)
			if !ok {
				return nil, raise(describe(args[0]) + " number required")
			}
			if !ok2 {
				return nil, raise(describe(args[1]) + " number required")
			}
			return f(x, y), nil
		}
	}
}

func mathematics() map[string]func(float64) float64 {
	return map[string]func(float64) float64{
		"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "trunc": math.Trunc, "sqrt": math.Sqrt,
		"fabs": math.Abs, "abs": math.Abs, "exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) },
		"log": math.Log, "log2": math.Log2, "log10": math.Log10, "sin": math.Sin, "cos": math.Cos, "atan": math.Atan,
		"rint": math.RoundToEven, "nearbyint": math.RoundToEven,
	}
}

func mathematics2() map[string]func(x, y float64) float64 {
	return map[string]func(x, y float64) float64{
		"pow": math.Pow, "atan2": math.Atan2, "fmin": math.Min, "fmax": math.Max, "fmod": math.Mod,
		"ldexp": func(x, y float64) float64 { return math.Ldexp(x, int(truncate(y))) }, "scalb": func(x, y float64) float64 { return x * math.Exp2(y) },
	}
}

func (m *machine) environ() *object {
	o := &object{}
	for _, v := range m.env.Environ {
		name, value, _ := strings.Cut(v, "=")
		o.set(name, value)
	}
	return o
}

func names(*machine, any, []any) (any, error) {
	var all []string
	for name := range builtins() {
		all = append(all, name)
	}
	for name := range specials() {
		all = append(all, name)
	}
	for name := range library() {
		all = append(all, name)
	}
	slices.Sort(all)
	list := []any{}
	for _, name := range all {
		if name[0] != '_' {
			list = append(list, name)
		}
	}
	return list, nil
}

func length(_ *machine, in any, _ []any) (any, error) {
	switch v := in.(type) {
	case nil:
		return 0.0, nil
	case float64:
		return math.Abs(v), nil
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case []any:
		return float64(len(v)), nil
	case *object:
		return float64(len(v.keys)), nil
	}
	return nil, raise(describe(in) + " has no length")
}

func byteLength(_ *machine, in any, _ []any) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, raise(describe(in) + " only strings have UTF-8 byte length")
	}
	return float64(len(s)), nil
}

func keys(m *machine, in any, _ []any) (any, error) {
	list := []any{}
	switch v := in.(type) {
	case []any:
		for i := range v {
			list = append(list, float64(i))
		}
		return list, nil
	case *object:
		for _, k := range v.sortedKeys() {
			list = append(list, k)
		}
		return list, nil
	}
	return nil, raise(describe(in) + " has no keys")
}

func keysUnsorted(m *machine, in any, _ []any) (any, error) {
	o, ok := in.(*object)
	if !ok {
		return keys(m, in, nil)
	}
	list := make([]any, len(o.keys))
	for i, k := range o.keys {
		list[i] = k
	}
	return list, nil
}

func has(_ *machine, in any, args []any) (any, error) {
	switch k := args[0].(type) {
	case string:
		if o, ok := in.(*object); ok {
			return o.find(k) >= 0, nil
		}
	case float64:
		if a, ok := in.([]any); ok {
			return k >= 0 && k < float64(len(a)), nil
		}
	}
	return nil, raise("Cannot check whether " + kind(in) + " has a " + kind(args[0]) + " key")
}

func containsValue(_ *machine, in any, args []any) (any, error) {
	if kind(in) != kind(args[0]) {
		return nil, raise(describe(in) + " and " + describe(args[0]) + " cannot have their containment checked")
	}
	return contains(in, args[0]), nil
}

// elements returns the values in an array or object.
func elements(in any) ([]any, error) {
	switch v := in.(type) {
	case []any:
		return v, nil
	case *object:
		return slices.Clone(v.values()), nil
	}
	return nil, raise("Cannot iterate over " + describe(in))
}

func sum(m *machine, in any, _ []any) (any, error) {
	items, err := elements(in)
	if err != nil {
		return nil, err
	}
	if s, ok := joinAll(items); ok {
		return s, nil
	}
	var total any
	var own *object // total, if nobody else has it
	for _, item := range items {
		var err error
		if o, ok := item.(*object); ok && own != nil {
			for i, k := range o.keys {
				own.set(k, o.values()[i])
			}
			continue
		}
		if total, err = add(total, item); err == nil {
			err = m.made(total)
		}
		if err != nil {
			return nil, err
		}
		if o, ok := total.(*object); ok {
			own = o.clone()
			total = own
		}
	}
	return total, nil
}

// joinAll adds strings, and nothing else, at once.
func joinAll(items []any) (string, bool) {
	var b strings.Builder
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), len(items) > 0
}

func reverse(_ *machine, in any, _ []any) (any, error) {
	switch v := in.(type) {
	case nil:
		return []any{}, nil
	case string:
		r := []rune(v)
		slices.Reverse(r)
		return string(r), nil
	case []any:
		c := slices.Clone(v)
		slices.Reverse(c)
		return c, nil
	}
	return nil, raise("Cannot index " + kind(in) + " with number")
}

func toString(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return text(v)
}

func fromJSON(_ *machine, in any, _ []any) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, raise(describe(in) + " only strings can be parsed")
	}
	v, err := decode(s)
	if err != nil {
		return nil, raise(err.Error())
	}
	return v, nil
}

func toNumber(_ *machine, in any, _ []any) (any, error) {
	switch v := in.(type) {
	case float64:
		return v, nil
	case string:
		n, err := decode(v)
		if err != nil {
			return nil, raise(err.Error())
		}
		if f, ok := n.(float64); ok {
			return f, nil
		}
	}
	return nil, raise(describe(in) + " cannot be parsed as a number")
}

func toArray(_ *machine, in any, _ []any) (any, error) {
	if a, ok := in.([]any); ok {
		return a, nil
	}
	return []any{in}, nil
}

func sortArray(_ *machine, in any, _ []any) (any, error) {
	a, ok := in.([]any)
	if !ok {
		return nil, raise(describe(in) + " cannot be sorted, as it is not an array")
	}
	entries := make([]entry, len(a))
	for i, v := range a {
		entries[i] = entry{v, v}
	}
	return sortBy(entries), nil
}

func unique(m *machine, in any, _ []any) (any, error) {
	sorted, err := sortArray(m, in, nil)
	if err != nil {
		return nil, err
	}
	return slices.CompactFunc(sorted.([]any), equal), nil
}

// extreme returns the last of the largest items, or the first of the smallest.
func extreme(in any, sign int) (any, error) {
	a, ok := in.([]any)
	if !ok {
		return nil, raise("Cannot index " + kind(in) + " with number")
	}
	if len(a) == 0 {
		return nil, nil
	}
	best := a[0]
	for _, v := range a[1:] {
		if c := compare(v, best) * sign; c > 0 || c == 0 && sign > 0 {
			best = v
		}
	}
	return best, nil
}

func flattenTo(_ *machine, in any, args []any) (any, error) {
	depth, ok := args[0].(float64)
	if !ok || depth < 0 {
		return nil, raise("flatten depth must not be negative")
	}
	return flatten(in, int(min(depth, maxDepth)))
}

func flatten(in any, depth int) (any, error) {
	items, err := elements(in)
	if err != nil {
		return nil, err
	}
	flat := []any{}
	var walk func(items []any, depth int)
	walk = func(items []any, depth int) {
		for _, v := range items {
			if a, ok := v.([]any); ok && depth > 0 {
				walk(a, depth-1)
				continue
			}
			flat = append(flat, v)
		}
	}
	walk(items, depth)
	return flat, nil
}

func setPathTo(_ *machine, in any, args []any) (any, error) {
	keys, ok := args[0].([]any)
	if !ok {
		return nil, raise("Path must be specified as an array")
	}
	return owned{}.setPath(in, keys, func(any) (any, error) { return args[1], nil })
}

func deletePathsOf(_ *machine, in any, args []any) (any, error) {
	list, ok := args[0].([]any)
	if !ok {
		return nil, raise("Paths must be specified as an array")
	}
	return deletePaths(in, list)
}

func search(_ *machine, in any, args []any) (any, error) {
	a, ok := in.([]any)
	if !ok {
		return nil, raise(describe(in) + " cannot be searched from")
	}
	i, found := sort.Find(len(a), func(i int) int { return compare(args[0], a[i]) })
	if !found {
		return float64(-1 - i), nil
	}
	return float64(i), nil
}

func haltError(_ *machine, in any, args []any) (any, error) {
	status, ok := args[0].(float64)
	if !ok {
		return nil, raise(describe(in) + " halt_error/1: number required")
	}
	return nil, &halted{status: int(truncate(status)), v: in}
}

func isNaN(_ *machine, in any, _ []any) (any, error) {
	f, ok := in.(float64)
	if !ok {
		return nil, raise(describe(in) + " number required")
	}
	return f != f, nil
}

func isInfinite(_ *machine, in any, _ []any) (any, error) {
	f, ok := in.(float64)
	if !ok {
		return nil, raise(describe(in) + " number required")
	}
	return math.IsInf(f, 0), nil
}

func isNormal(_ *machine, in any, _ []any) (any, error) {
	f, ok := in.(float64)
	if !ok {
		return nil, raise(describe(in) + " number required")
	}
	return f == f && !math.IsInf(f, 0) && math.Abs(f) >= 0x1p-1022, nil
}
