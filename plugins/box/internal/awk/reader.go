package awk

import (
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A reader cuts a stream into records by RS: a character, "" for paragraphs, or a regular
// expression. Records are parts of what was read with them, not copies.
type reader struct {
	in   *interp
	r    io.Reader
	file io.Closer
	buf  []byte
	text string // read and not yet returned
	eof  bool
	err  error

	bytes  []byte // ends with text, if it was copied, to search it for a pattern
	copied bool
}

func newReader(in *interp, r io.Reader, file io.Closer) *reader {
	return &reader{in: in, r: r, file: file}
}

// readSize is how much is read at once, in bytes.
const readSize = 64 << 10

// fill reads more of the text. It returns false at the end. Of a long record at least as much is
// read as is there already, so that it is not copied too often.
func (r *reader) fill() bool {
	if r.eof {
		return false
	}
	least := 1
	if len(r.text) >= readSize {
		least = len(r.text)
	}
	if least > 1 {
		keep(3 * len(r.text))
	}
	if size := max(readSize, least); len(r.buf) < size {
		r.buf = make([]byte, size)
	}
	n, err := io.ReadAtLeast(r.r, r.buf, least)
	var b strings.Builder
	b.Grow(len(r.text) + n)
	b.WriteString(r.text)
	b.Write(r.buf[:n])
	r.text, r.copied = b.String(), false
	if err != nil {
		r.eof = true
		if err != io.EOF && err != io.ErrUnexpectedEOF {
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

// take returns the record that is the first n bytes, and skips its end as well.
func (r *reader) take(n, end int) (string, bool) {
	s := r.text[:n]
	r.text = r.text[n+end:]
	return s, true
}

func (r *reader) until(end byte) (string, bool) {
	seen := 0
	for {
		if i := strings.IndexByte(r.text[seen:], end); i >= 0 {
			return r.take(seen+i, 1)
		}
		seen = len(r.text)
		if !r.fill() {
			return r.rest()
		}
	}
}

// rest returns what has no end.
func (r *reader) rest() (string, bool) {
	s := r.text
	r.text = ""
	return s, s != ""
}

// paragraph returns what stands between empty lines.
func (r *reader) paragraph() (string, bool) {
	for {
		r.text = strings.TrimLeft(r.text, "\n")
		if r.text != "" || !r.fill() {
			break
		}
	}
	for {
		if i := strings.Index(r.text, "\n\n"); i >= 0 {
			return r.take(i, 2)
		}
		if !r.fill() {
			s, ok := r.rest()
			return strings.TrimSuffix(s, "\n"), ok
		}
	}
}

// copy returns what was read and not yet returned. It is valid until more is read.
func (r *reader) copy() []byte {
	if !r.copied {
		r.bytes, r.copied = append(r.bytes[:0], r.text...), true
	}
	return r.bytes[len(r.bytes)-len(r.text):]
}

// untilRegex needs to see beyond a match, which might go on.
func (r *reader) untilRegex(rs string) (string, bool) {
	re := r.in.dynamic(rs)
	for {
		loc, err := re.FindEdges(r.copy(), 0)
		if err != nil {
			r.in.fail("%v", err)
		}
		if loc != nil && loc[1] > loc[0] && (loc[1] < len(r.text) || r.eof) {
			return r.take(loc[0], loc[1]-loc[0])
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
	if x.cur != nil && in.rs == "\n" { // as nearly always, without the calls below
		r := x.cur
		if i := strings.IndexByte(r.text, '\n'); i >= 0 {
			s := r.text[:i]
			r.text = r.text[i+1:]
			return s, true
		}
	}
	for !x.ended {
		if x.cur == nil && !x.open(in) {
			x.ended = true
			return "", false
		}
		if s, ok := x.cur.record(); ok {
			return s, true
		}
		if err := x.cur.err; err != nil {
			in.fail("read error (%s)", tool.Strerror(err))
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
		e := argv.find(formatNumber(float64(x.arg), ""))
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
