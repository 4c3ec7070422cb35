package diff

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func cmp(env *tool.Env, args []string) int {
	opts, status := options(env, args, "b,print-bytes i,ignore-initial= l,verbose n,bytes= s,quiet,silent v")
	if opts == nil {
		return status
	}
	c := &byteComparison{env: env, limit: math.MaxInt64}
	for _, o := range opts.Options {
		switch o.Name {
		case "b":
			c.show = true
		case "i":
			first, second, ok := strings.Cut(o.Arg, ":")
			if !ok {
				second = first
			}
			for i, s := range []string{first, second} {
				n, ok := tool.ParseCount(s)
				if !ok {
					return usage(env, "invalid --ignore-initial value '"+o.Arg+"'")
				}
				c.skip[i] = n
			}
		case "l":
			c.all = true
		case "n":
			n, ok := tool.ParseCount(o.Arg)
			if !ok {
				return usage(env, "invalid --bytes value '"+o.Arg+"'")
			}
			c.limit = n
		case "s":
			c.silent = true
		}
	}
	files := opts.Operands
	switch {
	case len(files) == 0:
		return usage(env, "missing operand after '"+args[len(args)-1]+"'")
	case len(files) > 4:
		return usage(env, "extra operand '"+files[4]+"'")
	case len(files) == 1:
		files = append(files, "-")
	}
	for i, s := range files[2:] {
		n, ok := tool.ParseCount(s)
		if !ok {
			return usage(env, "invalid --ignore-initial value '"+s+"'")
		}
		c.skip[i] = n
	}
	c.names = [2]string{files[0], files[1]}
	return c.run()
}

// A byteComparison is one cmp at work.
type byteComparison struct {
	env               *tool.Env
	names             [2]string
	skip              [2]int64
	limit             int64
	show, all, silent bool
	width             int // of the offsets that -l shows
}

func (c *byteComparison) run() int {
	var in [2]*bufio.Reader
	for i, name := range c.names {
		r, err := c.env.Input(name)
		if err != nil {
			if !c.silent {
				c.env.FileError(name, err)
			}
			return trouble
		}
		defer r.Close()
		in[i] = bufio.NewReaderSize(r, 64<<10)
		io.CopyN(io.Discard, in[i], c.skip[i])
	}
	c.width = c.offsetWidth()
	status, line, last := 0, int64(1), byte('\n')
	for n := int64(1); n <= c.limit && !c.env.Stopped(); n++ {
		x, errX := in[0].ReadByte()
		y, errY := in[1].ReadByte()
		for i, err := range []error{errX, errY} {
			if err != nil && err != io.EOF {
				c.env.FileError(c.names[i], err)
				return trouble
			}
		}
		if errX != nil || errY != nil {
			if errX != nil && errY != nil {
				return status
			}
			short := 0
			if errX == nil {
				short = 1
			}
			return c.end(c.names[short], n-1, line, last)
		}
		if x != y {
			status = 1
			switch {
			case c.silent:
				return 1
			case c.all:
				c.each(n, x, y)
			default:
				fmt.Fprintf(c.env.Out, "%s %s differ: byte %d, line %d", c.names[0], c.names[1], n, line)
				if c.show {
					fmt.Fprintf(c.env.Out, " is %3o %s %3o %s", x, visible(x), y, visible(y))
				}
				c.env.Out.WriteByte('\n')
				return 1
			}
		}
		if x == '\n' {
			line++
		}
		last = x
	}
	return status
}

// offsetWidth is how many digits the offsets may have: as many as the size of the shorter file.
func (c *byteComparison) offsetWidth() int {
	size := c.limit
	for i, name := range c.names {
		if fi, err := c.env.StatInput(name); err == nil && fi.Mode().IsRegular() {
			size = min(size, fi.Size()-c.skip[i])
		}
	}
	return len(fmt.Sprint(max(size, 0)))
}

func (c *byteComparison) each(n int64, x, y byte) {
	if c.show {
		fmt.Fprintf(c.env.Out, "%*d %3o %-4s %3o %s\n", c.width, n, x, visible(x), y, visible(y))
		return
	}
	fmt.Fprintf(c.env.Out, "%*d %3o %3o\n", c.width, n, x, y)
}

// end says that one file is shorter.
func (c *byteComparison) end(name string, n, line int64, last byte) int {
	switch {
	case c.silent:
	case n == 0:
		c.env.Errorf("EOF on %s which is empty", name)
	case c.all:
		c.env.Errorf("EOF on %s after byte %d", name, n)
	case last == '\n':
		c.env.Errorf("EOF on %s after byte %d, line %d", name, n, line-1)
	default:
		c.env.Errorf("EOF on %s after byte %d, in line %d", name, n, line)
	}
	return 1
}

// visible is a byte as cat -v shows it.
func visible(c byte) string {
	s := ""
	if c >= 128 {
		s, c = "M-", c-128
	}
	switch {
	case c < 32:
		return s + "^" + string(rune(c+64))
	case c == 127:
		return s + "^?"
	}
	return s + string(rune(c))
}
