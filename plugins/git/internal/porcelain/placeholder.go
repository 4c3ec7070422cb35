package porcelain

import (
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"
)

// expand fills a --format: git-log(1), "PRETTY FORMATS".
func (f *logFormat) expand(commit *object.Commit) string {
	var b strings.Builder
	auto := palette(uncolored) // what %C(auto) has chosen
	for t := f.template; t != ""; {
		before, rest, ok := strings.Cut(t, "%")
		b.WriteString(before)
		if !ok {
			break
		}
		text, used := "", 0
		switch {
		case strings.HasPrefix(rest, "C(auto)"):
			auto, used = f.diff.paint, len("C(auto)")
			if auto.on() && b.Len() > 0 {
				text = plain
			}
		case strings.HasPrefix(rest, "C"):
			if text, used = f.color(rest); used > 0 {
				auto = uncolored
			}
		default:
			text, used = f.placeholder(commit, rest, auto)
		}
		if used == 0 {
			b.WriteByte('%')
		}
		b.WriteString(text)
		t = rest[used:]
	}
	return b.String()
}

// color returns the colour that s begins with, "C(bold red)" or "Cred", and how long that is; 0 for none.
func (f *logFormat) color(s string) (sequence string, used int) {
	words, force := "", false
	if end := strings.IndexByte(s, ')'); end > 0 && strings.HasPrefix(s, "C(") {
		words, used = s[len("C("):end], end+1
		if rest, ok := strings.CutPrefix(words, "always,"); ok {
			words, force = rest, true
		}
		words = strings.TrimPrefix(words, "auto,")
	}
	for _, name := range []string{"red", "green", "blue", "reset"} {
		if strings.HasPrefix(s[len("C"):], name) {
			words, used = name, len("C"+name)
		}
	}
	if sequence, _ = colorSequence(words); !force && !f.diff.paint.on() {
		sequence = ""
	}
	return sequence, used
}

// placeholder returns what the one at the start of s means, and how long it is; 0 for none.
func (f *logFormat) placeholder(c *object.Commit, s string, paint palette) (text string, used int) {
	if s == "" {
		return "", 0
	}
	switch s[0] {
	case 'H':
		return paint(commitColor, c.Hash.String()), 1
	case 'h':
		return paint(commitColor, abbreviate(c.Hash)), 1
	case 'T':
		return c.TreeHash.String(), 1
	case 't':
		return abbreviate(c.TreeHash), 1
	case 'P':
		return join(c.ParentHashes, plumbing.Hash.String), 1
	case 'p':
		return join(c.ParentHashes, abbreviate), 1
	case 's':
		return subject(c.Message), 1
	case 'b':
		return body(c.Message), 1
	case 'B':
		return c.Message, 1
	case 'd':
		return decorated(paint, f.decorate[c.Hash], " (", ")"), 1
	case 'D':
		return decorated(paint, f.decorate[c.Hash], "", ""), 1
	case 'f':
		return fileSubject(subject(c.Message)), 1
	case 'm':
		return f.mark(c.Hash), 1
	case 'g':
		return f.reflogged(s)
	case 'N', 'e':
		return "", 1
	case 'x':
		if n, err := strconv.ParseUint(s[1:min(3, len(s))], 16, 8); err == nil && len(s) > 2 {
			return string([]byte{byte(n)}), 3
		}
		return "", 0
	case 'n':
		return "\n", 1
	case '%':
		return "%", 1
	case 'a':
		return f.person(c.Author, s)
	case 'c':
		return f.person(c.Committer, s)
	}
	return "", 0
}

// fileSubject is a subject as names of files have it.
func fileSubject(s string) string {
	var b strings.Builder
	gap := false
	for i := range len(s) {
		c := s[i]
		if c == '.' && strings.HasSuffix(b.String(), ".") && !gap {
			continue
		}
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '_' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteByte(c)
			continue
		}
		gap = true
	}
	return strings.TrimRight(b.String(), ".-")
}

// reflogged is what the reflog has of the commit.
func (f *logFormat) reflogged(s string) (text string, used int) {
	if len(s) < 2 {
		return "", 0
	}
	selector, message := "", ""
	if f.noted != nil {
		selector, message = f.noted()
	}
	switch s[1] {
	case 'd', 'D':
		return selector, 2
	case 's':
		return message, 2
	}
	return "", 2
}

func join(list []plumbing.Hash, form func(plumbing.Hash) string) string {
	var out []string
	for _, h := range list {
		out = append(out, form(h))
	}
	return strings.Join(out, " ")
}

func (f *logFormat) person(p object.Signature, s string) (text string, used int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case 'n':
		return p.Name, 2
	case 'e':
		return p.Email, 2
	case 'd':
		return f.when(p.When, ""), 2
	}
	form, ok := map[byte]string{'D': "rfc", 'r': "relative", 't': "unix", 'i': "iso", 'I': "iso-strict", 's': "short"}[s[1]]
	if !ok {
		return "", 0
	}
	return f.when(p.When, form), 2
}
