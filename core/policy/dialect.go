package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const whyDialect = "the shell that reads this may read it otherwise than bash"

// portable hides what a shell that may not be bash reads otherwise: to dash, "ls &>f rm x" is two
// commands, "[[ a || rm x ]]" too, and a string in $'…' ends where one in '…' does.
func (w *walk) portable(stmts []*syntax.Stmt) {
	same := true
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			same = same && (n == nil || w.readAlike(n))
			return same
		})
	}
	if !same {
		w.hide(whyDialect)
	}
}

// readAlike reports whether all shells of sh's family read n as bash does, but for what is in it.
func (w *walk) readAlike(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.CoprocClause, *syntax.TimeClause,
		*syntax.ProcSubst, *syntax.ExtGlob, *syntax.ArrayExpr, *syntax.CStyleLoop:
		return false
	case *syntax.Assign:
		return !n.Append && n.Index == nil
	case *syntax.BinaryCmd:
		return n.Op != syntax.PipeAll
	case *syntax.FuncDecl:
		return !n.RsrvWord
	case *syntax.ForClause:
		return !n.Select && !n.Braces
	case *syntax.CaseClause:
		return !n.Braces
	case *syntax.CaseItem:
		return n.Op == syntax.Break
	case *syntax.SglQuoted:
		return !n.Dollar
	case *syntax.DblQuoted:
		return !n.Dollar
	case *syntax.ArithmExp:
		return !n.Bracket
	case *syntax.Redirect:
		return alikeRedirect(n)
	case *syntax.ParamExp:
		return w.alikeParam(n)
	}
	return true
}

// alikeRedirect: of more than one digit, and of a name in braces, others make a word.
func alikeRedirect(r *syntax.Redirect) bool {
	if r.N != nil && (len(r.N.Value) != 1 || r.N.Value[0] < '0' || r.N.Value[0] > '9') {
		return false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn, syntax.RdrInOut, syntax.RdrClob, syntax.Hdoc, syntax.DashHdoc:
		return true
	case syntax.DplIn, syntax.DplOut:
		fd := r.Word.Lit()
		return fd == "-" || len(fd) == 1 && fd[0] >= '0' && fd[0] <= '9'
	}
	return false
}

// alikeParam: shells differ in which quotes count within braces, and so in where they close.
func (w *walk) alikeParam(p *syntax.ParamExp) bool {
	if p.Short {
		return true
	}
	if p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Width {
		return false
	}
	if p.Exp == nil {
		return true
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset,
		syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		return false
	}
	return p.Exp.Word == nil || p.Exp.Word.Lit() != "" && !strings.ContainsAny(p.Exp.Word.Lit(), `'"\\`)
}
