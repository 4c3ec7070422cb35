package policy

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// A Policy decides about commands. It does not change, so any number of goroutines may ask it.
type Policy struct {
	fallback Decision
	// rules are those by the command that they name, and any those that name none. Both are in the
	// order of files and of rules in them; the strictest of those that fit wins, the first of
	// equals.
	rules map[string][]*Rule
	any   []*Rule
	more  []*Rule // that New was not given, whatever they name
}

// New makes a policy of files, whose order does not matter. Of several defaults the strictest
// counts; with none it is Ask. Without files, everything is asked about.
func New(files ...*File) (*Policy, error) {
	p := &Policy{rules: map[string][]*Rule{}}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *File) int { return int(b.Layer) - int(a.Layer) })
	for _, f := range files {
		if f == nil {
			return nil, errors.New("policy: a file is nil")
		}
		p.fallback = max(p.fallback, f.Default)
		for _, r := range f.Rules {
			p.index(r)
		}
	}
	if p.fallback == 0 || p.fallback == Allow && !slices.ContainsFunc(files, func(f *File) bool { return f.Layer != Project }) {
		p.fallback = Ask
	}
	return p, nil
}

func (p *Policy) index(r *Rule) {
	names := slices.Clone(r.Argv[0])
	if names[0] == "*" || names[0] == "**" {
		p.any = append(p.any, r)
		return
	}
	slices.Sort(names)
	if r.Bin != "" && !slices.Contains(names, path.Base(r.Bin)) {
		names = append(names, path.Base(r.Bin))
	}
	for _, name := range slices.Compact(names) {
		p.rules[name] = append(p.rules[name], r)
	}
}

// A Found is what a name stands for.
type Found struct {
	Path string // absolute; empty if there is no such command
	// Writable: the command that is being decided about may write this file, or put another in its
	// place or before it in PATH.
	Writable bool
	// Where, if it is not empty, is a directory for which it is Writable, for people to read.
	Where string
}

// doubt says why it may be another program than the one that is meant, or is empty.
func (f *Found) doubt() string {
	switch {
	case !f.Writable:
		return ""
	case f.Path == "":
		return "the command itself may have written this program"
	case f.Where == "" || f.Where == path.Dir(f.Path):
		return fmt.Sprintf("the command itself may have written this program, %q", f.Path)
	}
	return fmt.Sprintf("the command itself may have written this program, %q: it may write in %q", f.Path, f.Where)
}

// A Context is what Decide has to know besides the command. The zero value is right for a command
// that runs without a sandbox.
type Context struct {
	// Sandbox is the level of sandbox in force for the command, as rules name it (inside). Empty is
	// none.
	Sandbox string
	// Find, if set, looks a bare name up in the PATH that the command will have. Without, only what
	// the host has resolved is known: rules with bin hold for no other name, and of no other is it
	// asked who may write it.
	Find func(name string) Found

	session core.SessionID
	roots   []string
	known   Found // what known.Path is for the name below
	name    string
	steps   int // words that were compared so far
}

// maxSteps bounds what a decision compares: some 10 ms. Long lines under files of long rules take
// more, and are asked about.
const maxSteps = 1 << 21

func (c *Context) find(name string) Found {
	if c.Find != nil {
		return c.Find(name)
	}
	if name == c.name {
		return c.known
	}
	return Found{}
}

// A Redirect is a file that a command reads or writes by the shell.
type Redirect struct {
	Op     string // as it stands in the line: "<", ">", "2>>"
	Target string // a word, its quotes removed
	Write  bool   // or reads what only shows when the line runs, or a device

	known bool // which file that is
}

// A Command is one simple command of a line. None of its strings are safe to show as they are.
type Command struct {
	// Argv are its words, quotes removed; those that only show when the line runs are as they stand
	// in the line. It is empty for a redirect alone.
	Argv      []string
	Assigns   []string // names of variables set for it
	Redirects []Redirect
	Through   []string // what starts it, outermost first: "sudo", "sh"

	Decision Decision
	Rule     *Rule  // that has decided; nil if none has
	Reason   string // why, in words for people; empty if it is allowed

	words       []word
	assigns     []assign
	dirs        []string
	transparent bool   // it starts another that is judged by itself
	doubt       string // why it is asked about even if a rule allows it
	nameless    bool   // and even if that rule takes what isn't known
}

// doubted has c asked about. The first reason stays; an empty one is none.
func (c *Command) doubted(why string) {
	if c.doubt == "" {
		c.doubt = why
	}
}

// A Verdict is what becomes of a command, and why. It is its caller's to keep.
type Verdict struct {
	Decision Decision
	Rule     *Rule // that has decided; nil if it was the default, or that something isn't known
	Reason   string
	// Commands are the simple commands of the line, launchers and what they start.
	Commands []Command
	// Always are the rules that would allow the line, one for each command that was asked about, as
	// a user's file could have them. It is empty if the line would be asked about all the same:
	// there is no rule for what could not be known, for launchers, for what a rule wants to be
	// asked about, and for commands whose arguments are all that matters, as rm.
	Always []*Rule
}

// Decide says what becomes of a command. e is not kept or changed.
func (p *Policy) Decide(e *core.Exec, env Context) Verdict {
	env.session = e.Command.Session
	for _, r := range e.Command.Roots {
		env.roots = append(env.roots, path.Clean(r))
	}
	w := &walk{}
	if cwd := e.Command.Cwd; cwd != "" {
		cwd = path.Clean(cwd)
		w.dirs = []string{cwd}
		if len(env.roots) == 0 {
			env.roots = []string{cwd}
		}
	}
	w.roots = env.roots
	switch {
	case e.Via == core.ViaShell:
		if len(e.Argv) > 0 && !shells[path.Base(e.Argv[0])] {
			w.hide("the line is for a shell whose grammar isn't known")
		}
		w.notBash = len(e.Argv) > 0 && !isBash(e.Argv[0])
		w.line(e.Command.Command)
	case len(e.Argv) == 0:
		w.hide("there is no command")
	default:
		w.argv(e, &env)
	}
	w.given(e.Command.Env)
	return p.verdict(w, &env)
}

// given adds the variables that all commands get.
func (w *walk) given(vars []core.EnvVariable) {
	if len(vars) > maxVars {
		w.hide("it is given too many variables")
		vars = vars[:maxVars]
	}
	for _, c := range w.commands {
		c.assigns, c.Assigns = slices.Clip(c.assigns), slices.Clip(c.Assigns)
		for _, v := range vars {
			c.assigns = append(c.assigns, assign{Name: v.Name, Value: v.Value})
			c.Assigns = append(c.Assigns, v.Name)
		}
	}
}

// argv judges a command that no shell reads.
func (w *walk) argv(e *core.Exec, env *Context) {
	size := 0
	words := make([]word, 0, len(e.Argv))
	for _, a := range e.Argv {
		if size += len(a); size > maxLine {
			w.hide("the command is too long")
			break
		}
		if strings.ContainsFunc(a, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			w.hide("an argument holds control characters")
		}
		words = append(words, literal(a))
	}
	env.name = e.Argv[0]
	env.known = Found{Path: e.Path, Writable: within(path.Clean(e.Path), env.roots)}
	if len(words) > 0 {
		w.simple(&Command{words: words})
	}
}

// verdict judges the commands that w has found.
func (p *Policy) verdict(w *walk, env *Context) Verdict {
	var v Verdict
	for _, c := range w.commands {
		p.judge(c, env)
		if c.Decision > v.Decision {
			v.Decision, v.Rule, v.Reason = c.Decision, c.Rule, c.Reason
		}
		if c.Decision == Ask {
			if r := p.always(c, env); r != nil && !slices.ContainsFunc(v.Always, func(o *Rule) bool { return o.ID == r.ID }) {
				v.Always = append(v.Always, r)
			}
		}
		v.Commands = append(v.Commands, *c)
	}
	anything := p.anything(w, env)
	if v.Decision == 0 && anything != nil {
		v.Decision, v.Rule = Allow, anything
	}
	if v.Decision == 0 {
		v.Decision = p.fallback
		v.Reason = cmp.Or(w.doubt, "the line has no command")
		if v.Decision == Allow {
			v.Reason = ""
		} else if w.doubt != "" {
			v.Reason = w.doubt
		}
	}
	doubt := w.doubt
	if anything != nil {
		doubt = w.blind
	}
	if doubt != "" {
		v.Always = nil
		if v.Decision < Ask {
			v.Decision, v.Rule, v.Reason = Ask, nil, doubt
		}
	}
	if len(v.Always) > 0 && !p.with(v.Always).allows(v.Commands, env) {
		v.Always = nil
	}
	return v
}

// with returns a policy that has rules too.
func (p *Policy) with(rules []*Rule) *Policy {
	q := *p
	q.more = rules
	return &q
}

// allows reports whether p allows each of commands, which it does not change.
func (p *Policy) allows(commands []Command, env *Context) bool {
	for _, c := range commands { // a copy
		if p.judge(&c, env); c.Decision != Allow {
			return false
		}
	}
	return true
}

// anything returns a rule that allows all that isn't known where the line begins, or nil.
func (p *Policy) anything(w *walk, env *Context) *Rule {
	whole := &Command{dirs: w.dirs}
	for _, r := range p.any {
		if r.Unknown && r.fits(whole, env, false) == fits {
			return r
		}
	}
	return nil
}

// judge sets the decision of c.
func (p *Policy) judge(c *Command, env *Context) {
	var base, tight Decision // of those who may allow, and of projects
	var baseRule, tightRule *Rule
	p.each(c, func(r *Rule) {
		how := r.fits(c, env, false)
		d := r.Decision
		if how == maybe {
			d = Ask
		}
		switch {
		case how == misses:
		case r.layer == Project || how == maybe:
			if d > tight {
				tight, tightRule = d, r
			}
		case d > base || d == base && r.Unknown:
			base, baseRule = d, r
		}
	})
	c.Decision, c.Rule = base, baseRule
	if base == 0 {
		c.Decision = p.fallback
		if c.transparent {
			c.Decision = Allow
		}
	}
	if tight > c.Decision {
		c.Decision, c.Rule = tight, tightRule
	}
	why := c.doubt
	takesAll := c.Rule != nil && c.Rule.Unknown
	if takesAll && !c.nameless {
		why = ""
	}
	if env.steps > maxSteps { // a rule that was not looked at may deny
		why = "there are too many rules, or words, to compare them all"
	}
	if why == "" && !takesAll && c.Decision == Allow && len(c.words) > 0 && !strings.Contains(c.words[0].text, "/") {
		found := env.find(c.words[0].text)
		why = found.doubt()
	}
	if why != "" && c.Decision == Allow {
		c.Decision, c.Rule = Ask, nil
	}
	switch {
	case c.Decision == Allow:
	case c.Rule != nil && c.Rule.Reason != "":
		c.Reason = c.Rule.Reason
	case c.Rule != nil:
		c.Reason = "rule " + c.Rule.ID
	case why != "":
		c.Reason = why
	default:
		c.Reason = "no rule allows it"
	}
}

// each calls f with the rules that may name c.
func (p *Policy) each(c *Command, f func(*Rule)) {
	if len(c.words) > 0 && !c.words[0].dynamic {
		for _, r := range p.rules[path.Base(c.words[0].text)] {
			f(r)
		}
	}
	for _, r := range p.any {
		f(r)
	}
	for _, r := range p.more {
		f(r)
	}
}

// checkExamples reports the first example that is not as r says.
func (r *Rule) checkExamples() (key string, err error) {
	p := &Policy{fallback: Ask, rules: map[string][]*Rule{}}
	if r.Decision == Ask {
		p.fallback = Allow
	}
	bare := *r
	bare.Inside, bare.Session, bare.Cwd = "", nil, nil
	p.index(&bare)
	find := func(name string) Found { return Found{Path: r.Bin} }
	under := func(line string) bool {
		v := p.Decide(&core.Exec{Command: core.Command{Command: line, Cwd: "/project"}, Via: core.ViaShell}, Context{Find: find})
		if r.Decision == Allow {
			return v.Decision == Allow
		}
		return v.Decision == r.Decision && v.Rule == &bare
	}
	for _, line := range r.Match {
		if !under(line) {
			return "match", fmt.Errorf("match: %q does not fall under it, and must", line)
		}
	}
	for _, line := range r.NotMatch {
		if under(line) {
			return "not_match", fmt.Errorf("not_match: %q falls under it, and must not", line)
		}
	}
	return "", nil
}
