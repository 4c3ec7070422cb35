package history

import (
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// expand fills a --format: git-log(1), "PRETTY FORMATS".
func (f *Format) expand(commit *repo.Commit) string {
	var b strings.Builder
	auto := cli.Palette(cli.Uncolored) // what %C(auto) has chosen
	for t := f.template; t != ""; {
		before, rest, ok := strings.Cut(t, "%")
		b.WriteString(before)
		if !ok {
			break
		}
		text, used := "", 0
		switch {
		case strings.HasPrefix(rest, "C(auto)"):
			auto, used = f.diff.Paint, len("C(auto)")
			if auto.On() && b.Len() > 0 {
				text = cli.Plain
			}
		case strings.HasPrefix(rest, "C"):
			if text, used = f.color(rest); used > 0 {
				auto = cli.Uncolored
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

// color returns the colour that s begins with, "C(bold red)" or "Cred", and how long that is; 0 for
// none.
func (f *Format) color(s string) (sequence string, used int) {
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
	if sequence, _ = cli.ColorSequence(words); !force && !f.diff.Paint.On() {
		sequence = ""
	}
	return sequence, used
}

// placeholder returns what the one at the start of s means, and how long it is; 0 for none.
func (f *Format) placeholder(c *repo.Commit, s string, paint cli.Palette) (text string, used int) {
	if s == "" {
		return "", 0
	}
	switch s[0] {
	case 'H':
		return paint(cli.CommitColor, c.Hash.String()), 1
	case 'h':
		return paint(cli.CommitColor, cli.Abbreviate(c.Hash)), 1
	case 'T':
		return c.TreeHash.String(), 1
	case 't':
		return cli.Abbreviate(c.TreeHash), 1
	case 'P':
		return join(c.ParentHashes, plumbing.Hash.String), 1
	case 'p':
		return join(c.ParentHashes, cli.Abbreviate), 1
	case 's':
		return messages.Subject(c.Message), 1
	case 'b':
		return messages.Body(c.Message), 1
	case 'B':
		return c.Message, 1
	case 'd':
		return decorated(paint, f.decorate[c.Hash], " (", ")"), 1
	case 'D':
		return decorated(paint, f.decorate[c.Hash], "", ""), 1
	case 'f':
		return messages.FileSubject(messages.Subject(c.Message)), 1
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

// reflogged is what the reflog has of the commit.
func (f *Format) reflogged(s string) (text string, used int) {
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

func (f *Format) person(p repo.Signature, s string) (text string, used int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case 'n':
		return p.Name, 2
	case 'e':
		return p.Email, 2
	case 'd':
		return f.When(p.When, ""), 2
	}
	form, ok := map[byte]string{'D': "rfc", 'r': "relative", 't': "unix", 'i': "iso", 'I': "iso-strict", 's': "short"}[s[1]]
	if !ok {
		return "", 0
	}
	return f.When(p.When, form), 2
}
