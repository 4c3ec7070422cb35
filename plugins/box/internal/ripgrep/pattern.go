package ripgrep

import (
	"errors"
	"strings"
	"unicode"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// How the case of letters counts.
const (
	caseExact  = 's'
	caseIgnore = 'i'
	caseSmart  = 'S' // ignored unless the pattern has a capital
)

var (
	//lint:ignore ST1005 ripgrep says it so
	errBreak = errors.New("the literal '\"\\n\"' is not allowed in a regex\n\n" +
		"Consider enabling multiline mode with the --multiline flag (or -U for short).\n" +
		"When multiline mode is enabled, new line characters can be matched.")
	errMultiline = errors.New("a search across lines (-U) is not supported in this sandbox: use grep -Pzo, awk or sed")
)

// compile makes one expression of all patterns.
func (c *config) compile() (*regex.Regexp, error) {
	var patterns []string
	upper := false
	for _, p := range c.patterns {
		if strings.Contains(p, "\n") && !c.multiline {
			return nil, errBreak
		}
		if c.fixed {
			patterns = append(patterns, p)
			upper = upper || strings.ContainsFunc(p, unicode.IsUpper)
			continue
		}
		t, err := translate(p)
		switch {
		case err != nil:
			return nil, err
		case c.multiline && t.breaks:
			return nil, errMultiline
		case t.newline() && !c.multiline:
			return nil, errBreak
		}
		upper = upper || t.upper
		patterns = append(patterns, string(t.out))
	}
	if len(patterns) == 0 {
		return nil, nil // nothing matches
	}
	if !c.fixed && len(patterns) > 1 {
		patterns = []string{"(?:" + strings.Join(patterns, ")|(?:") + ")"}
	}
	return regex.CompileAll(patterns, regex.Options{
		Perl: !c.fixed, Literal: c.fixed, WholeLine: c.wholeLine, WholeWord: c.wholeWord,
		IgnoreCase: c.letters == caseIgnore || c.letters == caseSmart && !upper,
	})
}

// newline reports whether the pattern names a line break, where lines are searched one by one.
func (t *translator) newline() bool {
	for i := 0; i+1 < len(t.src); i++ {
		if t.src[i] == '\\' {
			if t.src[i+1] == 'n' {
				return true
			}
			i++
		}
	}
	return false
}

// expand appends what a replacement stands for: $1, $name, ${name} and $$.
func expand(p []byte, replacement string, line []byte, loc []int, names []string) []byte {
	for {
		before, after, ok := strings.Cut(replacement, "$")
		p = append(p, before...)
		if !ok {
			return p
		}
		if strings.HasPrefix(after, "$") {
			p = append(p, '$')
			replacement = after[1:]
			continue
		}
		name, rest, ok := reference(after)
		if !ok {
			p = append(p, '$')
			replacement = after
			continue
		}
		replacement = rest
		if n := groupNumber(name, names); n >= 0 && 2*n+1 < len(loc) && loc[2*n] >= 0 {
			p = append(p, line[loc[2*n]:loc[2*n+1]]...)
		}
	}
}

// reference reads the name of a group at the beginning of s.
func reference(s string) (name, rest string, ok bool) {
	if strings.HasPrefix(s, "{") {
		name, rest, ok = strings.Cut(s[1:], "}")
		return name, rest, ok
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:], end > 0
}

// groupNumber returns the number of a group, -1 if there is none of that name.
func groupNumber(name string, names []string) int {
	n := 0
	for _, r := range name {
		if r < '0' || r > '9' || n > 1<<20 {
			for i, known := range names {
				if known == name {
					return i
				}
			}
			return -1
		}
		n = 10*n + int(r-'0')
	}
	return n
}
