package bash

import (
	"context"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
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
func (s *script) interact(env *tool.Env, runner interpreter) int {
	i := &interaction{
		script: s, env: env, runner: runner,
		p: prompter{env: env, runner: runner, marks: env.Getenv("TERM") != "dumb"},
	}
	stdin := s.terminal.input(env.Child().Stdin)
	i.in = &lineReader{r: stdin}
	if i.editor = newLineEditor(i, stdin); i.editor != nil {
		defer i.editor.close()
		i.p.attend = i.editor.attend
	}
	runner.LoadHistory()
	defer runner.SaveHistory()
	for {
		ctx, done := s.terminal.foreground(env.Context)
		ended := i.lines(ctx)
		if done() {
			ended = i.interrupted()
		}
		if ended {
			return i.status
		}
		i.p.end(i.status)
	}
}

// An interaction is a shell's with a person.
type interaction struct {
	*script
	env    *tool.Env
	runner interpreter
	p      prompter
	in     *lineReader
	editor *lineEditor // nil where lines are not edited
	status int
}

// resized sends the shell SIGWINCH.
func (i *interaction) resized() {
	const winch = 28
	shell := process.Of(i.env.Context)
	shell.Kill(shell.ID(), winch)
}

// measure has LINES and COLUMNS be those of the terminal.
func (i *interaction) measure() {
	if rows, cols := i.env.Size(); i.env.ToTerminal() && rows > 0 && cols > 0 {
		i.runner.SetSize(rows, cols)
	}
}

// lines reads and runs lines until there is a mistake in one, or ctx ends. It reports whether the
// shell is to end: there was exit, or the end of input.
func (i *interaction) lines(ctx context.Context) (ended bool) {
	if i.editor != nil {
		i.in.edit = func() (string, error) { return i.editor.read(ctx, i.p.text) }
	}
	if i.prompt(ctx) {
		return true
	}
	parser := i.runner.Parser()
	i.in.text = ""
	for stmts, err := range parser.InteractiveSeq(i.in) {
		if ctx.Err() != nil {
			return i.env.Stopped()
		}
		if err != nil {
			i.runner.Remember(oneLine(i.in.text))
			i.runner.SyntaxError("", i.in.text, len(i.in.text), err)
			i.status = 2
			return false
		}
		if parser.Incomplete() {
			i.p.more(ctx)
			continue
		}
		i.runner.Remember(oneLine(i.in.text))
		i.p.begin()
		if ended := i.run(ctx, stmts); ended || ctx.Err() != nil {
			return ended
		}
		i.p.end(i.status)
		i.in.text = ""
		if i.prompt(ctx) {
			return true
		}
	}
	if ctx.Err() != nil {
		return i.env.Stopped()
	}
	io.WriteString(i.env.Stderr, "exit\n")
	return true
}

func (i *interaction) prompt(ctx context.Context) (ended bool) {
	i.measure()
	return i.p.prompt(ctx)
}

// run runs statements, and reports whether the shell is to end.
func (i *interaction) run(ctx context.Context, stmts []*syntax.Stmt) (ended bool) {
	i.editor.rest() // a line may have come from what was read before
	i.measure()
	i.status = i.script.status(i.env, i.runner.RunLine(ctx, stmts))
	return i.runner.Exited() || i.env.Stopped()
}

// interrupted goes on after ^C: it runs the trap, if there is one, sets $?, and reports whether the
// shell is to end.
func (i *interaction) interrupted() (ended bool) {
	i.editor.rest()
	io.WriteString(i.env.Stderr, "\n") // behind "^C"
	i.runner.Eval(i.env.Context, "", "[[ -z $(trap -p INT) ]] || kill -INT $$")
	if i.runner.Exited() {
		return true
	}
	file, err := syntax.NewParser().Parse(strings.NewReader("(exit 130)\n"), "")
	if err != nil {
		panic(err) // it is ours
	}
	return i.run(i.env.Context, file.Stmts)
}

// A prompter asks for lines. Around what is typed and what is printed it puts
// the marks by which terminals and harnesses know one from the other.
//
// https://gitlab.freedesktop.org/Per_Bothner/specifications/blob/master/proposals/semantic-prompts.md
type prompter struct {
	env    *tool.Env
	runner interpreter
	marks  bool
	attend func() // to what is typed from now on, or nil
	text   string // of the last prompt
}

// prompt reports whether PROMPT_COMMAND has ended the shell.
func (p *prompter) prompt(ctx context.Context) (ended bool) {
	p.text = p.runner.Prompt(ctx)
	if p.runner.Exited() {
		return true
	}
	p.ask("A")
	return false
}

// more asks for the rest of a command.
func (p *prompter) more(ctx context.Context) {
	p.text = p.runner.More(ctx)
	p.ask("P;k=s")
}

// ask shows the prompt behind a mark.
func (p *prompter) ask(mark string) {
	if p.attend != nil {
		p.attend()
	}
	p.mark(mark)
	io.WriteString(p.env.Stderr, p.text)
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
	edit func() (string, error) // reads a line instead, or nil
	rest string                 // of that line
	text string                 // what was read since somebody emptied it
}

func (l *lineReader) Read(p []byte) (n int, err error) {
	if l.edit != nil {
		return l.readEdited(p)
	}
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

func (l *lineReader) readEdited(p []byte) (n int, err error) {
	if l.rest == "" {
		line, err := l.edit()
		if err != nil {
			return 0, err
		}
		l.rest = line + "\n"
	}
	n = copy(p, l.rest)
	l.rest = l.rest[n:]
	l.text += string(p[:n])
	return n, nil
}

// oneLine is how the history has a command of several lines, as far as that can be.
func oneLine(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if len(lines) == 1 || strings.ContainsAny(text, "'\"`") || strings.Contains(text, "<<") {
		return strings.Join(lines, "\n")
	}
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line)
		switch words := strings.Fields(line); {
		case i == len(lines)-1:
		case len(words) == 0 || slices.Contains(opening, words[len(words)-1]) || strings.HasSuffix(line, "&") || strings.HasSuffix(line, ")"):
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
	}
	return b.String()
}

// opening are words behind which a command begins, or goes on.
var opening = []string{"do", "then", "else", "{", "(", "in", "|", "&&", "||", ";;", ";"}
