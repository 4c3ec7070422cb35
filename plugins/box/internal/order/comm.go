package order

import (
	"bytes"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func comm(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "1 2 3 check-order nocheck-order output-delimiter= total z,zero-terminated")
	if opts == nil {
		return status
	}
	c := &commState{env: env, delim: '\n', sep: "\t", hide: [3]bool{opts.Has("1"), opts.Has("2"), opts.Has("3")}}
	for _, o := range opts.Options {
		switch o.Name {
		case "check-order":
			c.check = checkAlways
		case "nocheck-order":
			c.check = checkNever
		case "output-delimiter":
			c.sep = o.Arg
			if c.sep == "" {
				c.sep = "\x00"
			}
		case "z":
			c.delim = 0
		}
	}
	files := opts.Operands
	switch {
	case len(files) == 0:
		return env.UsageError("missing operand")
	case len(files) == 1:
		return env.UsageError("missing operand after %s", env.Quote(files[0]))
	case len(files) > 2:
		return env.UsageError("extra operand %s", env.Quote(files[2]))
	}
	for i, name := range files {
		r, err := env.Input(name)
		if err != nil {
			env.FileError(name, err)
			return 1
		}
		defer r.Close()
		c.in[i] = sortedInput{env: env, lines: tool.NewLines(r, c.delim), number: i + 1, name: name}
	}
	return c.run(opts.Has("total"))
}

type checkMode byte

const (
	checkPaired checkMode = iota // only once a line has no partner
	checkAlways
	checkNever
)

// A sortedInput reads lines that should be in order.
type sortedInput struct {
	env    *tool.Env
	lines  *tool.Lines
	number int
	name   string
	cur    []byte
	last   []byte
	ok     bool
	warned bool
}

// next moves on and reports whether the new line is in order.
func (s *sortedInput) next() bool {
	s.last = append(s.last[:0], s.cur...)
	had := s.ok
	s.cur, s.ok = s.lines.Next()
	return !had || !s.ok || bytes.Compare(s.last, s.cur) <= 0
}

type commState struct {
	env    *tool.Env
	in     [2]sortedInput
	delim  byte
	sep    string
	hide   [3]bool
	check  checkMode
	counts [3]int
	alone  bool // a line without a partner was seen
}

func (c *commState) run(total bool) int {
	for i := range c.in {
		c.in[i].cur, c.in[i].ok = c.in[i].lines.Next()
		if err := c.in[i].lines.Err(); err != nil {
			c.env.FileError(c.in[i].name, err)
			return 1
		}
	}
	for (c.in[0].ok || c.in[1].ok) && !c.env.Stopped() {
		order := 0
		switch {
		case !c.in[0].ok:
			order = 1
		case !c.in[1].ok:
			order = -1
		default:
			order = bytes.Compare(c.in[0].cur, c.in[1].cur)
		}
		c.alone = c.alone || order != 0
		if order <= 0 {
			column := 2
			if order < 0 {
				column = 0
			}
			c.write(column, c.in[0].cur)
		} else {
			c.write(1, c.in[1].cur)
		}
		for i := range c.in {
			if order == 0 || (order > 0) == (i == 1) {
				if !c.in[i].next() && !c.disorder(&c.in[i]) {
					return 1
				}
			}
		}
	}
	if total {
		for i, n := range c.counts {
			if i > 0 {
				c.env.Out.WriteString(c.sep)
			}
			c.env.Out.WriteString(strconv.Itoa(n))
		}
		c.env.Out.WriteString(c.sep + "total" + string(c.delim))
	}
	status := 0
	for i := range c.in {
		if err := c.in[i].lines.Err(); err != nil {
			c.env.FileError(c.in[i].name, err)
			status = 1
		}
	}
	if c.in[0].warned || c.in[1].warned {
		c.env.Errorf("input is not in sorted order")
		status = 1
	}
	return status
}

// disorder complains once for each input and returns false if that is fatal.
func (c *commState) disorder(s *sortedInput) bool {
	if c.check == checkNever || c.check == checkPaired && !c.alone || s.warned {
		return true
	}
	s.warned = true
	c.env.Errorf("file %d is not in sorted order", s.number)
	return c.check != checkAlways
}

// write writes a line in its column, behind the columns that are shown before it.
func (c *commState) write(column int, line []byte) {
	c.counts[column]++
	if c.hide[column] {
		return
	}
	for i := 0; i < column; i++ {
		if !c.hide[i] {
			c.env.Out.WriteString(c.sep)
		}
	}
	c.env.Out.Write(line)
	c.env.Out.WriteByte(c.delim)
}
