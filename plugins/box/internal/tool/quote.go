package tool

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote puts s in the quotation marks of messages: ‘s’ where the environment speaks UTF-8, else
// 's'. It is gnulib's quote().
func (e *Env) Quote(s string) string {
	open, end := "'", "'"
	if e.utf8Locale() {
		open, end = "‘", "’"
	}
	var b strings.Builder
	b.WriteString(open)
	escape(&b, s, end)
	b.WriteString(end)
	return b.String()
}

// utf8Locale reports whether the locale's character set is UTF-8.
func (e *Env) utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := e.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.HasSuffix(v, "utf-8") || strings.HasSuffix(v, "utf8")
		}
	}
	return false
}

// Escape writes what is not printable, and backslashes, as C does. It is gnulib's "escape" style.
func Escape(s string) string {
	var b strings.Builder
	escape(&b, s, "\\")
	return b.String()
}

func escape(b *strings.Builder, s, end string) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := s[i : i+n]
		i += n
		switch {
		case c == end || c == "\\":
			b.WriteString("\\" + c)
		case strings.ContainsRune("\a\b\t\n\v\f\r", r):
			b.WriteString(`\` + string("abtnvfr"[r-'\a']))
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			for j := 0; j < n; j++ {
				fmt.Fprintf(b, `\%03o`, c[j])
			}
		default:
			b.WriteString(c)
		}
	}
}

// plain are the bytes that a shell takes as they are, anywhere in a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:@_]{}"

// QuoteName quotes a file's name for a message if a shell would need that. It is gnulib's quotef().
func QuoteName(s string) string {
	if s == "" {
		return "''"
	}
	need := s[0] == '#' || s[0] == '~' || s == "{" || s == "}"
	control := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < utf8.RuneSelf && (strings.IndexByte(plain, s[i]) >= 0 || i > 0 && (r == '#' || r == '~')):
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			control = true
		case r < utf8.RuneSelf:
			need = true
		}
		i += n
	}
	switch {
	case control:
		return dollarQuote(s)
	case !need:
		return s
	case strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!"):
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// dollarQuote is gnulib's shell-escape style: plain runs in '…', the others in $'…'.
func dollarQuote(s string) string {
	var b strings.Builder
	inDollar := false
	b.WriteByte('\'')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := s[i : i+n]
		i += n
		bad := r == utf8.RuneError && n == 1 || !unicode.IsPrint(r)
		if bad && !inDollar {
			b.WriteString("'$'")
		}
		if !bad && inDollar {
			b.WriteString("''")
		}
		inDollar = bad
		switch {
		case c == "'":
			b.WriteString(`'\''`)
		case bad:
			escape(&b, c, "")
		default:
			b.WriteString(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// QuoteAlways is QuoteName with quotation marks even where a shell needs none. It is gnulib's
// quoteaf().
func QuoteAlways(s string) string {
	if q := QuoteName(s); q != s {
		return q
	}
	return "'" + s + "'"
}

// QuoteShell is how bash's printf %q quotes: what a shell would take for something
// else stands behind a back-slash, and what can't be printed in $'…'.
func QuoteShell(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			return dollarShell(s)
		}
		if strings.ContainsRune(" !\"$&'()*,;<>?[\\]^`{|}", r) || i == 0 && r == '#' ||
			r == '~' && (i == 0 || s[i-1] == ':' || s[i-1] == '=') {
			b.WriteByte('\\')
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}

// QuoteControl is how bash writes a name in its messages: as it is, or in $'…' if
// something in it can't be printed.
func QuoteControl(s string) string {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			return dollarShell(s)
		}
	}
	return s
}

// dollarShell quotes the whole of a text in $'…'.
func dollarShell(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := s[i : i+n]
		i += n
		switch {
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			for _, c := range []byte(c) {
				if at := strings.IndexByte("\a\b\t\n\v\f\r\x1b", c); at >= 0 {
					b.WriteString(`\` + "abtnvfrE"[at:at+1])
				} else {
					b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
				}
			}
		case c == "'" || c == `\`:
			b.WriteString(`\` + c)
		default:
			b.WriteString(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
