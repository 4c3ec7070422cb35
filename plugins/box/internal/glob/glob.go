// Package glob matches names with the patterns of fnmatch(3): *, ?, [...] and backslash.
package glob

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match reports whether pattern matches all of name. "*" and "?" match slashes and leading dots
// too. It takes time in proportion to the product of both lengths at most.
func Match(pattern, name string, fold bool) bool {
	if fold {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	p, n := 0, 0
	starP, starN := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			starP, starN = p, n
			p++
			continue
		}
		r, size := utf8.DecodeRuneInString(name[n:])
		if used, ok := one(pattern[p:], r); ok {
			p += used
			n += size
			continue
		}
		if starP < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(name[starN:])
		starN += size
		p, n = starP+1, starN
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one matches a single character and returns how much of the pattern it took.
func one(p string, r rune) (used int, ok bool) {
	if p == "" {
		return 0, false
	}
	switch p[0] {
	case '?':
		return 1, true
	case '[':
		if used, ok := set(p, r); used > 0 {
			return used, ok
		}
	case '\\':
		if len(p) > 1 {
			c, size := utf8.DecodeRuneInString(p[1:])
			return 1 + size, c == r
		}
	}
	c, size := utf8.DecodeRuneInString(p)
	return size, c == r
}

// set matches a bracket expression; it took nothing if p begins with none that ends.
func set(p string, r rune) (used int, ok bool) {
	i, not, found := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		not = true
		i++
	}
	for start := i; i < len(p); {
		if p[i] == ']' && i > start {
			return i + 1, found != not
		}
		if strings.HasPrefix(p[i:], "[:") {
			if name, _, ok := strings.Cut(p[i+2:], ":]"); ok {
				found = found || class(name, r)
				i += 4 + len(name)
				continue
			}
		}
		lo, next := member(p, i)
		hi := lo
		i = next
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, i = member(p, i+1)
		}
		found = found || lo <= r && r <= hi
	}
	return 0, false
}

func member(p string, i int) (c rune, next int) {
	if p[i] == '\\' && i+1 < len(p) {
		i++
	}
	c, size := utf8.DecodeRuneInString(p[i:])
	return c, i + size
}

func class(name string, r rune) bool {
	switch name {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return '0' <= r && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "print":
		return unicode.IsPrint(r)
	case "graph":
		return unicode.IsGraphic(r) && r != ' '
	case "cntrl":
		return unicode.IsControl(r)
	case "xdigit":
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'f'
	}
	return false
}
