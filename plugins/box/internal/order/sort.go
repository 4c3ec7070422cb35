package order

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const sortOptions = "b,ignore-leading-blanks c check? C d,dictionary-order f,ignore-case g,general-numeric-sort h,human-numeric-sort " +
	"i,ignore-nonprinting k,key= m,merge M,month-sort n,numeric-sort o,output= r,reverse R,random-sort s,stable S,buffer-size= " +
	"t,field-separator= T,temporary-directory= u,unique V,version-sort y? z,zero-terminated batch-size= compress-program= debug " +
	"files0-from= parallel= random-source= sort="

type sorter struct {
	keys           []*key
	global         key
	tab            int
	unique, stable bool
	delim          byte
	output         string
	check          byte // 'c', 'C' or 0
	merge          bool // each file is sorted already, it says
	inOrder        bool // so is all that was read
	seed           maphash.Seed
}

func sortLines(env *tool.Env, args []string) int {
	opts, status := env.Options(args, sortOptions)
	if opts == nil {
		return status
	}
	s := &sorter{tab: -1, delim: '\n', seed: maphash.MakeSeed()}
	s.global.endField = -1
	files := opts.Operands
	var err error
	for _, o := range opts.Options {
		switch o.Name {
		case "b":
			s.global.skipStart, s.global.skipEnd = true, true
		case "c", "C", "check":
			check := byte('c')
			if o.Name == "C" || o.Arg == "quiet" || o.Arg == "silent" {
				check = 'C'
			}
			if s.check != 0 && s.check != check {
				env.Errorf("options '-cC' are incompatible")
				return 2
			}
			s.check = check
		case "d", "f", "g", "h", "i", "M", "n", "r", "R", "V":
			s.global.set(o.Name[0])
		case "sort":
			i := strings.Index(" general-numeric human-numeric month numeric random version ", " "+o.Arg)
			if i < 0 || o.Arg == "" {
				return badSort(env, o.Arg)
			}
			s.global.set(map[byte]byte{'g': 'g', 'h': 'h', 'm': 'M', 'n': 'n', 'r': 'R', 'v': 'V'}[o.Arg[0]])
		case "k":
			k, e := parseKey(env, o.Arg)
			if e != nil {
				env.Errorf("%v", e)
				return 2
			}
			s.keys = append(s.keys, k)
		case "o":
			s.output = o.Arg
		case "m":
			s.merge = true
		case "s":
			s.stable = true
		case "t":
			s.tab, err = parseTab(env, o.Arg)
		case "u":
			s.unique = true
		case "z":
			s.delim = 0
		case "files0-from":
			p, e := env.ReadFile(o.Arg)
			if e != nil {
				env.Errorf("cannot open %s: %s", o.Arg, tool.Strerror(e))
				return 2
			}
			files = strings.FieldsFunc(string(p), func(c rune) bool { return c == 0 })
		}
		if err != nil {
			env.Errorf("%v", err)
			return 2
		}
	}
	if letters := s.settle(); letters != "" {
		env.Errorf("options '-%s' are incompatible", letters)
		return 2
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	if s.check != 0 {
		return s.checkOrder(env, files)
	}
	return s.sort(env, files)
}

func badSort(env *tool.Env, arg string) int {
	env.Errorf("invalid argument %s for %s", env.Quote(arg), env.Quote("--sort"))
	env.Warn("Valid arguments are:")
	for _, name := range []string{"general-numeric", "human-numeric", "month", "numeric", "random", "version"} {
		env.Warn("  - " + env.Quote(name))
	}
	env.TryHelp()
	return 1
}

// settle gives keys without options of their own the global ones. It returns options that can't go
// together.
func (s *sorter) settle() string {
	if len(s.keys) == 0 && (!s.global.isDefault() || s.global.skipStart) {
		k := s.global
		s.keys = append(s.keys, &k)
	}
	for _, k := range s.keys {
		if k.isDefault() && !k.skipStart && !k.skipEnd {
			k.ordering, k.skipStart, k.skipEnd = s.global.ordering, s.global.skipStart, s.global.skipEnd
		}
		if letters := k.conflict(); letters != "" {
			return letters
		}
	}
	return ""
}

// compare compares two lines by all keys, and where these are equal, by all bytes.
func (s *sorter) compare(a, b []byte) int {
	for _, k := range s.keys {
		if c := k.compare(k.cut(a, s.tab), k.cut(b, s.tab), s.seed); c != 0 {
			return c
		}
	}
	if len(s.keys) > 0 && (s.unique || s.stable) {
		return 0
	}
	c := bytes.Compare(a, b)
	if s.global.reverse {
		return -c
	}
	return c
}

func (s *sorter) sort(env *tool.Env, files []string) int {
	for _, name := range files {
		if name == "-" {
			continue
		}
		if _, err := env.Stat(name); err != nil {
			env.Errorf("cannot read: %s: %s", tool.QuoteName(name), tool.Strerror(err))
			return 2
		}
	}
	var data []byte
	for _, name := range files {
		var err error
		if data, err = s.read(env, data, name); err != nil {
			env.Errorf("read failed: %s: %s", tool.QuoteName(name), tool.Strerror(err))
			return 2
		}
	}
	const each = 8 + 24 // where a line begins, and its entry
	if err := tool.Keep(bytes.Count(data, []byte{s.delim}) * each); err != nil {
		env.Errorf("%v", err)
		return 2
	}
	lines := newText(data, s.delim)
	s.inOrder = s.merge && !s.unique && len(files) == 1
	entries := s.sortEntries(lines)
	out := env.Out
	if s.output != "" {
		f, err := env.Create(s.output, os.O_TRUNC)
		if err != nil {
			env.Errorf("open failed: %s: %s", tool.QuoteName(s.output), tool.Strerror(err))
			return 2
		}
		defer f.Close()
		out = bufio.NewWriterSize(f, 64<<10)
	}
	for _, e := range entries {
		if !s.unique || !e.again {
			out.Write(lines.ended(e.line))
		}
	}
	if s.output != "" {
		if err := out.Flush(); err != nil {
			env.Errorf("write failed: %s: %s", tool.QuoteName(s.output), tool.Strerror(err))
			return 2
		}
	}
	return 0
}

// read appends the lines of a file to data; the last one ends, too.
func (s *sorter) read(env *tool.Env, data []byte, name string) ([]byte, error) {
	r, err := env.Input(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	const least = 64 << 10
	for {
		if cap(data)-len(data) < least {
			more := max(least, len(data))
			if err := tool.Keep(len(data) + more); err != nil {
				return nil, err
			}
			data = slices.Grow(data, more)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if n := len(data); n > 0 && data[n-1] != s.delim {
		data = append(data, s.delim)
	}
	return data, nil
}

// checkOrder reports the first line that is out of order.
func (s *sorter) checkOrder(env *tool.Env, files []string) int {
	if len(files) > 1 {
		env.Errorf("extra operand %s not allowed with -%c", tool.QuoteAlways(files[1]), s.check)
		return 2
	}
	r, err := env.Input(files[0])
	if err != nil {
		env.Errorf("open failed: %s: %s", tool.QuoteName(files[0]), tool.Strerror(err))
		return 2
	}
	defer r.Close()
	line, err := s.disorder(r)
	var d disorderError
	switch {
	case errors.As(err, &d):
		if s.check == 'c' {
			env.Errorf("%s:%d: disorder: %s", tool.QuoteName(files[0]), int(d), line)
		}
		return 1
	case err != nil:
		env.Errorf("read failed: %s: %s", tool.QuoteName(files[0]), tool.Strerror(err))
		return 2
	}
	return 0
}

// A disorderError is the number of a line out of order.
type disorderError int

func (d disorderError) Error() string { return fmt.Sprintf("line %d is out of order", int(d)) }

func (s *sorter) disorder(r io.Reader) ([]byte, error) {
	lines := tool.NewLines(r, s.delim)
	var last []byte
	for n := 1; ; n++ {
		p, ok := lines.Next()
		if !ok {
			return nil, lines.Err()
		}
		cur := bytes.Clone(p)
		if n > 1 {
			if c := s.compare(last, cur); c > 0 || c == 0 && s.unique {
				return cur, disorderError(n)
			}
		}
		last = cur
	}
}
