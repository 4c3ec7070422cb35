package bash

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// parse reads the commands. Where the script is wrong the file has those of the lines before, which bash
// runs first: it reads line by line.
func (s *script) parse(env *tool.Env) (*syntax.File, *wrongSyntax) {
	for {
		in := &slowReader{text: s.text}
		file := &syntax.File{Name: s.name}
		var err error
		for stmt, stmtErr := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(in) {
			if err = stmtErr; err != nil {
				break
			}
			file.Stmts = append(file.Stmts, stmt)
		}
		if err == nil {
			return file, nil
		}
		var parse syntax.ParseError
		if errors.As(err, &parse) && strings.HasPrefix(parse.Text, unclosedHeredoc) {
			s.closeHeredoc(env, parse)
			continue
		}
		file.Stmts = s.linesBefore(file.Stmts)
		return file, &wrongSyntax{err: err, read: in.read}
	}
}

const unclosedHeredoc = "unclosed here-document"

// closeHeredoc ends a here-document that the script's end ends.
func (s *script) closeHeredoc(env *tool.Env, err syntax.ParseError) {
	word := strings.Trim(strings.TrimPrefix(err.Text, unclosedHeredoc), " `'\"\\")
	env.Warn(fmt.Sprintf("%s: line %d: warning: here-document at line %d delimited by end-of-file (wanted `%s')",
		s.name, strings.Count(strings.TrimSuffix(s.text, "\n"), "\n")+1, err.Pos.Line(), word))
	s.text = strings.TrimSuffix(s.text, "\n") + "\n" + word + "\n"
}

// linesBefore drops the statements of the line in which parsing failed.
func (s *script) linesBefore(stmts []*syntax.Stmt) []*syntax.Stmt {
	for len(stmts) > 0 {
		end := int(stmts[len(stmts)-1].End().Offset())
		rest, _, _ := strings.Cut(s.text[min(end, len(s.text)):], "\n")
		if strings.Trim(rest, " \t;&") == "" {
			break
		}
		stmts = stmts[:len(stmts)-1]
	}
	return stmts
}

// slowReader hands over one byte at a time, so that it is known how far the parser has read.
type slowReader struct {
	text string
	read int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.read == len(r.text) {
		return 0, io.EOF
	}
	p[0] = r.text[r.read]
	r.read++
	return 1, nil
}

// wrongSyntax is where and why a script can't be parsed.
type wrongSyntax struct {
	err  error
	read int // how far the parser has read, in bytes
}

// syntaxError says what is wrong, in bash's words.
func (s *script) syntaxError(env *tool.Env, wrong *wrongSyntax) {
	name := s.name
	if s.from != "" {
		name += ": " + s.from
	}
	say := func(line int, text string) { env.Warn(fmt.Sprintf("%s: line %d: %s", name, line, text)) }
	lines := strings.Count(strings.TrimSuffix(s.text, "\n"), "\n") + 1
	var lang syntax.LangError
	var parse syntax.ParseError
	if !errors.As(wrong.err, &parse) {
		if errors.As(wrong.err, &lang) {
			say(int(lang.Pos.Line()), "syntax error: "+lang.Feature)
			return
		}
		env.Warn(name + ": " + wrong.err.Error())
		return
	}
	if quote, ok := openQuote(parse.Text); ok {
		line := int(parse.Pos.Line())
		if quote == ")" { // found missing at the end only
			line = lines + 1
		}
		say(line, "unexpected EOF while looking for matching `"+quote+"'")
		return
	}
	token, line := s.tokenAt(wrong.read)
	if strings.Contains(parse.Text, "must be followed by a word") && wrong.read == len(s.text) {
		token, line, parse.Incomplete = "newline", int(parse.Pos.Line()), false
	}
	if parse.Incomplete || token == "" {
		say(lines+1, "syntax error: unexpected end of file")
		return
	}
	say(line, "syntax error near unexpected token `"+token+"'")
	source := strings.Split(s.text, "\n")
	say(line, "`"+source[line-1]+"'")
}

// openQuote returns what a message of the parser says is not closed.
func openQuote(text string) (string, bool) {
	for _, q := range []struct{ says, wants string }{
		{"without closing quote `\"`", `"`}, {"without closing quote `'`", "'"}, {"without closing quote \"`\"", "`"}, {"without closing quote `", "'"},
		{"reached EOF without matching `$(`", ")"}, {"reached EOF without matching `${`", "}"}, {"reached EOF without matching `$((`", ")"},
		{"reached EOF without matching `(` with `)`", ")"},
	} {
		if strings.Contains(text, q.says) {
			return q.wants, q.says != "reached EOF without matching `(` with `)`"
		}
	}
	return "", false
}

// tokenAt returns the token that ends where the parser has stopped, which has looked one byte further, and its line.
func (s *script) tokenAt(read int) (token string, line int) {
	text := s.text[:read]
	if read < len(s.text) || strings.HasSuffix(text, "\n") {
		text = text[:len(text)-1]
	}
	text = strings.TrimRight(text, " \t")
	line = strings.Count(text, "\n") + 1
	if strings.HasSuffix(text, "\n") || text == "" {
		return "newline", max(line-1, 1)
	}
	for _, operator := range []string{";;&", ";;", "&&", "||", ";&", "<<", ">>", "|&", "&>", "((", "))"} {
		if strings.HasSuffix(text, operator) {
			return operator, line
		}
	}
	const special = " \t\n;&|()<>"
	start := strings.LastIndexAny(text, special) + 1
	if start == len(text) {
		return text[start-1:], line
	}
	return text[start:], line
}
