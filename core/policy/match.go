package policy

import (
	"path"
	"slices"
	"strings"
)

// A fit says whether a command falls under a rule.
type fit uint8

const (
	misses fit = iota
	maybe      // it may, when the line runs, or it differs in options only
	fits
)

// fits says how c falls under r. Conditions on where it runs do not count if anywhere.
func (r *Rule) fits(c *Command, env *Context, anywhere bool) fit {
	if env.steps += r.cost(c); env.steps > maxSteps {
		return misses
	}
	if len(c.words) == 0 { // a redirect alone
		if r.Argv[0][0] != "**" {
			return misses
		}
	} else if !r.named(c, env) {
		return misses
	}
	if !anywhere && !r.holds(c, env) || !r.conditions(c, env) {
		return misses
	}
	if positions(r.Argv, c.words, r.Decision, true) {
		if r.Decision == Allow && !r.Unknown && !r.passes(c, env) {
			return misses
		}
		return fits
	}
	if r.Decision != Allow && positions(r.Argv, c.words, r.Decision, false) {
		return maybe
	}
	return misses
}

// cost is about how many words are compared to find out whether c falls under r.
func (r *Rule) cost(c *Command) int {
	n := 1
	for _, alternatives := range r.Argv[1:] {
		n += len(alternatives)
	}
	return len(r.Argv[0]) + n*(len(c.words)+1) + len(c.Redirects) + len(c.assigns)*(1+len(r.Env))
}

// named reports whether a command's name is what r names.
func (r *Rule) named(c *Command, env *Context) bool {
	names, w := r.Argv[0], c.words[0]
	if names[0] == "*" || names[0] == "**" {
		return r.Bin == "" || c.path(w) == r.Bin
	}
	if w.dynamic {
		return false // asked about in any case
	}
	if r.Bin != "" {
		return c.path(w) == r.Bin || slices.Contains(names, w.text) && env.find(w.text).Path == r.Bin
	}
	if slices.Contains(names, w.text) {
		return true
	}
	return r.Decision != Allow && strings.Contains(w.text, "/") && slices.Contains(names, path.Base(w.text))
}

// path returns the path that w names, or "" if it is no path or depends on where c runs.
func (c *Command) path(w word) string {
	switch {
	case w.dynamic || !strings.Contains(w.text, "/"):
		return ""
	case path.IsAbs(w.text), w.home:
		return w.text
	case len(c.dirs) != 1 || slices.Contains(strings.Split(w.text, "/"), ".."):
		return ""
	}
	return path.Join(c.dirs[0], w.text)
}

// positions reports whether words match the pattern, the first of which has been looked at already.
// If strictly, a word that is not known only matches "*" and "**"; to allow, it follows only these
// too. Otherwise it may be anything, and options may stand between the words.
func positions(pattern [][]string, words []word, d Decision, strictly bool) bool {
	if len(words) > 0 && pattern[0][0] != "**" {
		pattern, words = pattern[1:], words[1:]
	}
	if len(pattern) == 1 && pattern[0][0] == "**" {
		return true
	}
	if strictly && len(pattern) > 0 && pattern[0][0] != "*" && pattern[0][0] != "**" && (len(words) == 0 || !slices.Contains(pattern[0], words[0].text)) {
		return false // as for most rules of a command with subcommands
	}
	// ok[j] is whether what is left of the pattern matches words[j:]; the pattern is taken from its
	// end.
	ok := make([]bool, len(words)+1)
	for j := len(words); j >= 0; j-- {
		ok[j] = d != Allow || j == len(words) || ok[j+1] && !words[j].dynamic
	}
	for i := len(pattern) - 1; i >= 0; i-- {
		p := pattern[i]
		next := make([]bool, len(words)+1)
		for j := len(words); j >= 0; j-- {
			if p[0] == "**" {
				last := i == len(pattern)-1
				next[j] = last || ok[j] || j < len(words) && next[j+1]
				continue
			}
			if j == len(words) {
				continue
			}
			w := words[j]
			switch {
			case p[0] == "*":
				next[j] = ok[j+1] && !(strictly && w.many)
			case !w.dynamic || d != Allow:
				next[j] = ok[j+1] && slices.Contains(p, w.text)
			}
			if strictly {
				continue
			}
			switch {
			case w.dynamic && w.never(p):
				next[j] = next[j] || w.many && next[j+1]
			case w.dynamic: // no word, this one, or also the next
				next[j] = next[j] || ok[j+1] || w.many && (ok[j] || next[j+1])
			}
			if w.isOption() { // perhaps with a value
				next[j] = next[j] || next[j+1] || j+2 <= len(words) && next[j+2]
			}
		}
		ok = next
	}
	return ok[0]
}

// never reports whether w, which isn't known, can become none of words.
func (w word) never(words []string) bool {
	return w.prefix != "" && !slices.ContainsFunc(words, func(s string) bool { return s == "*" || strings.HasPrefix(s, w.prefix) })
}

// holds reports whether r holds where c runs.
func (r *Rule) holds(c *Command, env *Context) bool {
	if r.Inside != "" && r.Inside != env.Sandbox {
		return false
	}
	if len(r.Session) > 0 && !slices.Contains(r.Session, env.session) {
		return false
	}
	if len(r.Cwd) == 0 {
		return true
	}
	in := func(dir string) bool {
		return slices.ContainsFunc(r.Cwd, func(root string) bool {
			if root == "roots" {
				return within(dir, env.roots)
			}
			return within(dir, []string{path.Clean(root)})
		})
	}
	if len(c.dirs) == 0 {
		return r.Decision != Allow
	}
	if r.Decision == Allow { // wherever it may run
		return !slices.ContainsFunc(c.dirs, func(dir string) bool { return !in(dir) })
	}
	return slices.ContainsFunc(c.dirs, in)
}

// conditions reports whether c's redirects and variables are such that r holds.
func (r *Rule) conditions(c *Command, env *Context) bool {
	for _, to := range c.Redirects {
		switch {
		case r.Redirects == "any" || r.Redirects == "read" && !to.Write:
		case !to.Write || !to.known || !c.below(to.Target, r.Writes, env):
			return false
		}
	}
	if len(r.Files) > 0 && !c.files(r.Files, env) {
		return false
	}
	if r.AnyEnv {
		return true
	}
	return !slices.ContainsFunc(c.assigns, func(a assign) bool { return !a.harmless() && !r.takes(a) })
}

func (r *Rule) takes(a assign) bool {
	return slices.ContainsFunc(r.Env, func(e string) bool {
		name, value, exact := strings.Cut(e, "=")
		return name == a.Name && (!exact || !a.dynamic && value == a.Value)
	})
}

// passes reports whether r, which allows, names all in c that executes or writes.
func (r *Rule) passes(c *Command, env *Context) bool {
	if len(c.words) == 0 {
		return true
	}
	// After this option some programs go on if there is more: "gcc --version -v x.c".
	if len(c.words) > 2 && len(r.Argv) == 2 && c.words[1].text == "--version" && slices.Contains(r.Argv[1], "--version") {
		return false
	}
	names, at := flagsOf(c.words)
	for _, i := range c.outside(c.words, env) {
		names, at = append(names, anOutside), append(at, i)
	}
	for i, name := range names {
		j := at[i]
		named := j > 0 && j < len(r.Argv) && slices.Contains(r.Argv[j], c.words[j].text) && !slices.ContainsFunc(r.Argv[:j], isRest)
		if !named && !slices.Contains(r.Flags, name) {
			return false
		}
	}
	return true
}

func isRest(words []string) bool { return words[0] == "**" }

// An assign is a variable that is set for a command.
type assign struct {
	Name, Value string
	dynamic     bool
}

// harmlessVars change how programs print, or switch something off. Those with values do no harm
// with these.
var harmlessVars = map[string][]string{
	"LANG": nil, "LANGUAGE": nil, "TZ": nil, "CI": nil, "NO_COLOR": nil, "FORCE_COLOR": nil, "CLICOLOR": nil, "CLICOLOR_FORCE": nil,
	"TERM": nil, "COLORTERM": nil, "COLUMNS": nil, "LINES": nil, "RUST_BACKTRACE": nil, "PYTHONUNBUFFERED": nil, "PYTHONDONTWRITEBYTECODE": nil,
	"GIT_TERMINAL_PROMPT": nil, "GIT_OPTIONAL_LOCKS": nil, "CLAUDECODE": nil, "AGENT": nil, "GOOS": nil, "GOARCH": nil, "CGO_ENABLED": nil,
	"PAGER": {"", "cat"}, "GIT_PAGER": {"", "cat"}, "GH_PAGER": {"", "cat"}, "MANPAGER": {"", "cat"}, "SYSTEMD_PAGER": {"", "cat"},
	"EDITOR": {"true", ":", "cat"}, "VISUAL": {"true", ":", "cat"}, "GIT_EDITOR": {"true", ":", "cat"}, "GIT_SEQUENCE_EDITOR": {"true", ":", "cat"},
}

func (a assign) harmless() bool {
	values, ok := harmlessVars[a.Name]
	if !ok {
		return strings.HasPrefix(a.Name, "LC_")
	}
	return values == nil || !a.dynamic && slices.Contains(values, a.Value)
}
