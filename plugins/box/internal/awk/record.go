package awk

import (
	"strings"
	"unicode/utf8"
)

// maxFields bounds NF and the numbers of fields.
const maxFields = 1 << 22

// A record is $0 and its fields. Each is made from the other when it is asked for.
type record struct {
	in                *interp
	text              string
	fields            []string
	vals              []value // of assigned fields; kind unset where the field is as it was read
	whole             value   // $0, if it was assigned
	isSplit, isJoined bool
}

// set makes text the record.
func (r *record) set(text string) {
	r.text, r.whole = text, field(text)
	r.isSplit, r.isJoined = false, true
}

// split makes the fields.
func (r *record) split() {
	if r.isSplit {
		return
	}
	r.isSplit = true
	r.fields = r.in.splitFields(r.fields[:0], r.text, r.in.fs)
	r.vals = r.vals[:0]
}

// join makes the text.
func (r *record) join() {
	if r.isJoined {
		return
	}
	r.isJoined = true
	r.text = strings.Join(r.fields, r.in.ofs)
	r.whole = field(r.text)
}

func (r *record) get(n int) value {
	if n == 0 {
		r.join()
		return r.whole
	}
	r.split()
	if n > len(r.fields) {
		return value{}
	}
	if n <= len(r.vals) && r.vals[n-1].kind != unset {
		return r.vals[n-1]
	}
	return field(r.fields[n-1])
}

func (r *record) assign(n int, v value) {
	s := r.in.str(v)
	if n == 0 {
		r.set(s)
		return
	}
	r.split()
	for len(r.fields) < n {
		r.fields = append(r.fields, "")
	}
	for len(r.vals) < n {
		r.vals = append(r.vals, value{})
	}
	r.fields[n-1], r.vals[n-1] = s, v
	r.isJoined = false
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

// splitFields appends the fields of s by separator fs.
func (in *interp) splitFields(fields []string, s, fs string) []string {
	if s == "" {
		return fields
	}
	switch {
	case fs == " ":
		return splitBlanks(fields, s)
	case fs == "":
		for s != "" {
			_, n := utf8.DecodeRuneInString(s)
			fields = append(fields, s[:n])
			s = s[n:]
		}
		return fields
	case len(fs) == 1 && (in.rs != "" || fs == "\n"):
		for {
			i := strings.IndexByte(s, fs[0])
			if i < 0 {
				return append(fields, s)
			}
			fields = append(fields, s[:i])
			s = s[i+1:]
		}
	}
	if in.rs == "" {
		// Where paragraphs are records, newlines separate fields whatever FS is.
		if len(fs) == 1 {
			fs = "[" + fs + "]"
		}
		fs = "(" + fs + ")|\n"
	}
	return in.splitRegex(fields, s, fs)
}

func (in *interp) splitRegex(fields []string, s, fs string) []string {
	re := in.dynamic(fs)
	p := []byte(s)
	from, at := 0, 0
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

func splitBlanks(fields []string, s string) []string {
	for i := 0; i < len(s); {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
			i++
		}
		from := i
		for i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != '\n' {
			i++
		}
		if i > from {
			fields = append(fields, s[from:i])
		}
	}
	return fields
}
