package cli

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
)

// The colours of git's defaults, by what they are for: color.h and git-config(1), color.*.
const (
	Green = "\x1b[32m" // what is staged or added, and the branch that is checked out
	Red   = "\x1b[31m" // what is not staged, or removed, and branches of remotes
	Plain = "\x1b[m"

	CommitColor = "\x1b[33m"   // names of commits
	MetaColor   = "\x1b[1m"    // the head of a patch
	HeadColor   = "\x1b[1;36m" // where a commit is named: HEAD
	BranchColor = "\x1b[1;32m"
	RemoteColor = "\x1b[1;31m"
	GraftColor  = "\x1b[1;34m"
	TagColor    = "\x1b[1;33m"
)

// A Palette puts text into a colour, or leaves it as it is.
type Palette func(color, text string) string

func colored(color, text string) string { return color + text + Plain }

func Uncolored(_, text string) string { return text }

// On reports whether the palette has colours.
func (p Palette) On() bool { return p(Green, "") != "" }

// Paint returns the colours of what a command prints. o has its --color, if it knows that; kind is
// what settings call the output, as in color.diff. Without either there are colours where a person
// reads.
func (c *Call) Paint(kind string, o *option.Result) (Palette, error) {
	when := "auto"
	for _, key := range []string{"color.ui", "color." + kind} {
		value, ok := c.Setting(key)
		if !ok {
			continue
		}
		switch value = strings.ToLower(value); value {
		case "always", "never", "auto":
			when = value
		default:
			on, err := truth(key, value)
			if err != nil {
				return nil, err
			}
			when = map[bool]string{false: "never", true: "auto"}[on]
		}
	}
	if o != nil {
		switch last, arg := o.Last("color", "no-color"); {
		case last == "no-color":
			when = "never"
		case last == "color":
			when = cmp.Or(arg, "always")
		}
	}
	switch when {
	case "always":
		return colored, nil
	case "never":
		return Uncolored, nil
	case "auto":
		term := os.Getenv("TERM")
		if c.Cols == 0 || term == "" || term == "dumb" || os.Getenv("NO_COLOR") != "" || c.pager != nil && !c.pagerColors() {
			return Uncolored, nil
		}
		return colored, nil
	}
	return nil, &option.Error{Text: "option `color' expects \"always\", \"auto\", or \"never\""}
}

// pagerColors reports whether what goes through the pager has colours.
func (c *Call) pagerColors() bool {
	value, ok := c.Setting("color.pager")
	on, err := truth("color.pager", value)
	return !ok || on || err != nil
}

// truth is what a setting says that is on or off.
func truth(key, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, nil
	case "", "false", "no", "off":
		return false, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return false, Fatal("bad boolean config value '%s' for '%s'", value, key)
	}
	return n != 0, nil
}

// basic are the colours that have names, in the order of their numbers.
var basic = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

var attributes = map[string]int{
	"bold": 1, "dim": 2, "italic": 3, "ul": 4, "blink": 5, "reverse": 7, "strike": 9,
	"nobold": 22, "nodim": 22, "noitalic": 23, "noul": 24, "noblink": 25, "noreverse": 27, "nostrike": 29,
}

// ColorSequence is the sequence of a colour in words, as "bold red": git-config(1), "color". It is
// false where there is none. The first colour is that of the text, the second that of the
// background.
func ColorSequence(words string) (string, bool) {
	var codes []string
	var order []int // attributes come first, by their numbers
	plane := 30
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if w == "reset" {
			return Plain, true
		}
		if n, ok := attributes[strings.Replace(w, "no-", "no", 1)]; ok {
			order = append(order, n)
			continue
		}
		code, ok := colorCode(plane, w)
		if !ok || plane > 40 {
			return "", false
		}
		if plane += 10; code != "" {
			codes = append(codes, code)
		}
	}
	slices.Sort(order)
	for i, n := range slices.Compact(order) {
		codes = slices.Insert(codes, i, strconv.Itoa(n))
	}
	if len(codes) == 0 {
		return "", true
	}
	return "\x1b[" + strings.Join(codes, ";") + "m", true
}

// colorCode is the part of a sequence for one colour, of text (plane 30) or background (40).
func colorCode(plane int, w string) (string, bool) {
	switch w {
	case "normal":
		return "", true
	case "default":
		return strconv.Itoa(plane + 9), true
	}
	name, bright := strings.CutPrefix(w, "bright")
	for n, b := range basic {
		switch {
		case name == b && bright:
			return strconv.Itoa(plane + 60 + n), true
		case name == b:
			return strconv.Itoa(plane + n), true
		}
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(w, "#"), 16, 24); err == nil && len(w) == 7 && w[0] == '#' {
		return strconv.Itoa(plane+8) + ";2;" + strconv.Itoa(int(n>>16)) + ";" + strconv.Itoa(int(n>>8&255)) + ";" + strconv.Itoa(int(n&255)), true
	}
	n, err := strconv.ParseUint(w, 10, 8)
	switch {
	case err != nil:
		return "", false
	case n < 8:
		return strconv.Itoa(plane + int(n)), true
	case n < 16:
		return strconv.Itoa(plane + 60 + int(n) - 8), true
	}
	return strconv.Itoa(plane+8) + ";5;" + strconv.Itoa(int(n)), true
}
