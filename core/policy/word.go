package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is one of a simple command's words, as far as it is known before the line runs.
type word struct {
	// text is what the program gets. Of a word that is not known it is how it stands in the line.
	text string
	// dynamic: an expansion, a glob or the like decides what the program gets.
	dynamic bool
	// many: it may become no word, or several.
	many bool
	// option: it may begin with "-".
	option bool
	// home: it is a path below the home, and text is how it stands in the line: "~/bin/x".
	home bool
	// prefix is what all that it may become begins with: "/tmp/" of "/tmp/*.log".
	prefix string
}

func literal(text string) word { return word{text: text} }

// isOption reports whether w is or may be an option.
func (w word) isOption() bool {
	if w.dynamic {
		return w.option
	}
	return len(w.text) > 1 && w.text[0] == '-'
}

// readWord removes the quotes of a word from src, as the shell would.
func readWord(src string, in *syntax.Word) word {
	if len(in.Parts) == 1 {
		if lit, ok := in.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{~") {
			return literal(lit.Value) // most are
		}
	}
	var q unquoter
	q.parts(in.Parts, false)
	w := q.word
	w.text = q.text.String()
	if q.brace && q.list {
		w.dynamic, w.many = true, true
		w.option = w.option || q.braceFirst || strings.HasPrefix(w.text, "-")
	}
	if q.splits || q.brace && q.list {
		w.prefix = ""
	}
	if w.dynamic {
		from, to := int(in.Pos().Offset()), int(in.End().Offset())
		if from <= to && to <= len(src) {
			w.text = src[from:to]
		}
	}
	return w
}

type unquoter struct {
	text strings.Builder
	word word
	// brace and list: an unquoted "{", and after it a "," or "..": a{b,c} becomes two words. They
	// may be in different parts: {"a",b}.
	brace, braceFirst, list bool
	splits                  bool // it is many by more than globs
}

// unknown notes something that is not known and stays one word, unless many says otherwise.
func (q *unquoter) unknown(many bool) {
	if !q.word.dynamic {
		q.word.prefix = q.text.String()
	}
	q.word.dynamic = true
	q.word.many = q.word.many || many
	if q.text.Len() == 0 || q.text.String()[0] == '-' {
		q.word.option = true
	}
}

// split notes an expansion without quotes, which the shell splits: any word of it may be an option.
func (q *unquoter) split() {
	q.word.dynamic, q.word.many, q.word.option = true, true, true
	q.splits = true
}

func (q *unquoter) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				q.text.WriteString(unescape(p.Value))
			} else {
				q.bare(p.Value, i == 0 && len(parts) == 1)
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				q.unknown(false)
			}
			q.text.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				q.unknown(false)
			}
			q.parts(p.Parts, true)
		case *syntax.ProcSubst: // becomes /dev/fd/63
			q.word.dynamic = true
		case *syntax.ParamExp:
			if !quoted {
				q.split()
			} else {
				q.unknown(manyWords(p))
				q.splits = q.splits || manyWords(p)
			}
		default:
			if !quoted {
				q.split()
			} else {
				q.unknown(false)
			}
		}
	}
}

// manyWords reports whether p becomes several words in quotes too, as "$@" does.
func manyWords(p *syntax.ParamExp) bool {
	return p.Param == nil || p.Param.Value == "@" || p.Index != nil || p.Names != 0 || p.Excl
}

// bare reads text without quotes. whole says that it is all of the word.
func (q *unquoter) bare(s string, whole bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				q.text.WriteByte(s[i])
			}
			continue
		case '*', '?':
			q.unknown(true)
		case '[':
			if !whole || s != "[" && s != "[[" {
				q.unknown(true)
			}
		case '~':
			if before := q.text.String(); before == "" || strings.HasSuffix(before, "=") || strings.HasSuffix(before, ":") {
				q.word.dynamic = true // a directory: "~/x", "dir=~/x"
			}
		case '{':
			q.brace, q.braceFirst = true, q.braceFirst || q.text.Len() == 0
		case ',':
			q.list = q.list || q.brace
		case '.':
			q.list = q.list || q.brace && strings.HasPrefix(s[i:], "..")
		}
		q.text.WriteByte(s[i])
	}
}

// unescape reads text in double quotes, where a backslash counts before few characters.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
