package cli

import (
	"regexp"
	"strings"
)

// CompilePattern reads a pattern of git's: kind is E for extended ones, P for Perl's, F for text,
// and else basic, as regex(7) has them.
func CompilePattern(pattern, kind string, fold, lines bool) (*regexp.Regexp, error) {
	text := pattern
	switch kind {
	case "F":
		text = regexp.QuoteMeta(pattern)
	case "E", "P":
	default:
		text = Extended(pattern)
	}
	flags := ""
	if fold {
		flags += "i"
	}
	if lines {
		flags += "m"
	}
	if flags != "" {
		text = "(?" + flags + ")" + text
	}
	re, err := regexp.Compile(text)
	if err == nil {
		return re, nil
	}
	if strings.Contains(err.Error(), "missing closing )") {
		return nil, Fatal("unmatched parenthesis")
	}
	return nil, Fatal("command line, '%s': Invalid regular expression", pattern)
}

// Extended turns a basic pattern into an extended one: there \( \) \{ \} \| \+ \? are special, and
// the same characters alone are not.
func Extended(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			i++
			switch p[i] {
			case '(', ')', '{', '}', '|', '+', '?':
				b.WriteByte(p[i])
			case '<', '>':
				b.WriteString(`\b`)
			default:
				b.WriteString(p[i-1 : i+1])
			}
		case c == '[':
			end := i + 1
			for end < len(p) && (p[end] != ']' || end == i+1 || end == i+2 && p[i+1] == '^') {
				end++
			}
			set := p[i:min(end+1, len(p))]
			b.WriteString(strings.ReplaceAll(set, `\`, `\\`))
			i = end
		case strings.IndexByte("(){}|+?", c) >= 0:
			b.WriteString(`\` + string(c))
		case c == '*' && (i == 0 || i == 1 && p[0] == '^'):
			b.WriteString(`\*`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
