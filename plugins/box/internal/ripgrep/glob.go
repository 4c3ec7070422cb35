package ripgrep

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A glob is a line of an ignore file, or what -g says.
type glob struct {
	text    string // as written
	not     bool   // began with "!"
	dirOnly bool
	base    bool   // only the name's last element counts
	literal string // the whole name, if it holds no signs
	suffix  string // what the name ends with, if that is all that is asked for
	re      *regex.Regexp
}

// parseGlob reads a line in gitignore's syntax. It returns nil for what is no glob.
func parseGlob(line string, fold bool) (*glob, error) {
	g := &glob{text: line}
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t\r")
	}
	if line == "" || line[0] == '#' {
		return nil, nil
	}
	switch {
	case line[0] == '!':
		g.not = true
		line = line[1:]
	case strings.HasPrefix(line, `\!`), strings.HasPrefix(line, `\#`):
		line = line[1:]
	}
	anchored := strings.HasPrefix(line, "/")
	line = strings.TrimPrefix(line, "/")
	if strings.HasSuffix(line, "/") {
		g.dirOnly = true
		line = line[:len(line)-1]
	}
	if line == "" {
		return nil, nil
	}
	g.base = !anchored && !strings.Contains(line, "/")
	const signs = `*?[]{}\`
	switch {
	case !fold && !strings.ContainsAny(line, signs):
		g.literal = line
		return g, nil
	case !fold && g.base && line[0] == '*' && !strings.ContainsAny(line[1:], signs):
		g.suffix = line[1:]
		return g, nil
	}
	if len(line) > maxGlob {
		return nil, globError("error parsing glob: it is too long")
	}
	expression, err := globExpression(line)
	if err != nil {
		return nil, fmt.Errorf("error parsing glob '%s': %w", g.text, err)
	}
	g.re, err = regex.Compile(expression, regex.Options{Perl: true, IgnoreCase: fold})
	return g, err
}

// matches reports whether a path below the glob's directory is meant.
func (g *glob) matches(path, name string, dir bool) bool {
	if g.dirOnly && !dir {
		return false
	}
	if g.base {
		path = name
	}
	switch {
	case g.literal != "":
		return path == g.literal
	case g.re == nil:
		return strings.HasSuffix(path, g.suffix)
	}
	ok, err := g.re.Match([]byte(path))
	return ok && err == nil
}

// maxGlob bounds a glob: an automaton for one of a hundred thousand stars takes minutes.
const maxGlob = 1024

type globError string

func (e globError) Error() string { return string(e) }

// globExpression returns the expression for a glob: "*" and "?" match no slash, "**" does.
func globExpression(s string) (string, error) {
	var b strings.Builder
	b.WriteString("^")
	braces := 0
	for i := 0; i < len(s); {
		rest := s[i:]
		start := i == 0 || s[i-1] == '/'
		switch {
		case start && strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 3
		case start && rest == "**":
			b.WriteString(".+")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			for i < len(s) && s[i] == '*' {
				i++
			}
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		case rest[0] == '[':
			size, err := globClass(&b, rest)
			if err != nil {
				return "", err
			}
			i += size
		case rest[0] == '{':
			braces++
			b.WriteString("(?:")
			i++
		case rest[0] == '}':
			if braces--; braces < 0 {
				return "", globError("unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)")
			}
			b.WriteString(")")
			i++
		case rest[0] == ',' && braces > 0:
			b.WriteString("|")
			i++
		case rest[0] == '\\':
			if len(rest) == 1 {
				return "", globError(`dangling '\'`)
			}
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	if braces > 0 {
		return "", globError("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)")
	}
	return b.String() + "$", nil
}

// globClass writes the list in brackets that s begins with, and returns its length.
func globClass(b *strings.Builder, s string) (int, error) {
	i := 1
	not := i < len(s) && (s[i] == '!' || s[i] == '^')
	if not {
		i++
	}
	end := i + 1
	for end < len(s) && s[end] != ']' {
		end++
	}
	if end >= len(s) {
		return 0, globError("unclosed character class; missing ']'")
	}
	b.WriteString("[")
	if not {
		b.WriteString("^/")
	}
	for _, c := range []byte(s[i:end]) {
		if strings.IndexByte(`\[]^`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteString("]")
	return end + 1, nil
}
