package bash

import (
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/edit"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
)

// A lineEditor is the shell's, at a terminal that can do more than print.
type lineEditor struct {
	*interaction
	terminal *os.File
	editor   *edit.Editor
	stop     func() // being told of resizes
	restore  func() // the terminal's modes, or nil if they are as they were
}

// newLineEditor returns nil where lines are not edited.
func newLineEditor(i *interaction, stdin io.Reader) *lineEditor {
	f := tty.Of(stdin)
	if term := i.env.Getenv("TERM"); f == nil || i.env.ErrTerminal() == nil || term == "" || term == "dumb" || i.noEditing {
		return nil
	}
	l := &lineEditor{interaction: i, terminal: f}
	l.editor = &edit.Editor{Keys: f, Out: i.env.Stderr, Size: sizeOf(f)}
	l.stop, _ = tty.Watch(f, func() {
		l.editor.Resized()
		i.resized()
	})
	return l
}

func (l *lineEditor) close() {
	l.rest()
	if l.stop != nil {
		l.stop()
	}
}

// attend has keys be for the editor from now on, where there are some, and rest for commands again.
func (l *lineEditor) attend() {
	if l != nil && l.restore == nil {
		l.restore, _ = byKeys(l.terminal) // if that fails, so does reading
	}
}

func (l *lineEditor) rest() {
	if l != nil && l.restore != nil {
		l.restore()
		l.restore = nil
	}
}

// read reads a line, for which there is a prompt on the screen.
func (l *lineEditor) read(ctx context.Context, prompt string) (string, error) {
	l.editor.History = l.runner.History()
	l.editor.Complete = func(line string, at int) (int, []edit.Candidate) { return l.complete(ctx, line[:at]) }
	l.attend()
	defer l.rest()
	line, err := l.editor.ReadLine(prompt, "")
	if ctx.Err() != nil {
		io.WriteString(l.env.Stderr, "^C")
	}
	return line, err
}

// complete returns what the last word of a line may become, and where it begins.
func (l *lineEditor) complete(ctx context.Context, line string) (from int, found []edit.Candidate) {
	words, from := lastCommand(line)
	word := words[len(words)-1]
	if name, ok := strings.CutPrefix(line[from:], "$"); ok {
		for _, v := range l.runner.Variables(strings.TrimPrefix(name, "{")) {
			v = line[from:len(line)-len(strings.TrimPrefix(name, "{"))] + v
			found = append(found, edit.Candidate{Text: v, Name: v})
		}
		return from, found
	}
	if len(words) > 1 || !strings.Contains(word, "/") {
		names, known := l.runner.Complete(ctx, words)
		for _, name := range names {
			found = append(found, l.candidate(line[from:], name))
		}
		if known && len(found) > 0 {
			return from, found
		}
	}
	directories := words[0] == "cd" || words[0] == "pushd" || words[0] == "rmdir"
	return from, l.files(line[from:], word, directories && len(words) > 1, len(words) == 1)
}

// candidate is a name for a word as it was typed.
func (l *lineEditor) candidate(typed, name string) edit.Candidate {
	c := edit.Candidate{Text: quoted(typed, name), Name: path.Base(name)}
	if strings.HasSuffix(name, "/") {
		c.Open, c.Name = true, c.Name+"/"
	} else if q := openQuote(typed); q != 0 {
		c.Text += string(q)
	}
	return c
}

// files returns the files whose names begin with word, hidden ones only for a word that begins so.
func (l *lineEditor) files(typed, word string, directories, programs bool) (found []edit.Candidate) {
	dir, base := path.Split(word)
	real := dir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		real = l.env.Getenv("HOME") + "/" + rest
	}
	if !path.IsAbs(real) {
		real = l.runner.WorkDir() + "/" + real
	}
	entries, _ := os.ReadDir(cmp.Or(real, "/"))
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		info, err := os.Stat(real + "/" + name)
		isDir := err == nil && info.IsDir()
		if !isDir && (directories || programs && (err != nil || !sys.Executable(info))) {
			continue
		}
		if isDir {
			name += "/"
		}
		found = append(found, l.candidate(typed, dir+name))
	}
	return found
}

// lastCommand returns the words of the last command of a line, without their quotes, and where the
// last word begins. That one is empty where the next character begins a word.
func lastCommand(line string) (words []string, from int) {
	var b strings.Builder
	quote, inWord := byte(0), false
	end := func() {
		if inWord {
			words = append(words, b.String())
		}
		b.Reset()
		inWord = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			b.WriteByte(c)
			continue
		case c == quote && quote != 0:
			quote = 0
			continue
		}
		if !inWord {
			from = i
		}
		switch {
		case c == '\\':
			if i++; i < len(line) {
				b.WriteByte(line[i])
			}
			inWord = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			if end(); len(words) == 1 && (slices.Contains(opening, words[0]) || before[words[0]]) {
				words = nil
			}
		case strings.IndexByte(";|&(\n`", c) >= 0:
			end()
			words = nil
		case c == '<' || c == '>':
			end()
			words = append(words, string(c))
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if !inWord {
		return append(words, ""), len(line)
	}
	return append(words, b.String()), from
}

// before are commands before which a command comes.
var before = map[string]bool{"if": true, "while": true, "until": true, "!": true, "time": true, "elif": true, "exec": true, "sudo": true, "nohup": true}

// openQuote is the quote that is open at the end of a word, 0 if none is.
func openQuote(word string) byte {
	quote := byte(0)
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && quote != '\'':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
	}
	return quote
}

// quoted is name as it is typed where a word began as typed.
func quoted(typed, name string) string {
	switch openQuote(typed) {
	case '\'':
		return "'" + strings.ReplaceAll(name, "'", `'\''`)
	case '"':
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(name)
	}
	var b strings.Builder
	for i, c := range name {
		switch {
		case c == '\n' || c < ' ' || c == 0x7f:
			return tool.QuoteAlways(name)
		case strings.ContainsRune(" \t\"'\\|&;()<>$`*?[]{}!#", c), c == '~' && i == 0 && !strings.HasPrefix(name, "~/"):
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
