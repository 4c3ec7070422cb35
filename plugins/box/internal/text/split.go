package text

import (
	"errors"
	"io"
	"math"
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
