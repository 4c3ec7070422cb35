package policy

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxFrames is how deep the stack may be while a line is parsed. The parser calls itself for what
// is nested, some ten frames for each "if", and those around us are some hundred at most.
const maxFrames = 1000

const tooDeep = "the line is nested too deeply"

// parse returns the statements of src, or why it is asked about without a look at them. It stops
// where the line is nested too deeply or has too many commands, before it has cost much: 64 KiB of
// "if" are 20,000 levels.
func parse(p *syntax.Parser, src string) (stmts []*syntax.Stmt, why string) {
	in := &bounded{rest: src, first: true}
	// Not with range: the parser may call again with an error after it was told to stop.
	p.StmtsSeq(in)(func(s *syntax.Stmt, err error) bool {
		switch {
		case why != "":
		case in.deep:
			why = tooDeep
		case err != nil:
			why = "the line can't be parsed" + where(err)
		case len(stmts) == maxCommands:
			why = "the line has too many commands"
		default:
			stmts = append(stmts, s)
		}
		return why == ""
	})
	return stmts, why
}

// where says at which place err is about a line, and what is wrong there, if it knows.
func where(err error) string {
	var at syntax.Pos
	var text string
	var wrong syntax.ParseError
	var foreign syntax.LangError
	switch {
	case errors.As(err, &wrong):
		at, text = wrong.Pos, wrong.Text
	case errors.As(err, &foreign):
		at, text = foreign.Pos, foreign.Feature+": this shell has none"
	default:
		return ""
	}
	const most = 100 // bytes: text has a part of the line
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	if at.Line() > 1 {
		return fmt.Sprintf(": line %d, column %d: %s", at.Line(), at.Col(), text)
	}
	return fmt.Sprintf(": column %d: %s", at.Col(), text)
}

// bounded is what the parser reads a line from, 1 KiB at a time. The parser reads on from wherever
// it is, so the depth of the stack then is that of what it is parsing: no count of keywords would
// tell those of the line from those in quotes and here-documents.
type bounded struct {
	rest  string
	first bool // nothing has been read, so nothing is nested
	deep  bool
}

var errDeep = errors.New(tooDeep)

func (b *bounded) Read(p []byte) (int, error) {
	if b.rest == "" {
		return 0, io.EOF
	}
	var frame [1]uintptr
	if !b.first && runtime.Callers(maxFrames, frame[:]) > 0 {
		b.deep = true
		return 0, errDeep
	}
	b.first = false
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
