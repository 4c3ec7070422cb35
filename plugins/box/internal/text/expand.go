package text

import (
	"bytes"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// tabStops are the columns where a tab ends: the listed ones, then every so many. every counts from
// 0, or from the last listed stop if plus.
type tabStops struct {
	list  []int
	every int
	plus  bool
}

// next returns the first stop behind column, or column+1 where there are no more.
func (t *tabStops) next(column int) int {
	for _, s := range t.list {
		if s > column {
			return s
		}
	}
	base := 0
	if t.plus && len(t.list) > 0 {
		base = t.list[len(t.list)-1]
	}
	if t.every == 0 {
		return column + 1
	}
	return column + t.every - (column-base)%t.every
}

// parse reads "8", "4,8,12" or "4,/8".
func (t *tabStops) parse(env *tool.Env, arg string) bool {
	for _, word := range strings.FieldsFunc(arg, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
		digits := strings.TrimLeft(word, "/+")
		n, ok := tool.ParseCount(digits)
		if i := strings.IndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' }); !ok || i >= 0 {
			env.Errorf("tab size contains invalid character(s): %s", env.Quote(digits[max(i, 0):]))
			return false
		}
		switch {
		case digits != word:
			t.every, t.plus = int(n), word[0] == '+'
		case n == 0:
			env.Errorf("tab size cannot be 0")
			return false
		case len(t.list) > 0 && int(n) <= t.list[len(t.list)-1]:
			env.Errorf("tab sizes must be ascending")
			return false
		default:
			t.list = append(t.list, int(n))
		}
	}
	return true
}

// settle makes one stop the distance of all.
func (t *tabStops) settle() {
	switch {
	case len(t.list) == 0 && t.every == 0:
		t.every = 8
	case len(t.list) == 1 && t.every == 0:
		t.every, t.list = t.list[0], nil
	}
}

// tabOptions parses what expand and unexpand have in common.
func tabOptions(env *tool.Env, args []string, spec string) (stops *tabStops, given map[string]bool, files []string, status int) {
	opts, status := env.Options(args, spec+" t,tabs= 0 1 2 3 4 5 6 7 8 9")
	if opts == nil {
		return nil, nil, nil, status
	}
	stops, given = &tabStops{}, map[string]bool{}
	digits := ""
	for _, o := range opts.Options {
		given[o.Name] = true
		switch {
		case o.Name == "t":
			if !stops.parse(env, o.Arg) {
				return nil, nil, nil, 1
			}
		case o.Name >= "0" && o.Name <= "9":
			digits += o.Name
		}
	}
	if digits != "" && !stops.parse(env, digits) {
		return nil, nil, nil, 1
	}
	stops.settle()
	return stops, given, opts.Operands, 0
}

// expand turns tabs into spaces.
func expand(env *tool.Env, args []string) int {
	stops, given, files, status := tabOptions(env, args, "i,initial")
	if stops == nil {
		return status
	}
	return env.Each(files, func(_ string, r io.Reader) error {
		return eachWithEnd(env, r, func(line []byte) {
			column, initial := 0, true
			for _, c := range line {
				switch {
				case c == '\t' && (initial || !given["i"]):
					n := stops.next(column)
					env.Out.Write(bytes.Repeat([]byte(" "), n-column))
					column = n
					continue
				case c == '\b':
					column = max(0, column-1)
				case c == '\t':
					column = stops.next(column)
				default:
					column++
				}
				initial = initial && (c == ' ' || c == '\t')
				env.Out.WriteByte(c)
			}
		})
	})
}

// unexpand turns blanks that reach a tab stop into tabs.
func unexpand(env *tool.Env, args []string) int {
	stops, given, files, status := tabOptions(env, args, "a,all first-only")
	if stops == nil {
		return status
	}
	all := (given["a"] || given["t"]) && !given["first-only"]
	return env.Each(files, func(_ string, r io.Reader) error {
		return eachWithEnd(env, r, func(line []byte) {
			column, from := 0, 0 // from is where the blanks began that are not written yet
			blanks := 0
			for i, c := range line {
				switch {
				case c == '\t':
					column = stops.next(column)
					env.Out.WriteByte('\t')
					from, blanks = column, 0
					continue
				case c == ' ':
					column++
					blanks++
					if stops.next(column-1) == column && (blanks > 1 || i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t')) {
						env.Out.WriteByte('\t')
						from, blanks = column, 0
					}
					continue
				}
				env.Out.Write(bytes.Repeat([]byte(" "), column-from))
				if !all {
					env.Out.Write(line[i:])
					return
				}
				env.Out.WriteByte(c)
				column++
				from, blanks = column, 0
			}
			env.Out.Write(bytes.Repeat([]byte(" "), column-from))
		})
	})
}

// eachWithEnd calls f with every line and writes the line's end, if it has one.
func eachWithEnd(env *tool.Env, r io.Reader, f func(line []byte)) error {
	lines := tool.NewLines(r, '\n')
	for !env.Stopped() {
		line, ok := lines.Next()
		if !ok {
			break
		}
		f(line)
		if lines.Ended {
			env.Out.WriteByte('\n')
		}
	}
	return lines.Err()
}
