package archive

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A pattern is what --exclude takes. It matches a name, or a directory that the name is in.
type pattern struct {
	text                 string
	anchored, fold, wild bool // anchored: only from the name's beginning, not after any slash
}

func (p pattern) with(text string) pattern {
	p.text = text
	return p
}

// match takes time in proportion to both lengths, however many slashes there are: a "*" in front
// stands for the directories that the name may be in, one behind for what is in it.
func (p pattern) match(name string) bool {
	text := p.text
	if !p.wild {
		text = quotePattern(text)
	}
	if glob.Match(text, name, p.fold) || glob.Match(text+"/*", name, p.fold) {
		return true
	}
	return !p.anchored && (glob.Match("*/"+text, name, p.fold) || glob.Match("*/"+text+"/*", name, p.fold))
}

// quotePattern makes a pattern that matches only the text itself.
func quotePattern(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

func excluded(patterns []pattern, name string) bool {
	name = strings.TrimRight(name, "/")
	return slices.ContainsFunc(patterns, func(p pattern) bool { return p.match(name) })
}

// unquote undoes the escapes of C in an operand, as tar does unless it is told not to.
func unquote(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte(`abfnrtv\?`, s[i]); k >= 0 {
			b.WriteByte("\a\b\f\n\r\t\v\\\x7f"[k])
			continue
		}
		n := i
		for n < len(s) && n < i+3 && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		if c, err := strconv.ParseUint(s[i:n], 8, 8); err == nil {
			b.WriteByte(byte(c))
			i = n - 1
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}

// safeName takes off what would lead a name out of its directory, and says so once for each thing
// that it takes off.
func (j *job) safeName(name string, target bool) string {
	if j.flags["P"] {
		return name
	}
	cut := 0
	for i := 0; i < len(name); {
		end := strings.IndexByte(name[i:], '/')
		if end < 0 {
			end = len(name) - i
		}
		if name[i:i+end] == ".." {
			cut = min(i+end+1, len(name))
		}
		i += end + 1
	}
	for cut < len(name) && name[cut] == '/' {
		cut++
	}
	what := "member names"
	if target {
		what = "hard link targets"
	}
	if cut > 0 {
		j.once("Removing leading `" + name[:cut] + "' from " + what)
	}
	if name = name[cut:]; name == "" {
		j.once("Substituting `.' for empty " + strings.TrimSuffix(what, "s"))
		name = "."
	}
	return name
}

// once tells something the first time. What is told is bounded, since names come from an archive.
func (j *job) once(text string) {
	if j.told[text] || len(j.told) > 100 {
		return
	}
	j.told[text] = true
	j.env.Errorf("%s", text)
}

// stripped takes the first components off, for --strip-components. It is false if nothing is left.
func stripped(name string, n int) (string, bool) {
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(strings.TrimLeft(name, "/"), "/")
		if !ok {
			return "", false
		}
		name = rest
	}
	return name, strings.Trim(name, "/") != ""
}

// climbs reports whether a name has a ".." in it.
func climbs(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "..")
}

// A transform is an expression of --transform, as sed's command s.
type transform struct {
	re     *regex.Regexp
	with   string
	all    bool
	number int // which match, from 1
}

var errTransform = errors.New("no expression like s/REGEXP/REPLACEMENT/")

// parseTransform reads s/REGEXP/REPLACEMENT/FLAGS, with any delimiter.
func parseTransform(expression string) (transform, error) {
	if len(expression) < 4 || expression[0] != 's' {
		return transform{}, errTransform
	}
	delim := expression[1]
	var parts []string
	rest := expression[2:]
	for range 2 {
		i := 0
		for i < len(rest) && rest[i] != delim {
			if rest[i] == '\\' {
				i++
			}
			i++
		}
		if i >= len(rest) {
			return transform{}, errTransform
		}
		parts = append(parts, rest[:i])
		rest = rest[i+1:]
	}
	t := transform{with: parts[1], number: 1}
	options := regex.Options{}
	for _, c := range rest {
		switch {
		case c == 'g':
			t.all = true
		case c == 'i':
			options.IgnoreCase = true
		case c == 'x':
			options.Extended = true
		case '1' <= c && c <= '9':
			t.number = int(c - '0')
		case strings.ContainsRune("rRsShH", c):
		default:
			return transform{}, errTransform
		}
	}
	re, err := regex.Compile(strings.ReplaceAll(parts[0], `\`+string(delim), string(delim)), options)
	if err != nil {
		return transform{}, err
	}
	t.re = re
	return t, nil
}

// apply returns what becomes of a name.
func (t transform) apply(name string) string {
	text, out := []byte(name), []byte(nil)
	from, at := 0, 0
	for n := 1; at <= len(text); n++ {
		loc, err := t.re.Find(text, at)
		if err != nil || loc == nil {
			break
		}
		start, end := loc[0], loc[1]
		if n >= t.number {
			out = append(out, text[from:start]...)
			out = t.expand(out, text, loc)
			from = end
			if !t.all {
				break
			}
		}
		at = end
		if start == end {
			at++
		}
	}
	return string(append(out, text[from:]...))
}

// expand appends the replacement, with & and \1 filled in.
func (t transform) expand(out, text []byte, loc []int) []byte {
	group := func(n int) []byte {
		if 2*n+1 >= len(loc) || loc[2*n] < 0 {
			return nil
		}
		return text[loc[2*n]:loc[2*n+1]]
	}
	for i := 0; i < len(t.with); i++ {
		switch c := t.with[i]; {
		case c == '&':
			out = append(out, group(0)...)
		case c == '\\' && i+1 < len(t.with):
			i++
			if d := t.with[i]; '0' <= d && d <= '9' {
				out = append(out, group(int(d-'0'))...)
				continue
			}
			out = append(out, t.with[i])
		default:
			out = append(out, c)
		}
	}
	return out
}

// transformed applies all expressions in turn.
func (j *job) transformed(name string) string {
	for _, t := range j.transforms {
		name = t.apply(name)
	}
	return name
}

// memberName is a step's name as members are compared with it.
func memberName(name string) string {
	if name == "/" {
		return name
	}
	return strings.TrimRight(name, "/")
}

// wanted returns the number of the operand that asks for a member, and whether one does. None asks
// for all.
func (j *job) wanted(name string) (int, bool) {
	if len(j.steps) == 0 && !j.fromFile {
		return -1, true
	}
	plain := memberName(name)
	for i, s := range j.steps {
		operand := memberName(s.name)
		switch {
		case plain == operand, !j.flat && strings.HasPrefix(plain, operand+"/"):
			return i, true
		case j.wildcards && (glob.Match(operand, plain, j.fold) || glob.Match(operand+"/*", plain, j.fold)):
			return i, true
		}
	}
	return 0, false
}
