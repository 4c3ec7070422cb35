package protect

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind says what happened to a protected file.
type Kind string

const (
	Created Kind = "created"
	Changed Kind = "changed" // its content, or what kind of file it is
	Removed Kind = "removed"
	Mode    Kind = "mode" // or its owner
	Link    Kind = "link" // where it leads, or another name for the same file
)

// A Change is a protected file that is not as it was.
type Change struct {
	Path string // absolute, with whatever bytes its names have: see String
	Kind Kind
	Kept string // where the command's version is, or ""
	Why  string // what about it matters, or why it was not put back or kept; may be ""
	Left bool   // it is as the command left it
	Err  error  // it should have been put back, and this is why it was not
}

// String is a line for people, without control characters.
func (c Change) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", Printable(c.Path), c.Kind)
	if c.Why != "" {
		fmt.Fprintf(&b, " (%s)", c.Why)
	}
	switch {
	case c.Err != nil:
		fmt.Fprintf(&b, ", could not be put back: %v", c.Err)
	case c.Left:
		b.WriteString(", left as it is")
	case c.Kind == Created:
		b.WriteString(", taken away")
	default:
		b.WriteString(", put back")
	}
	if c.Kept != "" {
		fmt.Fprintf(&b, ", kept as %s", Printable(c.Kept))
	}
	return b.String()
}

// A Gap is something that is not protected, and why.
type Gap struct{ Path, Why string }

func (g Gap) String() string { return Printable(g.Path) + ": " + g.Why }

// Printable returns a name with what is not text escaped. Names come from commands, which would
// write over what a person reads.
func Printable(name string) string {
	if utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return name
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}
