package text

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const splitOptions = "a,suffix-length= additional-suffix= b,bytes= C,line-bytes= d numeric-suffixes? x hex-suffixes? e,elide-empty-files filter= " +
	"l,lines= n,number= t,separator= u,unbuffered verbose 0 1 2 3 4 5 6 7 8 9"

// splitter is one run of split.
type splitter struct {
	env      *tool.Env
	by       string // the option that says how: l, b, C or n
	size     int64  // lines or bytes of a piece
	chunk    chunk
	end      byte // of lines
	digits   string
	length   int // of suffixes
	auto     bool
	start    int64 // of numbers; -1 if none was given
	numbered bool  // start was given
	prefix   string
	suffix   string // behind the other
	filter   string
	elide    bool
	verbose  bool

	count int64          // of the pieces so far
	out   io.WriteCloser // nil between pieces
	run   func() int     // runs filter, at the end of a piece
}

// A chunk is the argument of -n: [l/|r/][K/]N.
type chunk struct {
	kind byte // 'b', 'l' or 'r'
	only int64
	of   int64
}

// errSplit ends what was already complained about.
var errSplit = errors.New("told")

func split(env *tool.Env, args []string) int {
	opts, status := env.Options(args, splitOptions)
	if opts == nil {
		return status
	}
	s := &splitter{env: env, by: "l", size: 1000, end: '\n', digits: letters, length: 2, auto: true, prefix: "x"}
	if !s.configure(opts) {
		return 1
	}
	input := "-"
	switch names := opts.Operands; {
	case len(names) > 2:
		return env.UsageError("extra operand %s", env.Quote(names[2]))
	case len(names) == 2:
		s.prefix = names[1]
		fallthrough
	case len(names) == 1:
		input = names[0]
	}
	in, err := env.Input(input)
	if err != nil {
		env.Errorf("cannot open %s for reading: %s", tool.QuoteAlways(input), tool.Strerror(err))
		return 1
	}
	defer in.Close()
	if err := s.split(input, in); err != nil {
		if err != errSplit && !env.Stopped() {
			env.FileError(input, err)
		}
		return 1
	}
	if s.close() != nil {
		return 1
	}
	return 0
}

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	decimal = "0123456789"
	hex     = "0123456789abcdef"
)

func (s *splitter) configure(opts *option.Result) bool {
	env := s.env
	lines, ways := "", 0
	way := func(by string) { s.by, ways = by, ways+1 }
	for _, o := range opts.Options {
		ok := true
		switch o.Name {
		case "l":
			way("l")
			ok = s.number(&s.size, "lines", o.Arg)
		case "b", "C":
			way(o.Name)
			ok = s.number(&s.size, "bytes", o.Arg)
		case "n":
			way("n")
			ok = s.setChunk(o.Arg)
		case "a":
			n, err := strconv.ParseInt(o.Arg, 10, 16)
			if err != nil || n < 0 {
				env.Errorf("invalid suffix length: %s", env.Quote(o.Arg))
				return false
			}
			s.length, s.auto = int(n), n == 0
		case "additional-suffix":
			if strings.Contains(o.Arg, "/") {
				env.UsageError("invalid suffix %s, contains directory separator", env.Quote(o.Arg))
				return false
			}
			s.suffix = o.Arg
		case "d", "numeric-suffixes":
			ok = s.setDigits(decimal, o)
		case "x", "hex-suffixes":
			ok = s.setDigits(hex, o)
		case "e":
			s.elide = true
		case "filter":
			s.filter = o.Arg
		case "t":
			ok = s.setSeparator(o.Arg)
		case "verbose":
			s.verbose = true
		case "u":
		default:
			if lines == "" {
				way("l")
			}
			lines += o.Name
			ok = s.number(&s.size, "lines", lines)
		}
		if !ok {
			return false
		}
	}
	if ways > 1 {
		env.UsageError("cannot split in more than one way")
		return false
	}
	return s.fitLength()
}

// fitLength makes suffixes long enough for the pieces, if it is known how many there will be.
func (s *splitter) fitLength() bool {
	given := !s.auto
	if s.length == 0 {
		s.length = 2
	}
	if s.numbered {
		s.auto = false
	}
	if s.by != "n" {
		return true
	}
	need := 1
	last := s.chunk.of - 1
	if s.start < s.chunk.of {
		last += s.start
	}
	for base := int64(len(s.digits)); last >= base; last /= base {
		need++
	}
	if given && s.length < need && s.chunk.only == 0 {
		s.env.Errorf("the suffix length needs to be at least %d", need)
		return false
	}
	if !given {
		s.length = max(2, need)
	}
	s.auto = false
	return true
}

func (s *splitter) number(to *int64, what, arg string) bool {
	n, ok := tool.ParseCount(arg)
	switch {
	case !ok || what == "lines" && strings.Trim(arg, decimal) != "":
		s.env.Errorf("invalid number of %s: %s", what, s.env.Quote(arg))
		return false
	case n == math.MaxInt64:
		s.env.Errorf("invalid number of %s: %s: Value too large for defined data type", what, s.env.Quote(arg))
		return false
	case n == 0:
		s.env.Errorf("invalid number of %s: %s: Numerical result out of range", what, s.env.Quote(arg))
		return false
	}
	*to = n
	return true
}

func (s *splitter) setChunk(arg string) bool {
	c := chunk{kind: 'b'}
	rest := arg
	for _, kind := range "lr" {
		if after, ok := strings.CutPrefix(rest, string(kind)+"/"); ok {
			c.kind, rest = byte(kind), after
			break
		}
	}
	if only, of, ok := strings.Cut(rest, "/"); ok {
		k, good := tool.ParseCount(only)
		n, _ := tool.ParseCount(of)
		if !good || k == 0 || k > n {
			s.env.Errorf("invalid chunk number: %s: Numerical result out of range", s.env.Quote(only))
			return false
		}
		c.only, rest = k, of
	}
	if !s.number(&c.of, "chunks", rest) {
		return false
	}
	s.chunk = c
	return true
}

func (s *splitter) setDigits(digits string, o option.Option) bool {
	s.digits = digits
	if !o.Set || len(o.Name) == 1 {
		return true
	}
	n, err := strconv.ParseInt(o.Arg, len(digits), 63)
	if err != nil || n < 0 {
		s.env.UsageError("%s: invalid start value for numerical suffix", s.env.Quote(o.Arg))
		return false
	}
	s.start, s.numbered = n, true
	return true
}

func (s *splitter) setSeparator(arg string) bool {
	switch {
	case arg == "":
		s.env.Errorf("empty record separator")
		return false
	case arg == `\0`:
		s.end = 0
	case len(arg) > 1:
		s.env.Errorf("multi-character separator %s", s.env.Quote(arg))
		return false
	default:
		s.end = arg[0]
	}
	return true
}

func (s *splitter) split(name string, in io.Reader) error {
	switch s.by {
	case "b":
		return s.bytes(in)
	case "C":
		return s.lineBytes(in)
	case "n":
		return s.chunks(name, in)
	}
	return s.lines(in)
}

// line calls f with each line and its end, in parts if it is long; last marks the part that has the end.
func (s *splitter) line(in io.Reader, f func(part []byte, last bool) error) error {
	buf := make([]byte, 64<<10)
	for !s.env.Stopped() {
		n, err := in.Read(buf)
		for p := buf[:n]; len(p) > 0; {
			i := bytes.IndexByte(p, s.end) + 1
			part := p[:max(i, 0)]
			if i == 0 {
				part = p
			}
			if err := f(part, i > 0); err != nil {
				return err
			}
			p = p[len(part):]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) lines(in io.Reader) error {
	n := int64(0)
	return s.line(in, func(part []byte, last bool) error {
		if err := s.write(part); err != nil {
			return err
		}
		if !last {
			return nil
		}
		if n++; n == s.size {
			n = 0
			return s.close()
		}
		return nil
	})
}

func (s *splitter) bytes(in io.Reader) error {
	left := s.size
	buf := make([]byte, 64<<10)
	for !s.env.Stopped() {
		n, err := in.Read(buf)
		for p := buf[:n]; len(p) > 0; {
			part := p[:min(int64(len(p)), left)]
			if err := s.write(part); err != nil {
				return err
			}
			p = p[len(part):]
			if left -= int64(len(part)); left == 0 {
				left = s.size
				if err := s.close(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lineBytes puts as many lines into a piece as fit into its size. A longer line is cut.
func (s *splitter) lineBytes(in io.Reader) error {
	var line []byte // the line so far, at most as long as a piece
	used := int64(0)
	put := func() error {
		if used > 0 && used+int64(len(line)) > s.size {
			used = 0
			if err := s.close(); err != nil {
				return err
			}
		}
		if err := s.write(line); err != nil {
			return err
		}
		used += int64(len(line))
		line = line[:0]
		return nil
	}
	err := s.line(in, func(part []byte, last bool) error {
		for len(part) > 0 {
			n := min(int64(len(part)), s.size-int64(len(line)))
			line = append(line, part[:n]...)
			part = part[n:]
			if int64(len(line)) == s.size || last && len(part) == 0 {
				if err := put(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || len(line) == 0 {
		return err
	}
	return put()
}

// chunks splits into a given number of pieces, or writes one of them to standard output.
func (s *splitter) chunks(name string, in io.Reader) error {
	if s.chunk.kind == 'r' {
		return s.roundRobin(in)
	}
	fi, err := s.env.StatInput(name)
	if err != nil || !fi.Mode().IsRegular() {
		s.env.Errorf("%s: cannot determine file size", name)
		return errSplit
	}
	each := max(fi.Size()/s.chunk.of, 1)
	at, current := int64(0), int64(0)
	put := func(part []byte, to int64) error {
		for ; current < to; current++ {
			if err := s.next(current); err != nil {
				return err
			}
		}
		return s.writeChunk(part, current)
	}
	if s.chunk.kind == 'l' {
		begins := true
		to := int64(0)
		err = s.line(in, func(part []byte, last bool) error {
			if begins {
				to = min(at/each, s.chunk.of-1)
			}
			at += int64(len(part))
			begins = last
			return put(part, to)
		})
	} else {
		buf := make([]byte, 64<<10)
		for err == nil && !s.env.Stopped() {
			var n int
			n, err = in.Read(buf)
			for p := buf[:n]; len(p) > 0; {
				to := min(at/each, s.chunk.of-1)
				part := p
				if to < s.chunk.of-1 {
					part = p[:min(int64(len(p)), (to+1)*each-at)]
				}
				if err := put(part, to); err != nil {
					return err
				}
				at += int64(len(part))
				p = p[len(part):]
			}
		}
		if err == io.EOF {
			err = nil
		}
	}
	for ; err == nil && current < s.chunk.of; current++ {
		err = s.next(current)
	}
	return err
}

// next ends chunk n, which may be empty.
func (s *splitter) next(n int64) error {
	if s.chunk.only > 0 || s.env.Stopped() {
		return nil
	}
	if s.out == nil && !s.elide {
		if err := s.open(); err != nil {
			return err
		}
	}
	return s.close()
}

func (s *splitter) writeChunk(part []byte, n int64) error {
	switch {
	case s.chunk.only == 0:
		return s.write(part)
	case s.chunk.only == n+1:
		s.env.Out.Write(part)
	}
	return nil
}

// maxOpen is how many pieces may be written to at once.
const maxOpen = 1000

// roundRobin deals the lines out.
func (s *splitter) roundRobin(in io.Reader) error {
	n := int64(0)
	if k := s.chunk.only; k > 0 {
		return s.line(in, func(part []byte, last bool) error {
			if n%s.chunk.of == k-1 {
				s.env.Out.Write(part)
			}
			if last {
				n++
			}
			return nil
		})
	}
	if s.chunk.of > maxOpen || s.filter != "" {
		s.env.Errorf("more than %d pieces at once, or a filter, are not possible here", maxOpen)
		return errSplit
	}
	outs := make([]io.WriteCloser, s.chunk.of)
	for i := range outs {
		if err := s.open(); err != nil {
			return err
		}
		outs[i], s.out = s.out, nil
	}
	err := s.line(in, func(part []byte, last bool) error {
		_, err := outs[n%s.chunk.of].Write(part)
		if last {
			n++
		}
		return err
	})
	for _, out := range outs {
		if closing := out.Close(); err == nil {
			err = closing
		}
	}
	return err
}

// write writes to the current piece, and begins one first if there is none.
func (s *splitter) write(p []byte) error {
	if s.out == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	if _, err := s.out.Write(p); err != nil && s.run == nil { // a filter may have enough
		s.env.FileError(s.name(s.count-1), err)
		return errSplit
	}
	return nil
}

func (s *splitter) open() error {
	if s.name(s.count) == "" {
		s.env.Errorf("output file suffixes exhausted")
		return errSplit
	}
	name := s.name(s.count)
	s.count++
	if s.filter != "" {
		return s.startFilter(name)
	}
	if s.verbose {
		s.env.Out.WriteString("creating file " + tool.QuoteAlways(name) + "\n")
	}
	w, err := s.env.Create(name, os.O_TRUNC)
	if err != nil {
		s.env.FileError(name, err)
		return errSplit
	}
	s.out = w
	return nil
}

// startFilter collects a piece for a shell's command, which runs when the piece is whole.
func (s *splitter) startFilter(name string) error {
	if s.env.Exec == nil {
		s.env.Errorf("--filter does not run here")
		return errSplit
	}
	if s.verbose {
		s.env.Out.WriteString("executing with FILE=" + tool.QuoteAlways(name) + "\n")
	}
	r, w := io.Pipe()
	child := s.env.Child()
	child.Stdin = r
	child.Environ = append(child.Environ[:len(child.Environ):len(child.Environ)], "FILE="+name)
	done := make(chan int, 1)
	go func() { // ends with the command; close waits for it
		status := s.env.Exec(child, []string{"sh", "-c", s.filter})
		r.CloseWithError(io.ErrClosedPipe)
		done <- status
	}()
	s.out = w
	s.run = func() int { return <-done }
	return nil
}

// close ends the current piece.
func (s *splitter) close() error {
	if s.out == nil {
		return nil
	}
	err := s.out.Close()
	s.out = nil
	if err != nil {
		s.env.FileError(s.name(s.count-1), err)
		return errSplit
	}
	if s.run == nil {
		return nil
	}
	status := s.run()
	s.run = nil
	if status != 0 {
		s.env.Errorf("with FILE=%s, exit %d from command: %s", s.name(s.count-1), status, s.filter)
		return errSplit
	}
	return nil
}

// name is that of piece n, "" if there are too many. Where suffixes grow, the last letter in front says so: after
// xyz comes xzaaa.
func (s *splitter) name(n int64) string {
	base := int64(len(s.digits))
	n += s.start
	length, front := s.length, ""
	for {
		all := int64(1)
		for i := 0; i < length && all < math.MaxInt64/base; i++ {
			all *= base
		}
		if !s.auto && n >= all {
			return ""
		}
		room := all - all/base
		if !s.auto || n < room {
			break
		}
		n -= room
		front += s.digits[base-1:]
		length++
	}
	suffix := make([]byte, length)
	for i := length - 1; i >= 0; i-- {
		suffix[i] = s.digits[n%base]
		n /= base
	}
	return s.prefix + front + string(suffix) + s.suffix
}
