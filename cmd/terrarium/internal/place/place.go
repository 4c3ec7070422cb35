// Package place reaches other machines and containers: by ssh, docker, podman, kubectl, or any
// program that the user names. The program is the user's own, with its settings, its keys and its
// ways around. It carries bytes between us and a program of ours that it starts over there.
package place

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Place is where commands run that do not run here. But for its programs it is not changed.
type Place struct {
	name   string   // as it was typed: "ssh:box"
	target string   // what of it is the machine or container
	argv   []string // the program with its arguments, which those of the far command follow; or nil
	shell  bool     // the far command is put together again over there, for a shell
	apart  bool     // the program gets no signals of our terminal
	scheme *scheme

	programs programs // that run
}

// A scheme is one kind of place.
type scheme struct {
	name string // what stands before the colon
	form string // what stands after it
	// called is what a person calls its program; "": by its name.
	called string
	// own: there is a terrarium of ours, wherever the program reaches.
	own bool
	// parse fills in a place whose target is not empty, has no control characters, and does not
	// begin with "-".
	parse func(p *Place) error
	// hints say what to do where the program has failed with such words.
	hints []hint
}

// A hint says what words of a program mean.
type hint struct {
	words string // in lower case
	kind  error  // ErrMissing, errNoImage, or nil
	say   string // what to do, where "%s" is the target; empty if kind says it all
}

// Prefixes returns how places begin: "ssh:" and the others.
func Prefixes() (list []string) {
	for _, known := range schemes {
		list = append(list, known.name+":")
	}
	return list
}

// schemes are what there is, in the order in which they are named.
var schemes = []*scheme{&ssh, &docker, &podman, &kubectl, &command, &fleet}

// maxName is how long a place may be, in bytes.
const maxName = 4 << 10

// Parse returns the place that a person calls s. The error says what is wrong with it, and names
// what there is.
func Parse(s string) (*Place, error) {
	name, target, found := strings.Cut(s, ":")
	switch {
	case s == "":
		return nil, errors.New("no place: use " + forms())
	case len(s) > maxName:
		return nil, fmt.Errorf("longer than %d bytes", maxName)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, isControl):
		return nil, errors.New("a place has no control characters")
	}
	for _, known := range schemes {
		if known.name != name {
			continue
		}
		p := &Place{name: s, target: target, scheme: known}
		switch {
		case strings.TrimSpace(target) == "":
			return nil, fmt.Errorf("want %s:%s", known.name, known.form)
		case strings.HasPrefix(target, "-"):
			return nil, fmt.Errorf("%s would take it for an option: want %s:%s", known.name, known.name, known.form)
		}
		return p, known.parse(p)
	}
	if near := nearest(name); found && near != nil {
		return nil, fmt.Errorf("no such kind of place: did you mean %s?", Shown(near.name+":"+target))
	}
	return nil, errors.New("no such place: use " + forms())
}

// Shown returns what a person has typed for a place without what may be a password in it, such as
// that of a URL, so that it can be printed.
func Shown(s string) string {
	name, target, _ := strings.Cut(s, ":")
	at := strings.LastIndexByte(target, '@')
	if at < 0 || !strings.Contains(target, "//") && !strings.Contains(target[:at], ":") {
		return s
	}
	return name + ":…" + target[at:]
}

func isControl(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// oneWord says what is wrong with a name that has to be one.
func oneWord(p *Place, name string) error {
	if strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("a blank in it: want %s:%s", p.scheme.name, p.scheme.form)
	}
	return nil
}

func forms() string {
	var list []string
	for _, known := range schemes {
		list = append(list, known.name+":"+known.form)
	}
	return strings.Join(list, ", ")
}

// nearest returns the scheme that name is probably a slip for, or nil.
func nearest(name string) *scheme {
	best, least := (*scheme)(nil), 3
	for _, known := range schemes {
		if n := distance(strings.ToLower(name), known.name); n < least && n < len(known.name) {
			best, least = known, n
		}
	}
	return best
}

// distance returns how many letters have to be changed, added or taken away, but at most 100.
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 100
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// String returns the place as it was typed.
func (p *Place) String() string { return p.name }

// Argv returns the command line that has far run over there, with its standard streams as ours.
func (p *Place) Argv(far ...string) []string {
	argv := append([]string(nil), p.argv...)
	for _, word := range far {
		if p.shell {
			word = Quote(word)
		}
		argv = append(argv, word)
	}
	return argv
}

// Quote returns word as a shell, here or there, takes it for one word. That may be any: sh, csh and
// fish agree about what stands in single quotes, but for "\" and "!", and about "\" before those
// outside of quotes. No word passes through csh that has a newline.
func Quote(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:,@%+=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 && word[0] != '=' {
		return word
	}
	return "'" + escaped.Replace(word) + "'"
}

var escaped = strings.NewReplacer("'", `'\''`, `\`, `'\\'`, "!", `'\!'`)
