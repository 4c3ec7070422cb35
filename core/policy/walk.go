package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is looked at. What is longer, or deeper, is asked about.
const (
	maxLine     = 64 << 10 // bytes
	maxParsed   = 4 * maxLine
	maxCommands = 256
	maxVars     = 1024 // that a command is given besides those of the line
	maxDepth    = 32
	maxDirs     = 8
	maxBeside   = 64 // redirects, or assignments, of a command
)

// A walk finds the simple commands of one line, in the order in which they stand there.
type walk struct {
	parser *syntax.Parser
	src    string // the text that is being walked over
	parsed int    // bytes of all texts so far

	commands []*Command
	doubt    string // why the line as a whole is asked about
	blind    string // why that is so even where rules take what isn't known
	taint    string // why commands from here on are not what they look like
	notBash  bool   // the shell that reads the text may be another, as sh is dash in many systems
	depth    int
	loops    int
	roots    []string
	// dirs are the directories that a command may run in by now. A cd adds to them, since it may
	// fail, or may not be reached.
	dirs []string
}

// ask has the whole line asked about. The first reason stays.
func (w *walk) ask(why string) {
	if w.doubt == "" {
		w.doubt = why
	}
}

// hide has the whole line asked about, since not all of it could be looked at.
func (w *walk) hide(why string) {
	w.ask(why)
	if w.blind == "" {
		w.blind = why
	}
}

// tainted has all that follows asked about.
func (w *walk) tainted(why string) {
	if w.taint == "" {
		w.taint = "before it, the line " + why
	}
}

// line walks over a shell line, also one that is an argument of "bash -c".
func (w *walk) line(src string) {
	if why := unparsable(src); why != "" {
		w.hide(why)
		return
	}
	if w.parsed += len(src); w.parsed > maxParsed {
		w.hide("the line is too long")
		return
	}
	if !w.deeper() {
		return
	}
	defer w.shallower()
	if w.parser == nil {
		w.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	stmts, why := parse(w.parser, src)
	if why != "" {
		w.hide(why)
		return
	}
	if w.notBash {
		w.portable(stmts)
	}
	outer := w.src
	w.src = src
	w.stmts(stmts, nil)
	w.src = outer
}

// unparsable says why src is asked about without a look at it, or "".
func unparsable(src string) string {
	if len(src) > maxLine {
		return "the line is too long"
	}
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return "the line holds control characters"
		case c >= utf8.RuneSelf:
			// The shell and the parser may differ in what is a blank, and a person may not see it.
			r, n := utf8.DecodeRuneInString(src[i:])
			if r == utf8.RuneError || unicode.IsSpace(r) || unicode.Is(unicode.C, r) || unicode.Is(unicode.Z, r) {
				return "the line holds characters that can't be seen"
			}
			i += n - 1
		}
	}
	return ""
}

func (w *walk) deeper() bool {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		w.hide(tooDeep)
		return false
	}
	return true
}

func (w *walk) shallower() { w.depth-- }

// stmts walks over statements; outer are the redirects around them, which are theirs too.
func (w *walk) stmts(stmts []*syntax.Stmt, outer []Redirect) {
	for _, s := range stmts {
		w.stmt(s, outer)
	}
}

func (w *walk) stmt(s *syntax.Stmt, outer []Redirect) {
	if !w.deeper() {
		return
	}
	defer w.shallower()
	redirects := slices.Clip(outer)
	for _, r := range s.Redirs {
		if r.Word != nil {
			w.word(r.Word)
		}
		if r.Hdoc != nil {
			w.word(r.Hdoc)
		}
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.ask("the line opens a file by a name that it assigns")
			w.tainted("assigns " + strings.Trim(r.N.Value, "{}"))
		}
		if got, ok := readRedirect(w.src, r); ok {
			redirects = append(redirects, got)
		}
	}
	redirects = atMost(w, redirects)
	switch c := s.Cmd.(type) {
	case nil:
		if len(redirects) > 0 {
			w.add(&Command{Redirects: redirects})
		}
	case *syntax.CallExpr:
		w.call(c, redirects)
	case *syntax.BinaryCmd:
		w.stmt(c.X, redirects)
		w.stmt(c.Y, redirects)
	case *syntax.Block:
		w.stmts(c.Stmts, redirects)
	case *syntax.Subshell:
		w.stmts(c.Stmts, redirects)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond, redirects)
			w.stmts(c.Then, redirects)
		}
	case *syntax.WhileClause:
		w.loop(func() {
			w.stmts(c.Cond, redirects)
			w.stmts(c.Do, redirects)
		})
	case *syntax.ForClause:
		w.forClause(c, redirects)
	case *syntax.CaseClause:
		w.word(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.word(p)
			}
			w.stmts(item.Stmts, redirects)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt, redirects)
		}
	case *syntax.FuncDecl:
		w.tainted("defines a function")
		w.stmt(c.Body, redirects)
	case *syntax.DeclClause:
		w.tainted("uses " + c.Variant.Value)
		w.ask("the line uses " + c.Variant.Value)
		w.node(c)
	case *syntax.TestClause:
		w.test(c)
	case *syntax.CoprocClause:
		w.tainted("starts a coprocess")
		w.ask("the line starts a coprocess")
		w.stmt(c.Stmt, redirects)
	default: // ArithmCmd is two subshells in other shells; LetClause assigns
		w.tainted("computes")
		w.ask("the line computes, which may assign and execute")
		if s.Cmd != nil {
			w.node(s.Cmd)
		}
	}
}

// atMost hides what is more than maxBeside: each command in a block, and each that "bash -c"
// starts, has all that stands around it.
func atMost[T any](w *walk, given []T) []T {
	if len(given) > maxBeside {
		w.hide("a command has too many redirects or assignments")
		given = given[:maxBeside]
	}
	return slices.Clip(given)
}

// loop walks over what may run again: what taints its end taints its beginning.
func (w *walk) loop(body func()) {
	first, before := len(w.commands), w.taint
	w.loops++
	body()
	w.loops--
	if w.taint == before {
		return
	}
	for _, c := range w.commands[first:] {
		c.doubted(w.taint)
	}
}

func (w *walk) forClause(c *syntax.ForClause, redirects []Redirect) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select {
		w.tainted("computes")
		w.ask("the line computes, which may assign and execute")
		w.node(c.Loop)
	} else {
		if !plainName(iter.Name.Value) {
			w.tainted("assigns " + iter.Name.Value)
		}
		for _, item := range iter.Items {
			w.word(item)
		}
	}
	w.loop(func() { w.stmts(c.Do, redirects) })
}

// plainName reports whether name is a variable that no program reads: "f", "file", not "PATH" and
// not "http_proxy".
func plainName(name string) bool {
	if name == "" || strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "npm_") {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// test walks over [[ … ]]. Numbers in it are expressions, which execute what is in their
// subscripts, and a shell without [[ takes "<" and ">" for redirects.
func (w *walk) test(c *syntax.TestClause) {
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr, syntax.TsBefore, syntax.TsAfter:
				w.ask("the line compares numbers, which may execute")
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				w.ask("the line tests a variable, which may execute")
			}
		}
		return true
	})
	w.node(c)
}

func (w *walk) call(call *syntax.CallExpr, redirects []Redirect) {
	c := &Command{Redirects: redirects}
	for _, a := range atMost(w, call.Assigns) {
		w.node(a)
		if a.Index != nil || a.Array != nil {
			w.ask("the line assigns an array, which may execute")
		}
		v := assign{Name: a.Name.Value}
		if a.Value != nil {
			value := readWord(w.src, a.Value)
			v.Value, v.dynamic = value.text, value.dynamic
		}
		v.dynamic = v.dynamic || a.Append
		c.assigns = append(c.assigns, v)
	}
	for _, arg := range call.Args {
		w.word(arg)
	}
	if len(call.Args) == 0 {
		if len(redirects) > 0 {
			w.add(c)
		}
		w.tainted("assigns " + c.assigns[0].Name)
		return
	}
	c.words = make([]word, len(call.Args))
	for i, arg := range call.Args {
		c.words[i] = readWord(w.src, arg)
	}
	w.simple(c)
}

// word walks over what a word executes.
func (w *walk) word(in *syntax.Word) {
	for _, p := range in.Parts {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			w.node(p)
		}
	}
}

// node walks over the substitutions in n, and doubts expansions that do more than expand.
func (w *walk) node(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if n.Backquotes && strings.Contains(w.src[n.Left.Offset():n.Right.Offset()], `\`) {
				w.hide("a backslash in backquotes")
			}
			w.stmts(n.Stmts, nil)
			return false
		case *syntax.ProcSubst:
			w.stmts(n.Stmts, nil)
			return false
		case *syntax.ParamExp:
			w.param(n)
		case *syntax.ArithmExp:
			if !numbersOnly(n.X) {
				w.ask("the line computes with variables, which may assign and execute")
			}
		}
		return true
	})
}

func (w *walk) param(p *syntax.ParamExp) {
	switch {
	case p.Excl && p.Names == 0:
		w.ask("the line expands what a variable names")
	case p.Index != nil && !wholeArray(p.Index) && !numbersOnly(p.Index):
		w.ask("the line computes a subscript, which may execute")
	case p.Slice != nil && (!numbersOnly(p.Slice.Offset) || !numbersOnly(p.Slice.Length)):
		w.ask("the line computes with variables, which may assign and execute")
	}
	if p.Exp == nil {
		return
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w.tainted("assigns " + p.Param.Value)
	case syntax.OtherParamOps: // ${x@P} executes
		w.ask("the line transforms a variable, which may execute")
	}
}

func wholeArray(x syntax.ArithmExpr) bool {
	in, ok := x.(*syntax.Word)
	return ok && (in.Lit() == "@" || in.Lit() == "*")
}

// numbersOnly reports whether x has no variable: the value of one would be computed too.
func numbersOnly(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.BinaryArithm:
		return numbersOnly(x.X) && numbersOnly(x.Y)
	case *syntax.UnaryArithm:
		return numbersOnly(x.X)
	case *syntax.ParenArithm:
		return numbersOnly(x.X)
	case *syntax.Word:
		lit := x.Lit()
		return lit != "" && strings.Trim(lit, "0123456789") == ""
	}
	return false
}

// add notes a command, with what has been found out about the line so far.
func (w *walk) add(c *Command) {
	if len(w.commands) >= maxCommands {
		w.hide("the line has too many commands")
		return
	}
	c.doubted(w.taint)
	c.dirs = w.dirs
	if c.Argv == nil {
		for _, word := range c.words {
			c.Argv = append(c.Argv, word.text)
		}
	}
	for _, a := range c.assigns {
		c.Assigns = append(c.Assigns, a.Name)
	}
	w.commands = append(w.commands, c)
}

// cd follows a change of directory inside the roots; any other taints.
func (w *walk) cd(args []word) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) != 1 || args[0].dynamic || args[0].isOption() || args[0].text == "-" || w.loops > 0 {
		w.tainted("changes the directory")
		return
	}
	for _, dir := range w.dirs[:len(w.dirs):len(w.dirs)] {
		to := args[0].text
		if !path.IsAbs(to) {
			to = path.Join(dir, to)
		}
		to = path.Clean(to)
		if !path.IsAbs(to) || !within(to, w.roots) {
			w.tainted("leaves the session's directories")
			return
		}
		if slices.Contains(w.dirs, to) {
			continue
		}
		if len(w.dirs) == maxDirs { // each cd may double them
			w.tainted("changes the directory")
			return
		}
		w.dirs = append(slices.Clip(w.dirs), to)
	}
	if len(w.dirs) == 0 {
		w.tainted("changes the directory")
	}
}

// within reports whether dir is one of roots or below one; all are absolute and clean.
func within(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return dir == root || root == "/" || strings.HasPrefix(dir, root+"/")
	})
}

// readRedirect returns r if it reads or writes something that counts.
func readRedirect(src string, r *syntax.Redirect) (Redirect, bool) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return Redirect{}, false
	}
	target := readWord(src, r.Word)
	got := Redirect{Op: r.Op.String(), Target: target.text, Write: true, known: !target.dynamic}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		if !target.dynamic && strings.Trim(target.text, "0123456789-") == "" {
			return Redirect{}, false
		}
	case syntax.RdrIn:
		got.Write = target.dynamic || strings.HasPrefix(path.Clean(target.text), "/dev/")
	}
	if !target.dynamic && target.text == "/dev/null" {
		return Redirect{}, false
	}
	if r.N != nil {
		got.Op = fmt.Sprint(r.N.Value, got.Op)
	}
	return got, true
}
