package wrap

import "strings"

// A syntax is how a language other than Go marks comments. Lines are looked at one by one, and
// strings only as far as they end where they begin, so a comment is missed now and then: behind a
// regular expression with one quote in it, say.
type syntax struct {
	line        string // begins a comment to the end of the line
	open, close string // are around a comment of any length
}

var (
	slashes = syntax{line: "//", open: "/*", close: "*/"}
	block   = syntax{open: "/*", close: "*/"}
	hash    = syntax{line: "#"}
)

// find returns the lines with comments that are too wide.
func (s syntax) find(lines []string) []int {
	var found []int
	inside := false // a comment that began on a line before
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " \t")
		if !inside && s.open != "" && strings.HasPrefix(trimmed, s.open) {
			inside = true
		}
		switch {
		case inside:
			if tooWide(line, strings.TrimLeft(trimmed, "/*")) {
				found = append(found, i+1)
			}
			inside = !strings.Contains(line, s.close)
		case s.line != "" && strings.HasPrefix(trimmed, s.line):
			if tooWide(line, strings.TrimPrefix(trimmed, s.line)) && !strings.HasPrefix(line, "#!") {
				found = append(found, i+1)
			}
		case wide(line) && s.hasComment(line):
			found = append(found, i+1)
		}
	}
	return found
}

// hasComment reports whether a comment ends a line of code.
func (s syntax) hasComment(line string) bool {
	var quote byte // that began a string, or 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case i > 0 && (line[i-1] == ' ' || line[i-1] == '\t'):
			if s.line != "" && strings.HasPrefix(line[i:], s.line+" ") {
				return true
			}
			if s.open != "" && strings.HasPrefix(line[i:], s.open) && strings.HasSuffix(line, s.close) {
				return true
			}
		}
	}
	return false
}
