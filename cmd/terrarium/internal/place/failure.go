package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

var (
	// ErrMissing is why there is no connection to a place that has no terrarium where it looks.
	ErrMissing = errors.New("there is no terrarium over there")
	// ErrVersion is why there is none to one whose terrarium knows other commands than ours.
	ErrVersion = errors.New("the terrarium over there is of another version")
)

// A Failure is why there is no connection to a place.
type Failure struct {
	Place string
	Text  string // in one line, with what to do
	Err   error  // ErrMissing or ErrVersion, errNoImage, or nil
	// Beside is what else the program has said, a line each, fit to be shown, where Text is its
	// last line and nothing of ours: what is to be done may stand before that.
	Beside []string

	wordless bool // nobody has said why
	said     bool // Text is what the program has said, or is believed for that alone
}

// IsSaid reports whether Text is what the program has said, which may be anything, or what only
// that lets us believe.
func (f *Failure) IsSaid() bool { return f.said }

func (f *Failure) Error() string { return f.Place + ": " + f.Text }
func (f *Failure) Unwrap() error { return f.Err }

// Statuses of a program of ours, and of shells.
const (
	statusUsage    = 2
	statusNotFound = 127
)

// Explain returns why remote.Connect has failed with err, which it did with a connection of d. It
// may start the program again, which is given up when ctx ends.
func (d *Dialer) Explain(ctx context.Context, err error) error {
	f, ok := errors.AsType[*Failure](err)
	switch {
	case !ok && d.last == nil:
		return err
	case !ok:
		<-d.last.ended // it is closed, and killed if it does not end
		f = d.last.explain(strings.TrimPrefix(err.Error(), "remote: "))
	}
	if !f.wordless || d.Place.scheme.own {
		return f
	}
	// The help is asked for since that leaves nothing behind, should it come.
	ctx, cancel := context.WithTimeout(ctx, stallLimit)
	defer cancel()
	_, err = d.Place.ask(ctx, d.Far[0], "host", "serve", "--help")
	return f.orWords(err)
}

// orWords returns what err says, if it is the words that f lacks, and otherwise f. err is how the
// same has failed that got no input: podman exec drops what a program has said that ended before
// all of its input had arrived.
func (f *Failure) orWords(err error) *Failure {
	if said, ok := errors.AsType[*Failure](err); ok && !said.wordless {
		return said
	}
	return f
}

// explain returns why a connection has ended whose program has. why is what was wrong with what
// came over it, if anything.
func (c *conn) explain(why string) *Failure {
	said := c.said.last()
	text := strings.ToLower(strings.Join(said, "\n"))
	last, beside := lastOf(said)
	f := &Failure{Place: c.place.String()}
	crash := c.said.crash()
	// Docker's exec writes what its runtime says to standard output.
	h := c.place.hint(c.status, text+"\n"+strings.ToLower(why))
	switch {
	case strings.Contains(why, "both need the same terrarium"):
		f.Text, f.Err = why, ErrVersion
	case crash != "" && c.status == statusDump: // what it has said last is a register
		f.Text, f.said = c.place.crashed()+" "+crash, true
	case isForeign(c.status, text):
		f.Text, f.Err = "the terrarium there is of another version"+inBrackets(last), ErrVersion
	case h != nil && h.say != "":
		f.Text, f.Err = strings.ReplaceAll(h.say, "%s", c.place.target)+inBrackets(last), h.kind
	case h != nil, c.isMissing(text):
		f.Text, f.Err = "there is no terrarium in its PATH"+inBrackets(last), ErrMissing
	case why != "":
		f.Text = why + inBrackets(last)
	case last != "":
		f.Text, f.said, f.Beside = strings.TrimPrefix(last, ours), true, beside
	case c.status < 0:
		f.Text = c.place.program() + " was killed"
	case c.said.hasCarried():
		f.Text = fmt.Sprintf("%s has ended with exit status %d", c.place.program(), c.status)
	default:
		f.Text = fmt.Sprintf("%s has ended without a word, with exit status %d", c.place.program(), c.status)
		f.wordless = true
	}
	return f
}

// lastOf returns the line that may be why a program has ended, and the others, but for how it is
// used.
func lastOf(said []string) (last string, others []string) {
	at := -1
	for i, line := range said {
		switch {
		case isUse(line):
		case at < 0, strings.HasPrefix(line, ours), !strings.HasPrefix(said[at], ours):
			at = i // behind ours there may be how it is used
		}
	}
	if at < 0 {
		return "", nil
	}
	for i, line := range said {
		if i != at && !isUse(line) {
			others = append(others, line)
		}
	}
	return said[at], others
}

// program is what a person calls the program.
func (p *Place) program() string { return cmp.Or(p.scheme.called, p.argv[0]) }

// crashed is what a person calls who has ended with a dump of Go. Most of the programs that reach a
// place are of Go, as ours is over there, and what both say comes by one pipe.
func (p *Place) crashed() string {
	switch p.scheme {
	case &ssh: // which is of C
		return "the far side"
	case &container:
		return p.argv[0] + " or its container"
	case &engine: // which starts nothing of ours
		return p.argv[0]
	}
	return p.program() + " or the far side"
}

// Lines that docker has behind the reason why it has failed: seeHelp is in one, and showsUse is
// what another begins with.
const (
	seeHelp  = "run --help'"
	showsUse = "Usage: "
)

func isUse(line string) bool {
	return strings.Contains(line, seeHelp) || strings.HasPrefix(line, showsUse)
}

// inBrackets returns what a program has said, to stand behind what that means.
func inBrackets(line string) string {
	if line == "" {
		return ""
	}
	return " (" + line + ")"
}

// isMissing reports whether a shell or env has not found what it was to start over there.
func (c *conn) isMissing(text string) bool {
	switch {
	case c.place.scheme.own, c.said.hasCarried():
		return false
	case text == "":
		return c.status == statusNotFound
	}
	name := strings.ToLower(path.Base(c.far))
	for _, words := range []string{": not found", ": command not found", ": no such file or directory", "': no such file or directory", "’: no such file or directory"} {
		if c.status > 0 && strings.Contains(text, name+words) {
			return true
		}
	}
	return false
}

// isForeign reports whether a program of ours did not know what it was asked for.
func isForeign(status int, text string) bool {
	return status == statusUsage && strings.Contains(text, ours) &&
		(strings.Contains(text, "no such command: host") || strings.Contains(text, "unknown flag: --"))
}

// hint returns what the words of a program mean that has failed, or nil.
func (p *Place) hint(status int, text string) *hint {
	if status <= 0 {
		return nil // we have ended it
	}
	for i, h := range p.scheme.hints {
		if strings.Contains(text, h.words) {
			return &p.scheme.hints[i]
		}
	}
	return nil
}
