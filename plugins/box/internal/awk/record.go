package awk

import (
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// maxFields bounds NF and the numbers of fields.
const maxFields = 1 << 22

// A record is $0 and its fields. Each is made from the other when it is asked for, and no more
// fields than that.
type record struct {
	in                *interp
	text              string
	fields            []string
	rest              string  // what follows fields; all of it is split if isSplit
	vals              []value // of assigned fields; kind unset where the field is as it was read
	whole             value   // $0
	isSplit, isJoined bool
}

// set makes v, which is input, the record.
func (r *record) set(v value) {
	r.text, r.whole = v.s, v
	r.fields, r.vals, r.rest = r.fields[:0], r.vals[:0], v.s
	r.isSplit, r.isJoined = false, true
}

// split makes all fields.
func (r *record) split() { r.splitTo(maxFields) }

// splitTo makes the fields up to number n, if there are as many.
func (r *record) splitTo(n int) {
	if r.isSplit || len(r.fields) >= n {
		return
	}
	fs := r.in.fs
	switch {
	case fs == " ":
		r.fields, r.rest = splitBlanks(r.fields, r.rest, n)
		r.isSplit = r.rest == ""
	case r.in.isByte(fs) && r.text != "":
		for len(r.fields) < n && !r.isSplit {
			field, rest, more := strings.Cut(r.rest, fs)
			r.fields, r.rest, r.isSplit = append(r.fields, field), rest, !more
		}
	default:
		r.fields, r.isSplit = r.in.splitFields(r.fields[:0], r.text, fs), true
	}
}

// join makes the text.
func (r *record) join() {
	if r.isJoined {
		return
	}
	r.isJoined = true
	in := r.in
	line := in.scratch
	for i, f := range r.fields {
		if i > 0 {
			line = append(line, in.ofs...)
		}
		line = append(line, f...)
	}
	base := len(in.scratch)
	in.scratch = line
	r.text = in.taken(base)
	r.whole = field(r.text)
}

func (r *record) get(n int) value {
	if n == 0 {
		r.join()
		return r.whole
	}
	r.splitTo(n)
	if n > len(r.fields) {
		return value{}
	}
	if n <= len(r.vals) && r.vals[n-1].kind != unset {
		return r.vals[n-1]
	}
	return lent(r.fields[n-1])
}

// number returns the number of a field, or of $0.
func (r *record) number(n int) float64 {
	if n == 0 || n <= len(r.vals) {
		return r.get(n).num()
	}
	r.splitTo(n)
	if n > len(r.fields) {
		return 0
	}
	return leadingNumber(r.fields[n-1])
}

// string returns $0.
func (r *record) string() string {
	r.join()
	return r.whole.s
}

func (r *record) assign(n int, v value) {
	s := r.in.str(v)
	if n == 0 {
		r.set(value{kind: fromInput, lent: v.lent, s: s})
		return
	}
	r.setNF(max(n, r.count()))
	for len(r.vals) < n {
		r.vals = append(r.vals, value{})
	}
	r.fields[n-1], r.vals[n-1] = s, v
}

// count returns how many fields there are.
func (r *record) count() int {
	r.split()
	return len(r.fields)
}

func (r *record) setNF(n int) {
	r.split()
	for len(r.fields) < n {
		r.fields = append(r.fields, "")
	}
	r.fields = r.fields[:n]
	r.vals = r.vals[:min(n, len(r.vals))]
	r.isJoined = false
}

// isByte reports whether fs is a separator of one byte that is no blank.
func (in *interp) isByte(fs string) bool {
	return len(fs) == 1 && fs != " " && (in.rs != "" || fs == "\n")
}

// splitFields appends the fields of s by separator fs.
func (in *interp) splitFields(fields []string, s, fs string) []string {
	if s == "" {
		return fields
	}
	switch {
	case fs == " ":
		fields, _ = splitBlanks(fields, s, maxFields)
		return fields
	case fs == "":
		for s != "" {
			_, n := utf8.DecodeRuneInString(s)
			fields = append(fields, s[:n])
			s = s[n:]
		}
		return fields
	case in.isByte(fs):
		for {
			field, rest, more := strings.Cut(s, fs)
			if fields = append(fields, field); !more {
				return fields
			}
			s = rest
		}
	}
	if in.rs == "" {
		// Where paragraphs are records, newlines separate fields whatever FS is.
		if len(fs) == 1 {
			fs = "[" + fs + "]"
		}
		fs = "(" + fs + ")|\n"
	}
	return in.splitBy(fields, in.dynamic(fs), s)
}

// splitBy appends the fields of s between the matches of a pattern.
func (in *interp) splitBy(fields []string, re *regex.Regexp, s string) []string {
	from, at := 0, 0
	if set := re.Single(); set != nil {
		for i := range len(s) {
			if set[s[i]] {
				fields = append(fields, s[from:i])
				from = i + 1
			}
		}
		return append(fields, s[from:])
	}
	p := in.bytes(s)
	for at <= len(p) {
		loc, err := re.FindEdges(p, at)
		if err != nil {
			in.fail("%v", err)
		}
		if loc == nil {
			break
		}
		if loc[0] == loc[1] {
			at = loc[1] + 1
			continue
		}
		fields = append(fields, s[from:loc[0]])
		from, at = loc[1], loc[1]
	}
	return append(fields, s[from:])
}

// splitBlanks appends fields of s up to number n, and returns what follows them.
func splitBlanks(fields []string, s string, n int) ([]string, string) {
	i := 0
	for len(fields) < n {
		for i < len(s) && s[i] <= ' ' && isBlank(s[i]) {
			i++
		}
		if i == len(s) {
			break
		}
		from := i
		for i < len(s) && (s[i] > ' ' || !isBlank(s[i])) {
			i++
		}
		fields = append(fields, s[from:i])
	}
	return fields, s[i:]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
