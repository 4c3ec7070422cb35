// Package iconv is iconv, which converts text from one character set into another.
package iconv

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Commands returns this family's command.
func Commands() []tool.Command {
	return []tool.Command{{Name: "iconv", Usage: "[OPTION...] [FILE...]", Like: "glibc 2.36", Run: run}}
}

// exitUsage is EX_USAGE of sysexits.h.
const exitUsage = 64

func run(env *tool.Env, args []string) int {
	opts, err := option.Parse(args[1:], "f,from-code= t,to-code= l,list c o,output= s,silent verbose ?,help V,version")
	if err != nil {
		env.Errorf("%v", err)
		env.Warn("Try `iconv --help' or `iconv --usage' for more information.")
		return exitUsage
	}
	from, to, output := "", "", ""
	c := converter{env: env}
	for _, o := range opts.Options {
		switch o.Name {
		case "f":
			from, _, _ = strings.Cut(o.Arg, "//")
		case "t":
			var how string
			to, how, _ = strings.Cut(o.Arg, "//")
			how = strings.ToUpper(how)
			c.translit, c.ignore = strings.Contains(how, "TRANSLIT"), strings.Contains(how, "IGNORE")
		case "c":
			c.discard = true
		case "o":
			output = o.Arg
		case "l":
			list(env)
			return 0
		case "?":
			env.Help()
			return 0
		case "V":
			env.Version()
			return 0
		}
	}
	var known, alsoKnown bool
	c.from, known = find(from)
	c.to, alsoKnown = find(to)
	if !known || !alsoKnown {
		env.Errorf("failed to start conversion processing: No such file or directory")
		return 1
	}
	c.out = env.Out
	if output != "" {
		f, err := env.Create(output, os.O_TRUNC)
		if err != nil {
			env.Errorf("unable to open output file: %s", tool.Strerror(err))
			return 1
		}
		defer f.Close()
		c.out = bufio.NewWriter(f)
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	status := 0
	for _, name := range names {
		in, err := env.Input(name)
		if err != nil {
			env.Errorf("cannot open input file `%s': %s", name, tool.Strerror(err))
			status = 1
			continue
		}
		ok := c.convert(in)
		in.Close()
		if !ok {
			status = 1
			break
		}
	}
	if err := c.out.Flush(); err != nil && output != "" {
		env.Errorf("conversion stopped due to problem in writing the output: %s", tool.Strerror(err))
		return 1
	}
	return status
}

// list writes the names of all character sets.
func list(env *tool.Env) {
	var names []string
	for _, c := range charsets() {
		names = append(names, strings.Fields(c.names)...)
	}
	slices.Sort(names)
	for _, n := range names {
		env.Out.WriteString(n + "//\n")
	}
}

// A converter is one run of iconv.
type converter struct {
	env      *tool.Env
	from, to charset
	out      *bufio.Writer

	translit bool // what the output's set lacks is paraphrased
	ignore   bool // what can't be converted is left out, and told of at the end
	discard  bool // it is left out silently
}

// convert converts one input, and reports whether all is well.
func (c *converter) convert(in io.Reader) bool {
	r := bufio.NewReaderSize(in, 64<<10)
	decode := c.from.decode
	if c.from.bom {
		decode = order(c.from, r)
	}
	var buf []byte
	at, lost := int64(0), false
	for !c.env.Stopped() {
		p, err := r.Peek(4)
		if len(p) == 0 {
			if err != io.EOF {
				c.env.Errorf("error while reading the input: %s", tool.Strerror(err))
				return false
			}
			break
		}
		if at == 0 && c.to.bom {
			c.out.Write(c.to.encode(nil, '\ufeff'))
		}
		// What is in the buffer is converted in one go, but for characters that may go on behind
		// it.
		p, _ = r.Peek(r.Buffered())
		done := 0
		for rest := min(3, len(p)-1); len(p)-done > rest; {
			char, n := decode(p[done:])
			if n == incomplete {
				c.env.Errorf("incomplete character or shift sequence at end of buffer")
				return false
			}
			encoded := buf[:0]
			if n > 0 {
				encoded = c.encode(buf[:0], char)
			}
			if n == 0 || encoded == nil {
				if !c.ignore && !c.discard {
					c.env.Errorf("illegal input sequence at position %d", at+int64(done))
					return false
				}
				lost, n = true, max(n, 1)
			} else {
				buf = encoded
			}
			c.out.Write(encoded)
			done += n
		}
		r.Discard(done)
		at += int64(done)
	}
	if lost && !c.discard {
		c.env.Errorf("illegal input sequence at position %d", at)
		return false
	}
	return true
}

// encode appends a character, or what may stand for it. It returns nil if there is nothing.
func (c *converter) encode(dst []byte, r rune) []byte {
	p := c.to.encode(dst, r)
	if p != nil || !c.translit {
		return p
	}
	for _, r := range transliterate(r) {
		if dst = c.to.encode(dst, r); dst == nil {
			return nil
		}
	}
	return dst
}

// order reads a byte order mark, and returns how to decode what follows.
func order(c charset, r *bufio.Reader) func([]byte) (rune, int) {
	own, _, _ := strings.Cut(c.names, " ")
	for _, name := range []string{own + "LE", own + "BE"} {
		ordered, _ := find(name)
		mark := ordered.encode(nil, '\ufeff')
		if p, _ := r.Peek(len(mark)); string(p) == string(mark) {
			r.Discard(len(mark))
			return ordered.decode
		}
	}
	return c.decode
}
