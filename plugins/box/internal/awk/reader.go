package awk

import (
	"bytes"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A reader cuts a stream into records by RS: a character, "" for paragraphs, or a regular expression.
type reader struct {
	in   *interp
	r    io.Reader
	file io.Closer
	buf  []byte
	pos  int
	eof  bool
	err  error
}

func newReader(in *interp, r io.Reader, file io.Closer) *reader {
	return &reader{in: in, r: r, file: file}
}

// fill reads more into the buffer. It returns false at the end.
func (r *reader) fill() bool {
	if r.eof {
		return false
	}
	if r.pos > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.pos:])]
		r.pos = 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(make([]byte, 0, max(64<<10, 2*cap(r.buf))), r.buf...)
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if err != nil {
		r.eof = true
		if err != io.EOF {
			r.err = err
		}
	}
	return true
}

func (r *reader) record() (string, bool) {
	switch rs := r.in.rs; {
	case rs == "":
		return r.paragraph()
	case len(rs) == 1:
		return r.until(rs[0])
	default:
		return r.untilRegex(rs)
	}
}

func (r *reader) until(end byte) (string, bool) {
	seen := 0
	for {
		if i := bytes.IndexByte(r.buf[r.pos+seen:], end); i >= 0 {
			s := string(r.buf[r.pos : r.pos+seen+i])
			r.pos += seen + i + 1
			return s, true
		}
		seen = len(r.buf) - r.pos
		if !r.fill() {
			return r.rest()
		}
	}
}

// rest returns what has no end.
func (r *reader) rest() (string, bool) {
	s := string(r.buf[r.pos:])
	r.pos = len(r.buf)
	return s, s != ""
}

// paragraph returns what stands between empty lines.
func (r *reader) paragraph() (string, bool) {
	for {
		for r.pos < len(r.buf) && r.buf[r.pos] == '\n' {
			r.pos++
		}
		if r.pos < len(r.buf) || !r.fill() {
			break
		}
	}
	for {
		if i := bytes.Index(r.buf[r.pos:], []byte("\n\n")); i >= 0 {
			s := string(r.buf[r.pos : r.pos+i])
			r.pos += i + 2
			return s, true
		}
		if !r.fill() {
			s, ok := r.rest()
			return strings.TrimSuffix(s, "\n"), ok
		}
	}
}

// untilRegex needs to see beyond a match, which might go on.
func (r *reader) untilRegex(rs string) (string, bool) {
	re := r.in.dynamic(rs)
	for {
		loc, err := re.FindEdges(r.buf[r.pos:], 0)
		if err != nil {
			r.in.fail("%v", err)
		}
		if loc != nil && loc[1] > loc[0] && (r.pos+loc[1] < len(r.buf) || r.eof) {
			s := string(r.buf[r.pos : r.pos+loc[0]])
			r.pos += loc[1]
			return s, true
		}
		if !r.fill() {
			return r.rest()
		}
	}
}

// An input is the files named by ARGV, one after the other, with the assignments among them.
type input struct {
	arg   int
	any   bool // whether a file was named
	cur   *reader
	ended bool
}

// next returns the next record of all files.
func (x *input) next(in *interp) (string, bool) {
	for !x.ended {
		if x.cur == nil && !x.open(in) {
			x.ended = true
			return "", false
		}
		if s, ok := x.cur.record(); ok {
			return s, true
		}
		if err := x.cur.err; err != nil {
			in.fail("read error on %s (%s)", in.fname, tool.Strerror(err))
		}
		x.skip()
	}
	return "", false
}

// skip leaves the current file.
func (x *input) skip() {
	if x.cur != nil && x.cur.file != nil {
		x.cur.file.Close()
	}
	x.cur = nil
}

// open opens the next file and does the assignments before it.
func (x *input) open(in *interp) bool {
	argv := in.array(in.prog.names["ARGV"])
	for x.arg++; float64(x.arg) < in.cell(in.prog.names["ARGC"]).val.num(); x.arg++ {
		e := argv.byKey[formatNumber(float64(x.arg), "")]
		if e == nil || in.str(e.val) == "" {
			continue
		}
		name := in.str(e.val)
		if in.assignment(name) {
			continue
		}
		x.any = true
		x.openFile(in, name)
		return true
	}
	if x.any {
		return false
	}
	x.any = true
	x.openFile(in, "-")
	in.setName("FILENAME", str(""))
	return true
}

func (x *input) openFile(in *interp, name string) {
	f, err := in.env.Input(name)
	if err != nil {
		in.fail("cannot open %s (%s)", name, tool.Strerror(err))
	}
	x.cur = newReader(in, f, f)
	in.setName("FILENAME", str(name))
	in.fnr = 0
}

// assignment does what an operand of the form NAME=TEXT asks for.
func (in *interp) assignment(s string) bool {
	name, val, ok := strings.Cut(s, "=")
	if !ok || !isName(name) {
		return false
	}
	if v := in.prog.names[name]; v != nil && v.isArray {
		in.fail("cannot command line assign to %s\n\ttype clash or keyword", name)
	}
	in.setName(name, field(unescape(val)))
	return true
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != "" && !keywords[s] && !builtins[s]
}
