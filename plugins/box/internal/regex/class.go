package regex

import (
	"unicode"
	"unicode/utf8"
)

// class returns the set that [:name:] stands for, or false.
func class(name string) (*set, bool) {
	s := &set{}
	switch name {
	case "alpha":
		s.addTable(unicode.L)
		s.addTable(unicode.Nl)
	case "digit":
		s.add('0', '9')
	case "alnum":
		s.addTable(unicode.L)
		s.addTable(unicode.Nl)
		s.addTable(unicode.Nd)
	case "upper":
		s.addTable(unicode.Lu)
	case "lower":
		s.addTable(unicode.Ll)
	case "space":
		s.add('\t', '\r')
		s.add(' ', ' ')
		s.addTable(unicode.Zs)
	case "blank":
		s.add('\t', '\t')
		s.addTable(unicode.Zs)
	case "punct":
		s.addTable(unicode.P)
		s.addTable(unicode.S)
	case "print":
		s.add(' ', '~')
		s.add(0xa0, utf8.MaxRune)
	case "graph":
		s.add('!', '~')
		s.add(0xa1, utf8.MaxRune)
	case "cntrl":
		s.add(0, 31)
		s.add(127, 159)
	case "xdigit":
		s.add('0', '9')
		s.add('A', 'F')
		s.add('a', 'f')
	default:
		return nil, false
	}
	s.normalize()
	return s, true
}

// wordSet is what \w matches.
func wordSet() *set {
	s, _ := class("alnum")
	s.add('_', '_')
	return s
}

// isWord reports whether c is matched by \w.
func isWord(c symbol) bool {
	if c < utf8.RuneSelf {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Nl, c)
}
