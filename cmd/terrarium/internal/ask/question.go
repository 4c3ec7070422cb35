package ask

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// Bounds of what a question shows, in bytes, or in lines of their own.
const (
	maxTitle    = 200
	maxCommand  = 600
	maxValue    = 60
	maxCommands = 24
	maxValues   = 16
	maxNames    = 1 << 10
	maxLines    = 15
	maxRow      = 200
	maxWhole    = 64 << 10
)

// Title is what was asked for, in one line of at most a few hundred bytes that does nothing to a
// terminal.
func (q *Question) Title() string { return shorten(q.asked(), maxTitle) }

// asked is the line, or the command and its arguments, as the agent has sent it.
func (q *Question) asked() string {
	if q.Exec.Via == core.ViaShell {
		return q.Exec.Command.Command
	}
	return words(q.Exec.Argv)
}

// lines are a command that has several of them, each behind a bar: none looks like a line of ours.
// They are safe to show. Without a line feed there are none.
func (q *Question) lines() []string {
	asked := strings.TrimRight(q.asked(), "\n")
	if !strings.Contains(asked, "\n") {
		return nil
	}
	lines := strings.Split(asked, "\n")
	var shown []string
	for i, line := range lines {
		hidden := len(lines) - maxLines
		switch {
		case hidden <= 0 || i < maxLines*2/3 || i >= hidden+maxLines*2/3:
			shown = append(shown, "| "+shorten(line, maxRow))
		case i == maxLines*2/3:
			shown = append(shown, fmt.Sprintf("[… %d lines more …]", hidden))
		}
	}
	return shown
}

// hides reports whether Text has no room for some commands that are asked about.
func (q *Question) hides() bool {
	n := 0
	for i := range q.Verdict.Commands {
		if q.Verdict.Commands[i].Decision == policy.Ask {
			n++
		}
	}
	return n > maxCommands
}

// CanSession reports whether Session can be answered. No answer is kept where commands are hidden,
// and none that grants a command what others don't have.
func (q *Question) CanSession() bool { return !q.hides() && q.Exec.Terms == "" }

// IsCut reports whether Text leaves out some of the command, or of a variable, that Whole has.
func (q *Question) IsCut() bool {
	asked := strings.TrimRight(q.asked(), "\n")
	lines := strings.Split(asked, "\n")
	limit := maxRow
	if len(lines) == 1 {
		limit = maxCommand
	}
	return q.hides() || len(lines) > maxLines || slices.ContainsFunc(lines, func(line string) bool { return len(line) > limit }) ||
		variables(q.Exec.Command.Env, maxValue) != variables(q.Exec.Command.Env, maxWhole/maxValues)
}

// Whole is the command with all its lines, the simple commands that are asked about, and the
// variables, in lines that are safe to show. Of more than some 64 KiB of each it says how much it
// leaves out.
func (q *Question) Whole() string {
	asked := strings.TrimRight(q.asked(), "\n")
	cut := len(asked) - maxWhole
	if cut > 0 {
		asked = asked[:maxWhole]
	}
	var b strings.Builder
	for line := range strings.SplitSeq(asked, "\n") {
		b.WriteString("| " + printable.Text(line) + "\n")
	}
	if cut > 0 {
		fmt.Fprintf(&b, "[… %d bytes more …]\n", cut)
	}
	left := maxWhole
	for i := range q.Verdict.Commands {
		c := &q.Verdict.Commands[i]
		if c.Decision != policy.Ask {
			continue
		}
		text := simple(c)
		if left -= len(text) + len(c.Reason); left < 0 {
			b.WriteString("- AND MORE COMMANDS than can be shown at all\n")
			break
		}
		fmt.Fprintf(&b, "- %s: %s\n", printable.Text(text), printable.Text(c.Reason))
	}
	if text := variables(q.Exec.Command.Env, maxWhole/maxValues); text != "" {
		b.WriteString("with " + text + "\n")
	}
	return b.String()
}

// Text is what somebody has to know who answers: the simple commands that are asked about, and
// why, where they run, and what changes them. It has several lines, each of which does nothing to
// a terminal, and at most some 20 KB. What it leaves out it says, and Whole has more of it.
func (q *Question) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if lines := q.lines(); lines != nil {
		line("%s", strings.Join(lines, "\n"))
	} else {
		line("%s", shorten(strings.TrimRight(q.asked(), "\n"), maxCommand))
	}
	alone := len(q.Verdict.Commands) == 1 && len(q.Verdict.Commands[0].Through) == 0
	shown, hidden := 0, 0
	for i := range q.Verdict.Commands {
		c := &q.Verdict.Commands[i]
		if c.Decision != policy.Ask {
			continue
		}
		if shown == maxCommands {
			hidden++
			continue
		}
		if shown++; alone {
			line("- %s", printable.Text(c.Reason))
		} else {
			line("- %s: %s", shorten(simple(c), maxCommand), printable.Text(c.Reason))
		}
		if inline := c.Assigns[:max(0, len(c.Assigns)-len(q.Exec.Command.Env))]; len(inline) > 0 {
			line("  it sets %s", shorten(strings.Join(inline, ", "), maxTitle))
		}
		for _, r := range c.Redirects[:min(len(c.Redirects), maxValues)] {
			verb := "reads"
			if r.Write {
				verb = "writes"
			}
			line("  it %s: %s %s", verb, printable.Text(r.Op), shorten(r.Target, maxTitle))
		}
		if n := len(c.Redirects) - maxValues; n > 0 {
			line("  and %d more files", n)
		}
	}
	if hidden > 0 {
		line("- AND %d MORE COMMANDS than can be shown here", hidden)
	}
	if shown == 0 {
		line("- %s", printable.Text(q.Verdict.Reason))
	}
	sandbox := "without a sandbox"
	if q.Sandbox != "" {
		sandbox = "in the sandbox " + printable.Text(q.Sandbox)
	}
	if q.Place != "" && q.Sandbox != "" {
		sandbox += ", as is said there"
	}
	if q.Exec.Terms != "" {
		// All of it is shown: the host has bounded it.
		line("- it asks to run %s, this once", printable.Text(q.Exec.Terms))
	}
	where := shorten(q.Exec.Command.Cwd, maxCommand)
	if where == "" {
		where = "the server's directory"
	}
	if q.Place != "" {
		where += " of " + shorten(q.Place, maxTitle)
	}
	line("in %s, %s", where, sandbox)
	if q.Exec.Via != core.ViaShell && !strings.Contains(q.Exec.Command.Command, "/") {
		line("it is %s", shorten(q.Exec.Path, maxCommand))
	}
	if text := variables(q.Exec.Command.Env, maxValue); text != "" {
		line("with %s", text)
	}
	return b.String()
}

// AlwaysText says what Always would allow from now on, a pattern for each rule, safe to show.
func (q *Question) AlwaysText() []string {
	var all []string
	for _, r := range q.Verdict.Always {
		var pattern []string
		for _, alternatives := range r.Argv {
			if word := strings.Join(alternatives, "|"); word != "**" {
				pattern = append(pattern, word)
			}
		}
		if r.Bin != "" {
			pattern[0] = r.Bin
		}
		text := words(pattern) + " …"
		if len(r.Files) > 0 {
			text += " for files below " + places(r.Files)
		}
		if len(r.Writes) > 0 {
			text += " written to files below " + places(r.Writes)
		}
		all = append(all, shorten(text, maxTitle))
	}
	return all
}

// places names directories of a rule.
func places(dirs []string) string {
	var names []string
	for _, dir := range dirs {
		if dir == "roots" {
			names = append(names, "the session's directories")
			continue
		}
		names = append(names, printable.Text(dir))
	}
	return strings.Join(names, " and ")
}

// missing says which rule there would have to be, in words for an agent.
func (q *Question) missing() string {
	if rules := q.AlwaysText(); len(rules) > 0 {
		return "no rule allows " + shorten(strings.Join(rules, ", nor "), maxCommand)
	}
	for i := range q.Verdict.Commands {
		if c := &q.Verdict.Commands[i]; c.Decision == policy.Ask {
			return shorten(simple(c), maxTitle) + " has to be asked about: " + printable.Text(c.Reason)
		}
	}
	return "it has to be asked about: " + printable.Text(q.Verdict.Reason)
}

// simple is a simple command, and what starts it.
func simple(c *policy.Command) string {
	text := words(c.Argv)
	if text == "" {
		text = "a redirect"
	}
	if len(c.Through) > 0 {
		text += " (started by " + strings.Join(c.Through, ", ") + ")"
	}
	return text
}

// words joins words so that a person sees where each ends. It is not for a shell to read: some
// words stand as they do in the line.
func words(argv []string) string {
	quoted := make([]string, len(argv))
	for i, w := range argv {
		if w == "" || strings.ContainsAny(w, " \t\n") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// variables are those that an agent has added, with their values where these change what programs
// do, at most limit bytes of each. Other values may be secrets that an editor sends along.
func variables(env []core.EnvVariable, limit int) string {
	last := make(map[string]int, len(env)) // of equal names, which wins
	for i, v := range env {
		last[v.Name] = i
	}
	var each, rest []string
	for i, v := range env {
		switch {
		case last[v.Name] != i:
		case len(each) == maxValues:
			rest = append(rest, v.Name)
		case policy.ChangesPrograms(v.Name, v.Value):
			each = append(each, shorten(v.Name, maxValue)+"="+shorten(words([]string{v.Value}), limit))
		default:
			each = append(each, shorten(v.Name, maxValue))
		}
	}
	text := strings.Join(each, ", ")
	if len(rest) > 0 {
		text += fmt.Sprintf(", and %d more: %s", len(rest), shorten(strings.Join(rest, ", "), maxNames))
	}
	return text
}

// shorten makes text printable, with most of it left out of the middle if it is longer than limit
// bytes: what matters may stand at its end.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return printable.Text(text)
	}
	head, tail := limit*2/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s [… %d bytes more …] %s", printable.Text(text[:head]), tail-head, printable.Text(text[tail:]))
}
