package challenge

import (
	"strconv"
	"strings"
)

// An element is one <keystrokes attributes>text</keystrokes>, and where it is
// in what it was found in.
type element struct {
	attributes, text string
	start, end       int
}

const (
	keystrokesOpen = "<keystrokes"
	keystrokesShut = "</keystrokes>"
)

// nextElement returns the first element of s from i on. A tag that closes
// itself has no text, but terminus-2 takes it for one that doesn't.
func nextElement(s string, i int, strict bool) (e element, ok bool) {
	start := strings.Index(s[i:], keystrokesOpen)
	if start < 0 {
		return e, false
	}
	start += i
	attributes := start + len(keystrokesOpen)
	n := strings.IndexByte(s[attributes:], '>')
	if n < 0 {
		return e, false
	}
	e = element{attributes: s[attributes : attributes+n], start: start}
	text := attributes + n + 1
	if before, closed := strings.CutSuffix(e.attributes, "/"); closed && !strict {
		e.attributes, e.end = before, text
		return e, true
	}
	n = strings.Index(s[text:], keystrokesShut)
	if n < 0 {
		return e, false
	}
	e.text, e.end = s[text:text+n], text+n+len(keystrokesShut)
	return e, true
}

func (x *xmlAnswer) readCommands(section marked) {
	var elements []element
	for i := 0; ; {
		e, ok := nextElement(section.text, i, x.strict)
		if !ok {
			break
		}
		elements = append(elements, e)
		i = e.end
	}
	for i, e := range elements {
		number := strconv.Itoa(i + 1)
		x.checkAttributes(e.attributes, number)
		duration, ok := durationAttribute(e.attributes)
		if !ok && !x.strict {
			duration, ok = durationElement(section.text, elements, i)
		}
		c := Command{Keystrokes: e.text, Duration: defaultDuration}
		if !ok {
			x.notes.add("Command ", number, ": Missing duration attribute, using default 1.0")
		} else if seconds, ok := parseFloat(duration); ok {
			c.Duration = seconds
		} else {
			x.notes.add("Command ", number, ": Invalid duration value '", duration, "', using default 1.0")
		}
		if i < len(elements)-1 {
			x.notes.addUnended(c.Keystrokes, number, x.strict)
		}
		x.result.Commands = append(x.result.Commands, c)
	}
	x.checkText(section.text)
}

// durationElement returns what is in the <duration> beside element i: after it
// or before it in the same <command>, or after it if there is no <command>.
func durationElement(section string, elements []element, i int) (string, bool) {
	from, to := 0, len(section)
	if i > 0 {
		from = elements[i-1].end
	}
	if i < len(elements)-1 {
		to = elements[i+1].start
	}
	after, _, _ := strings.Cut(section[elements[i].end:to], "</command>")
	if inner, ok := (marked{after, after}).between("<duration>", "</duration>"); ok {
		return inner.text, true
	}
	before := section[from:elements[i].start]
	open := strings.LastIndex(before, "<command>")
	if open < 0 {
		return "", false
	}
	inner, ok := marked{before[open:], before[open:]}.between("<duration>", "</duration>")
	return inner.text, ok
}

// entities are what agents who know XML write, in the order of the warnings.
var entities = [...]struct{ name, means string }{
	{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", `"`}, {"&apos;", "'"},
}

// checkText warns of what looks like an escape sequence and is not.
func (x *xmlAnswer) checkText(section string) {
	for _, e := range entities {
		if strings.Contains(section, e.name) {
			x.notes.add("Warning: ", e.name, " is read verbatim and not converted to ", e.means, ". NEVER USE ", e.name,
				", unless you want these exact characters to appear directly in the output.")
		}
	}
	if strings.Contains(section, `\r\n`) {
		x.notes.add(`Warning: \r\n line endings are not necessary - use \n instead for simpler output`)
	}
}
