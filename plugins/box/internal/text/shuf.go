package text

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A shuffler is one run of shuf.
type shuffler struct {
	env    *tool.Env
	echo   bool
	ranged bool
	lo, hi uint64
	count  uint64
	output string
	source string
	repeat bool
	end    byte
}

func shuf(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "e,echo i,input-range= n,head-count= o,output= random-source= r,repeat z,zero-terminated")
	if opts == nil {
		return status
	}
	s := &shuffler{env: env, count: math.MaxUint64, end: '\n'}
	if !s.configure(opts) {
		return 1
	}
	operands := opts.Operands
	switch {
	case s.echo && s.ranged:
		return env.UsageError("cannot combine -e and -i options")
	case s.ranged && len(operands) > 0:
		return env.UsageError("extra operand %s", env.Quote(operands[0]))
	case !s.echo && len(operands) > 1:
		return env.UsageError("extra operand %s", env.Quote(operands[1]))
	}
	random, ok := s.random()
	if !ok {
		return 1
	}
	n, write, ok := s.input(operands)
	if !ok {
		return 1
	}
	out := env.Out
	if s.output != "" {
		f, err := env.Create(s.output, os.O_TRUNC)
		if err != nil {
			env.FileError(s.output, err)
			return 1
		}
		defer f.Close()
		out = bufio.NewWriter(f)
		defer out.Flush()
	}
	if err := s.write(out, n, write, random); err != nil {
		env.Errorf("%v", err)
		return 1
	}
	return 0
}

// configure takes the options, and reports whether they are right.
func (s *shuffler) configure(opts *option.Result) bool {
	for _, o := range opts.Options {
		switch o.Name {
		case "e":
			s.echo = true
		case "i":
			if s.ranged {
				s.env.Errorf("multiple -i options specified")
				return false
			}
			if wrong := s.setRange(o.Arg); wrong != "" {
				s.env.Errorf("invalid input range: %s", s.env.Quote(wrong))
				return false
			}
			s.ranged = true
		case "n":
			n, ok := tool.ParseCount(o.Arg)
			if !ok || strings.Trim(o.Arg, "0123456789") != "" {
				s.env.Errorf("invalid line count: %s", s.env.Quote(o.Arg))
				return false
			}
			s.count = min(s.count, uint64(n))
		case "o":
			if s.output != "" && s.output != o.Arg {
				s.env.Errorf("multiple output files specified")
				return false
			}
			s.output = o.Arg
		case "random-source":
			if s.source != "" && s.source != o.Arg {
				s.env.Errorf("multiple random sources specified")
				return false
			}
			s.source = o.Arg
		case "r":
			s.repeat = true
		case "z":
			s.end = 0
		}
	}
	return true
}

// setRange takes -i, and returns what is wrong with it.
func (s *shuffler) setRange(arg string) (wrong string) {
	lo, hi, ok := strings.Cut(arg, "-")
	if !ok {
		return arg
	}
	var err error
	if s.lo, err = strconv.ParseUint(lo, 10, 64); err != nil {
		return lo
	}
	if s.hi, err = strconv.ParseUint(hi, 10, 64); err != nil {
		return hi
	}
	if s.lo > s.hi && s.lo != s.hi+1 || s.hi-s.lo == math.MaxUint64 && s.lo == 0 {
		return arg
	}
	return ""
}

// input returns how many lines there are, and what writes one of them.
func (s *shuffler) input(operands []string) (n uint64, write func(out *bufio.Writer, i uint64), ok bool) {
	lines := operands
	switch {
	case s.ranged:
		return s.hi - s.lo + 1, func(out *bufio.Writer, i uint64) {
			var p [20]byte
			out.Write(strconv.AppendUint(p[:0], s.lo+i, 10))
		}, true
	case !s.echo:
		lines = nil
		text, err := s.env.ReadFile(append(operands, "-")[0])
		if err != nil {
			s.env.FileError(append(operands, "-")[0], err)
			return 0, nil, false
		}
		if err := tool.Keep(len(text) + tool.SizeOfLine*bytes.Count(text, []byte(string(s.end)))); err != nil {
			s.env.Errorf("%v", err)
			return 0, nil, false
		}
		if len(text) > 0 {
			lines = strings.Split(strings.TrimSuffix(string(text), string(s.end)), string(s.end))
		}
	}
	return uint64(len(lines)), func(out *bufio.Writer, i uint64) { out.WriteString(lines[i]) }, true
}

// random returns what draws a number below n.
func (s *shuffler) random() (func(n uint64) (uint64, error), bool) {
	if s.source == "" {
		return func(n uint64) (uint64, error) { return rand.Uint64N(n), nil }, true
	}
	f, err := s.env.Open(s.source)
	if err != nil {
		s.env.FileError(s.source, err)
		return nil, false
	}
	d := &drawer{r: bufio.NewReader(f), name: s.env.Quote(s.source)}
	return d.below, true
}

// write writes lines in an order that is drawn.
func (s *shuffler) write(out *bufio.Writer, n uint64, write func(*bufio.Writer, uint64), random func(uint64) (uint64, error)) error {
	if s.repeat {
		if s.count == 0 {
			return nil
		}
		if n == 0 {
			return errNothingToRepeat
		}
		for i := uint64(0); i < s.count && !s.env.Stopped(); i++ {
			k, err := random(n)
			if err != nil {
				return err
			}
			write(out, k)
			out.WriteByte(s.end)
		}
		return nil
	}
	count := min(s.count, n)
	order := make([]uint64, 0, min(count, 1<<16))
	moved := map[uint64]uint64{} // places whose number is not their own
	at := func(i uint64) uint64 {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	for i := range count {
		if s.env.Stopped() {
			return nil
		}
		k, err := random(n - i)
		if err != nil {
			return err
		}
		order = append(order, at(i+k))
		moved[i+k] = at(i)
		delete(moved, i)
	}
	for _, k := range order {
		write(out, k)
		out.WriteByte(s.end)
	}
	return nil
}

type sourceError string

func (e sourceError) Error() string { return string(e) }

const errNothingToRepeat = sourceError("no lines to repeat")

// A drawer draws numbers from bytes, as gnulib's randint does: what is left of them goes into the
// next number.
type drawer struct {
	r         *bufio.Reader
	name      string
	num, most uint64 // what is left, and what it could be at most
}

func (d *drawer) below(n uint64) (uint64, error) {
	last := n - 1
	for {
		for d.most < last {
			c, err := d.r.ReadByte()
			if err == io.EOF {
				return 0, sourceError(d.name + ": end of file")
			}
			if err != nil {
				return 0, sourceError(d.name + ": " + tool.Strerror(err))
			}
			d.num, d.most = d.num<<8+uint64(c), d.most<<8+math.MaxUint8
		}
		if d.most == last {
			k := d.num
			d.num, d.most = 0, 0
			return k, nil
		}
		excess := d.most - last
		unusable := excess % n
		k := d.num % n
		if d.num <= d.most-unusable {
			d.num, d.most = d.num/n, excess/n
			return k, nil
		}
		d.num -= d.most - unusable + 1
		d.most = unusable - 1
	}
}
