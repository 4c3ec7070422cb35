package bash

import (
	"io"
	"os"
	"strconv"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// isTerminal reports whether a person types there.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok || f == nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}

// interact runs what is typed, line by line, until exit or the end of input.
func (s *script) interact(env *tool.Env, runner *interp.Runner) int {
	p := prompter{env: env, marks: env.Getenv("TERM") != "dumb"}
	in := &lineReader{r: env.Child().Stdin}
	status := 0
	for {
		p.prompt()
		parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
		wrong := false
		in.text = ""
		for stmts, err := range parser.InteractiveSeq(in) {
			if err != nil {
				s.text = in.text
				s.syntaxError(env, &wrongSyntax{err: err, read: len(in.text)})
				status, wrong = 2, true
				break
			}
			if parser.Incomplete() {
				p.more()
				continue
			}
			p.begin()
			for _, stmt := range stmts {
				status = s.status(env, runner.Run(env.Context, stmt))
				if runner.Exited() || env.Stopped() {
					return status
				}
			}
			p.end(status)
			in.text = ""
			p.prompt()
		}
		if !wrong { // the end of input
			io.WriteString(env.Stderr, "exit\n")
			return status
		}
		p.end(status)
	}
}

// A prompter asks for lines. Around what is typed and what is printed it puts
// the marks by which terminals and harnesses know one from the other.
//
// https://gitlab.freedesktop.org/Per_Bothner/specifications/blob/master/proposals/semantic-prompts.md
type prompter struct {
	env   *tool.Env
	marks bool
}

func (p prompter) prompt() {
	ps1, ok := p.env.LookupEnv("PS1")
	if !ok {
		ps1 = "bash-5.2$ "
	}
	p.mark("A")
	io.WriteString(p.env.Stderr, ps1)
	p.mark("B")
}

// more asks for the rest of a command.
func (p prompter) more() {
	ps2, ok := p.env.LookupEnv("PS2")
	if !ok {
		ps2 = "> "
	}
	p.mark("P;k=s")
	io.WriteString(p.env.Stderr, ps2)
	p.mark("B")
}

func (p prompter) begin()         { p.mark("C") }
func (p prompter) end(status int) { p.mark("D;" + strconv.Itoa(status)) }

func (p prompter) mark(what string) {
	if p.marks {
		io.WriteString(p.env.Stderr, "\x1b]133;"+what+"\a")
	}
}

// A lineReader reads no further than the end of a line: what follows may be
// for the command on it.
type lineReader struct {
	r    io.Reader
	text string // what was read since somebody emptied it
}

func (l *lineReader) Read(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		var k int
		k, err = l.r.Read(p[n : n+1])
		n += k
		if k > 0 && p[n-1] == '\n' {
			break
		}
	}
	l.text += string(p[:n])
	return n, err
}
