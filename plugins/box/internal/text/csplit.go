package text

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const csplitOptions = "b,suffix-format= f,prefix= k,keep-files n,digits= s,q,quiet,silent z,elide-empty-files suppress-matched"

// A cut is one of csplit's patterns: where a piece ends.
type cut struct {
	arg     string
	re      *regex.Regexp // nil: at a line's number
	line    int
	offset  int // from the line that matches
	skip    bool
	times   int // beside the first
	forever bool
}

// A carver is one run of csplit.
type carver struct {
	env            *tool.Env
	prefix, suffix string
	keep, quiet    bool
	elide          bool
	withoutMatched bool

	lines   [][]byte // with their ends
	next    int      // how many were taken
	current int      // number of the line that was looked at or taken last

	files  []string
	out    *bufio.Writer // nil if no piece is open
	file   io.WriteCloser
	size   int64
	status int
}

func csplit(env *tool.Env, args []string) int {
	opts, status := env.Options(args, csplitOptions)
	if opts == nil {
		return status
	}
	c := &carver{env: env, prefix: "xx", suffix: "%02d", keep: opts.Has("k"), quiet: opts.Has("s"), elide: opts.Has("z"),
		withoutMatched: opts.Has("suppress-matched")}
	if !c.configure(opts) {
		return 1
	}
	switch len(opts.Operands) {
	case 0:
		return env.UsageError("missing operand")
	case 1:
		return env.UsageError("missing operand after %s", env.Quote(opts.Operands[0]))
	}
	name := opts.Operands[0]
	in, err := env.Input(name)
	if err != nil {
		env.Errorf("cannot open %s for reading: %s", tool.QuoteAlways(name), tool.Strerror(err))
		return 1
	}
	defer in.Close()
	cuts, wrong := c.parse(opts.Operands[1:])
	if wrong != "" {
		env.Errorf("%s", wrong)
		return 1
	}
	text, err := tool.ReadAll(in)
	if err != nil {
		env.Errorf("read error: %s", tool.Strerror(err))
		return 1
	}
	if err := tool.Keep(bytes.Count(text, []byte{'\n'}) * tool.SizeOfLine); err != nil {
		env.Errorf("read error: %s", tool.Strerror(err))
		return 1
	}
	c.lines = bytes.SplitAfter(text, []byte{'\n'})
	if last := len(c.lines) - 1; len(c.lines[last]) == 0 {
		c.lines = c.lines[:last]
	}
	if !c.carve(cuts) {
		c.close()
		if !c.keep {
			for _, name := range c.files {
				env.Remove(name)
			}
		}
		return 1
	}
	return c.status
}

// carve writes the pieces, and reports whether all patterns were met.
func (c *carver) carve(cuts []cut) bool {
	for i := range cuts {
		p := &cuts[i]
		for n := 0; p.forever || n <= p.times; n++ {
			if c.env.Stopped() {
				return false
			}
			ok, over := false, false
			if p.re != nil {
				ok, over = c.toMatch(p, n)
			} else {
				ok = c.toLine(p, n)
			}
			if !ok || over {
				return ok
			}
		}
	}
	if !c.open() || !c.copy(len(c.lines)) {
		return false
	}
	c.close()
	return true
}

// toLine ends a piece before a line's number.
func (c *carver) toLine(p *cut, n int) bool {
	end := p.line*(n+1) - 1
	if !c.open() {
		return false
	}
	if c.withoutMatched && c.current >= len(c.lines) {
		return c.outOfRange(c.env.Quote(strconv.Itoa(p.line)), n)
	}
	if c.next == len(c.lines) {
		c.env.Errorf("input disappeared")
		c.keep, c.quiet = true, true // GNU's does not clean up after that
		return false
	}
	if end > len(c.lines) {
		c.copy(len(c.lines))
		return c.outOfRange(c.env.Quote(strconv.Itoa(p.line)), n)
	}
	if !c.copy(end) {
		return false
	}
	c.close()
	if c.withoutMatched {
		c.take()
	} else if c.current >= len(c.lines) {
		return c.outOfRange(c.env.Quote(strconv.Itoa(p.line)), n)
	}
	return true
}

// toMatch ends a piece, or what is skipped, at a line that matches. Then it is over if there is
// none that has to.
func (c *carver) toMatch(p *cut, n int) (ok, over bool) {
	if !p.skip && !c.open() {
		return false, false
	}
	at := max(c.current, c.next) // index of the line after
	for ; at < len(c.lines); at++ {
		match, err := p.re.Match(bytes.TrimSuffix(c.lines[at], []byte{'\n'}))
		if err != nil {
			c.env.Errorf("%s: %v", c.env.Quote(p.arg), err)
			return false, false
		}
		if match {
			break
		}
	}
	if at >= len(c.lines) {
		if !p.forever {
			c.env.Errorf("%s: match not found%s", c.env.Quote(p.arg), repetition(n))
		}
		if !p.skip {
			c.copy(len(c.lines))
			c.close()
		}
		return p.forever, p.forever
	}
	c.current = at + 1
	end := at + p.offset
	if p.offset >= 0 {
		c.put(at, p.skip)
	}
	if end < c.next || end > len(c.lines) {
		if end > len(c.lines) {
			c.put(len(c.lines), p.skip)
		}
		return c.outOfRange(c.env.Quote(p.arg), 0), false
	}
	c.put(end, p.skip)
	if !p.skip {
		c.close()
	}
	if p.offset > 0 {
		c.current = end + 1
	}
	if c.withoutMatched {
		c.take()
	}
	return true, false
}

// put copies or skips the lines before one.
func (c *carver) put(end int, skip bool) {
	if skip {
		c.next = max(c.next, end)
		return
	}
	c.copy(end)
}

// take drops a line.
func (c *carver) take() {
	if c.next < len(c.lines) {
		c.next++
		c.current = max(c.current, c.next)
	}
}

func (c *carver) outOfRange(what string, n int) bool {
	c.env.Errorf("%s: line number out of range%s", what, repetition(n))
	return false
}

func repetition(n int) string {
	if n == 0 {
		return ""
	}
	return " on repetition " + strconv.Itoa(n)
}

// open begins a piece.
func (c *carver) open() bool {
	name := c.name(len(c.files))
	f, err := c.env.Create(name, os.O_TRUNC)
	if err != nil {
		c.env.FileError(name, err)
		return false
	}
	c.files = append(c.files, name)
	c.file, c.out, c.size = f, bufio.NewWriter(f), 0
	return true
}

// copy writes the lines before one to the piece.
func (c *carver) copy(end int) bool {
	for ; c.next < end; c.next++ {
		n, err := c.out.Write(c.lines[c.next])
		c.size += int64(n)
		if err != nil {
			c.writeFailed(err)
			return false
		}
	}
	c.current = max(c.current, c.next)
	return true
}

func (c *carver) writeFailed(err error) {
	c.env.Errorf("write error for %s: %s", tool.QuoteAlways(c.files[len(c.files)-1]), tool.Strerror(err))
	c.status = 1
}

// close ends the piece, if there is one.
func (c *carver) close() {
	if c.out == nil {
		return
	}
	err := c.out.Flush()
	if e := c.file.Close(); err == nil {
		err = e
	}
	c.out = nil
	switch {
	case err != nil:
		c.writeFailed(err)
	case c.size == 0 && c.elide:
		last := len(c.files) - 1
		c.env.Remove(c.files[last])
		c.files = c.files[:last]
	case !c.quiet:
		c.env.Out.WriteString(strconv.FormatInt(c.size, 10) + "\n")
	}
}
