package bash

import (
	"context"
	"io"
	"os"
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
	// RunLine runs what is on one line.
	RunLine(ctx context.Context, stmts []*syntax.Stmt) error
	// Parser returns a parser that knows the aliases.
	Parser() *syntax.Parser
	// Eval runs the commands of a text, and keeps $?.
	Eval(ctx context.Context, from, text string) (status uint8)
	// SourceFile runs a file, if it is there.
	SourceFile(ctx context.Context, name string) error

	// Umask sets the mask of new files' modes, which commands find in their contexts.
	Umask(mask int)
	// Executable has is tell which files somebody may run, which their modes do not in the sandbox.
	Executable(is func(os.FileInfo) bool)
	// Interact sets the variables that a person's shell has.
	Interact()
	// Prompt runs PROMPT_COMMAND and returns the prompt, and More that for the rest of a command.
	Prompt(ctx context.Context) string
	More(ctx context.Context) string
	// LoadHistory and SaveHistory read and write HISTFILE; Remember adds a command.
	LoadHistory()
	SaveHistory()
	Remember(text string)
	// History returns the commands that were typed, the oldest first.
	History() []string
	// SetSize sets LINES and COLUMNS.
	SetSize(rows, cols int)
	// Complete returns what the last of the words of a command may become; known is false where it
	// is a file.
	Complete(ctx context.Context, words []string) (found []string, known bool)
	// Variables returns the names of variables that begin so.
	Variables(prefix string) []string
	// WorkDir returns the current directory.
	WorkDir() string

	// SyntaxError says in bash's words what is wrong with a text, of which the parser has read so
	// many bytes.
	SyntaxError(from, text string, read int, err error)
}

// patched returns r as it is with our patches. Without them, as in the box that applies them, it
// does what there is.
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

func (u unpatched) RunLine(ctx context.Context, stmts []*syntax.Stmt) (err error) {
	for _, stmt := range stmts {
		if err = u.Run(ctx, stmt); u.Exited() {
			break
		}
	}
	return err
}

func (u unpatched) Eval(context.Context, string, string) uint8 { return 0 }
func (u unpatched) SourceFile(context.Context, string) error   { return nil }
func (u unpatched) Umask(int)                                  {}
func (u unpatched) Executable(func(os.FileInfo) bool)          {}
func (u unpatched) Interact()                                  {}
func (u unpatched) Prompt(context.Context) string              { return "$ " }
func (u unpatched) More(context.Context) string                { return "> " }
func (u unpatched) LoadHistory()                               {}
func (u unpatched) SaveHistory()                               {}
func (u unpatched) Remember(string)                            {}
func (u unpatched) History() []string                          { return nil }
func (u unpatched) SetSize(int, int)                           {}
func (u unpatched) Variables(string) []string                  { return nil }
func (u unpatched) WorkDir() string                            { return u.Dir }
func (u unpatched) Parser() *syntax.Parser                     { return syntax.NewParser() }

func (u unpatched) Complete(context.Context, []string) (found []string, known bool) {
	return nil, false
}

func (u unpatched) SyntaxError(_, _ string, _ int, err error) {
	io.WriteString(u.stderr, err.Error()+"\n")
}
