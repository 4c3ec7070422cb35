package challenge

import (
	"strings"
	"unicode/utf8"
)

// checkAttributes warns of attributes of keystrokes that are not duration="…".
func (x *xmlAnswer) checkAttributes(attributes, number string) {
	eachAttribute(attributes, unquoted, func(name, value string) {
		x.notes.add("Command ", number, ": Attribute '", name, "' value should be quoted: ", name, `="`, value, `"`)
	})
	eachAttribute(attributes, singleQuoted, func(name, value string) {
		x.notes.add("Command ", number, ": Use double quotes for attribute '", name, "': ", name, `="`, value, `"`)
	})
	eachAttribute(attributes, anyValue, func(name, _ string) {
		if name != "duration" {
			x.notes.add("Command ", number, ": Unknown attribute '", name, "' - known attributes are: duration")
		}
	})
}

// eachAttribute calls f for each word of s that is followed by an equals sign
// and what find finds there, a value and how many bytes it takes. Quotes around
// a word do not matter: x="a=b" has two such words.
func eachAttribute(s string, find func(s string) (value string, n int, ok bool), f func(name, value string)) {
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if !isWord(c) {
			i += size
			continue
		}
		end := len(s) - len(strings.TrimLeftFunc(s[i:], isWord))
		name := s[i:end]
		i = end
		equals := skipSpace(s, end)
		if !strings.HasPrefix(s[equals:], "=") {
			continue
		}
		if value, n, ok := find(s[equals+1:]); ok {
			f(name, value)
			i = equals + 1 + n
		}
	}
}

func anyValue(string) (string, int, bool) { return "", 0, true }

func unquoted(s string) (string, int, bool) {
	start := skipSpace(s, 0)
	n := strings.IndexFunc(s[start:], func(c rune) bool { return c == '"' || c == '\'' || c == '>' || isSpace(c) })
	if n < 0 {
		n = len(s) - start
	}
	return s[start : start+n], start + n, n > 0
}

func singleQuoted(s string) (string, int, bool) {
	start := skipSpace(s, 0)
	if !strings.HasPrefix(s[start:], "'") {
		return "", 0, false
	}
	start++
	n := strings.IndexByte(s[start:], '\'')
	if n < 0 {
		return "", 0, false
	}
	return s[start : start+n], start + n + 1, true
}

// durationAttribute returns the first value that stands in quotes of any kind
// after the word duration, of which more may stand before it.
func durationAttribute(s string) (string, bool) {
	for i := range indexes(s, "duration") {
		rest, ok := strings.CutPrefix(s[skipSpace(s, i+len("duration")):], "=")
		if !ok {
			continue
		}
		rest = rest[skipSpace(rest, 0):]
		if rest == "" || rest[0] != '"' && rest[0] != '\'' {
			continue
		}
		if n := strings.IndexAny(rest[1:], `"'`); n >= 0 {
			return rest[1 : 1+n], true
		}
	}
	return "", false
}
