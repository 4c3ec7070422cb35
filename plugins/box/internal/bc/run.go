package bc

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A bc is one run of bc.
type bc struct {
	env         *tool.Env
	parser      *parser
	vars        map[string]number
	arrays      map[string]map[int]number
	scale       int
	ibase       int
	obase       int
	last        number
	returned    number // of the function that runs
	mathLibrary bool
	width       int // of lines, 0 for no limit
	column      int
	steps       int
	depth       int // of calls within each other
	seed        uint64
}

// Limits of a program, so that one which would never end does.
const (
	maxSteps = 1 << 30
	maxCalls = 5_000
)

// ended ends bc at once.
type ended struct{}

func run(env *tool.Env, args []string) int {
	res, status := env.Options(args, "h,help i,interactive l,mathlib q,quiet s,standard w,warn v")
	if res == nil {
		return status
	}
	if res.Has("v") {
		env.Out.WriteString("bc 1.07.1 (Terrarium box, works as GNU bc 1.07.1)\n")
		return 0
	}
	b := &bc{
		env: env, vars: map[string]number{}, arrays: map[string]map[int]number{}, ibase: 10, obase: 10, last: zero,
		mathLibrary: res.Has("l"), width: 70, seed: 1,
	}
	if b.mathLibrary {
		b.scale = 20
	}
	if n, err := strconv.Atoi(env.Getenv("BC_LINE_LENGTH")); err == nil && (n == 0 || n > 2) {
		b.width = n
	}
	b.parser = &parser{functions: map[string]*function{}}
	for _, name := range append(res.Operands, "-") {
		r, err := env.Input(name)
		if err != nil {
			env.Warn("File " + name + " is unavailable.")
			return 1
		}
		if name == "-" {
			name = "standard_in"
		}
		over := b.source(name, r)
		r.Close()
		if over {
			break
		}
	}
	return 0
}

// source runs what one file says. It returns true if that was to quit.
func (b *bc) source(name string, r io.Reader) (over bool) {
	b.parser.lexer = &lexer{lines: tool.NewLines(r, '\n'), input: name, line: 1, warn: b.env.Warn}
	for {
		more, quit := b.line()
		if quit || b.env.Stopped() {
			return true
		}
		if !more {
			return false
		}
	}
}

// line reads and runs one line of statements.
func (b *bc) line() (more, quit bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *ended:
			quit = true
		case *syntaxError:
			b.env.Warn(fmt.Sprintf("(%s) %d: %s", b.parser.input, b.parser.lexer.line, r.text))
			b.parser.recover()
			more = b.parser.tok.kind != 0
		case *runtimeError:
			b.env.Warn("Runtime error (func=(main), adr=0): " + r.text)
			b.depth = 0
			more = b.parser.tok.kind != 0
		default:
			panic(r)
		}
	}()
	b.parser.next()
	block := b.parser.line()
	b.run(block)
	return b.parser.tok.kind != 0, false
}

// recover skips what is left of a line that could not be parsed.
func (p *parser) recover() {
	p.depth, p.loops, p.within = 0, 0, nil
	for p.tok.kind != tokenLine && p.tok.kind != 0 {
		p.next()
	}
}

func (b *bc) warn(text string) { b.env.Warn("Runtime warning (func=(main), adr=0): " + text) }

// How a statement ends.
const (
	ends = iota
	breaks
	continues
	returns
)

// run runs a statement.
func (b *bc) run(n *node) int {
	b.step()
	switch n.op {
	case "{":
		for _, kid := range n.kids {
			if how := b.run(kid); how != ends {
				return how
			}
		}
	case "do":
		b.eval(n.kids[0])
	case "show":
		v := b.eval(n.kids[0])
		if n.kids[0].op == "call" {
			if f := b.parser.functions[n.kids[0].name]; f != nil && f.void {
				return ends
			}
		}
		b.write(v.format(b.obase) + "\n")
		b.last = v
	case "string":
		b.write(n.name)
	case "print":
		for _, kid := range n.kids {
			if kid.op == "escaped" {
				b.write(unescape(kid.name))
				continue
			}
			b.last = b.eval(kid)
			b.write(b.last.format(b.obase))
		}
	case "if":
		if b.eval(n.kids[0]).sign() != 0 {
			return b.run(n.kids[1])
		}
		if n.kids[2] != nil {
			return b.run(n.kids[2])
		}
	case "for":
		return b.loop(n)
	case "break":
		return breaks
	case "continue":
		return continues
	case "return":
		if n.kids[0] != nil {
			b.returned = b.eval(n.kids[0])
		}
		return returns
	case "halt":
		panic(&ended{})
	case "limits":
		b.env.Out.WriteString("BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 100000\nBC_STRING_MAX   = 2147483647\n")
	}
	return ends
}

func (b *bc) loop(n *node) int {
	if n.kids[0] != nil {
		b.eval(n.kids[0])
	}
	for n.kids[1] == nil || b.eval(n.kids[1]).sign() != 0 {
		switch b.run(n.kids[3]) {
		case breaks:
			return ends
		case returns:
			return returns
		}
		if n.kids[2] != nil {
			b.eval(n.kids[2])
		}
	}
	return ends
}

// write writes text in lines that are not too long: a backslash ends those that go on.
func (b *bc) write(s string) {
	for i := range len(s) {
		if s[i] == '\n' {
			b.column = 0
		} else if b.column++; b.width > 0 && b.column == b.width-1 {
			b.env.Out.WriteString("\\\n")
			b.column = 1
		}
		b.env.Out.WriteByte(s[i])
	}
}

// unescape is what print makes of a string.
func unescape(s string) string {
	return strings.NewReplacer(`\a`, "\a", `\b`, "\b", `\f`, "\f", `\n`, "\n", `\q`, `"`, `\r`, "\r", `\t`, "\t", `\\`, `\`).Replace(s)
}
