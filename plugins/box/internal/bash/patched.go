package bash

import (
	"context"
	"io"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// An interpreter runs commands: interp.Runner as our patches make it.
type interpreter interface {
	Run(ctx context.Context, node syntax.Node) error
	Exited() bool

	// RunScript runs a script line by line, each with what those before it have defined.
	RunScript(ctx context.Context, name, text string) error
	// Parser returns a parser that knows the aliases.
	Parser() *syntax.Parser
	// SyntaxError says in bash's words what is wrong with a text, of which the parser has read so many bytes.
	SyntaxError(from, text string, read int, err error)
}

// patched returns r as it is with our patches. Without them, as in the box that applies them, it does what there is.
func patched(r *interp.Runner, stderr io.Writer) interpreter {
	if i, ok := any(r).(interpreter); ok {
		return i
	}
	return unpatched{r, stderr}
}

type unpatched struct {
	*interp.Runner
	stderr io.Writer
}

func (u unpatched) RunScript(ctx context.Context, name, text string) error {
	file, err := u.Parser().Parse(strings.NewReader(text), name)
	if err != nil {
		u.SyntaxError("", text, 0, err)
		return interp.ExitStatus(2)
	}
	return u.Run(ctx, file)
}

func (u unpatched) Parser() *syntax.Parser { return syntax.NewParser() }

func (u unpatched) SyntaxError(_, _ string, _ int, err error) {
	io.WriteString(u.stderr, err.Error()+"\n")
}
