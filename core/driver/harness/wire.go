package harness

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

// A Wire is how a Child is told of requests. Its answers are framed alike on
// both: see answers.
type Wire uint8

const (
	// WireJSON is a Request as a JSON object on one line.
	WireJSON Wire = iota
	// WireText is its Prompt, a newline, and a NUL.
	WireText
)

var wireNames = [...]string{"json", "text"}

// String returns "json" or "text".
func (w Wire) String() string { return wireNames[w] }

// ParseWire returns the Wire of that name, or false.
func ParseWire(name string) (Wire, bool) {
	for i, n := range wireNames {
		if n == name {
			return Wire(i), true
		}
	}
	return 0, false
}

// request returns r as it is written on the wire.
func (w Wire) request(r Request) []byte {
	if w == WireText {
		return []byte(strings.ReplaceAll(r.Prompt, "\x00", "") + "\n\x00")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(r) // it has nothing but strings and a number
	return b.Bytes()
}

// maxAnswer is how long an answer may be, in bytes, and with it all that an
// agent may say before it is asked.
const maxAnswer = 64 << 20

// answers splits what an agent says into answers. Blank lines between them mean
// nothing. An answer is
//
//   - a JSON object, over any number of lines, and the rest of its last line; it
//     counts as soon as it is complete;
//   - in the XML format, what ends with </response>, likewise, from the line on
//     that has <response>;
//   - else, on WireJSON, one line; if that is a JSON string, what it holds;
//   - else, on WireText, what ends with a NUL, as what a language model says
//     with words around it.
//
// A NUL ends an answer of any kind. So does silence, for an object or a response
// that has begun: see giveUp. What is wrong with it is for the parser to say.
type answers struct {
	wire   Wire
	format challenge.Format
	buf    []byte
	at     int // how much of buf is known not to end an answer

	// The state at at.
	kind    kind
	depth   int
	quoted  bool
	escaped bool
	rest    bool // an answer was complete before its line was
}

type kind uint8

const (
	blank kind = iota // nothing but blanks yet
	line
	object
	response
)

const (
	responseOpen = "<response"
	responseShut = "</response>"
)

// next returns the next answer, if all of it is there. ended says that no more
// comes.
func (a *answers) next(ended bool) (answer string, ok bool) {
	for a.at < len(a.buf) {
		c := a.buf[a.at]
		a.at++
		switch a.kind {
		case blank:
			a.begin(c)
			continue
		case object:
			ok = a.scanObject(c)
		case response:
			ok = c == '>' && bytes.HasSuffix(a.buf[:a.at], []byte(responseShut))
		case line:
			a.scanLine(c)
			ok = c == '\n' && a.kind == line && a.wire == WireJSON
		}
		if c == 0 {
			return a.take(a.at, a.at-1), true
		}
		if ok && c == '\n' {
			return a.take(a.at, a.at-1), true
		}
		if ok {
			return a.takeLine(), true
		}
	}
	if ended && a.kind != blank {
		return a.take(len(a.buf), len(a.buf)), true
	}
	return "", false
}

// begin looks at a byte before which there was nothing of an answer.
func (a *answers) begin(c byte) {
	if c == '\n' {
		a.rest = false
	}
	switch c {
	case ' ', '\t', '\r', '\n', 0:
		a.drop(1)
		return
	}
	if a.rest && c != '{' {
		a.drop(1)
		return
	}
	a.rest = false
	a.at--
	a.kind = line
	if c == '{' {
		a.kind = object
	}
}

func (a *answers) drop(n int) {
	a.buf = a.buf[n:]
	a.at = 0
}

// scanObject reports whether c, in a JSON object, ends an answer: the object
// itself, or what can't become one, so that nobody waits for its end.
func (a *answers) scanObject(c byte) bool {
	switch {
	case a.quoted && a.escaped:
		a.escaped = false
	case a.quoted:
		a.escaped = c == '\\'
		a.quoted = c != '"'
		return c == '\n'
	case c == '"':
		a.quoted = true
	case c == '{' || c == '[':
		a.depth++
	case c == '}' || c == ']':
		a.depth--
		return a.depth <= 0
	}
	return false
}

// scanLine finds the start of an XML answer.
func (a *answers) scanLine(c byte) {
	if a.format == challenge.XML && a.buf[0] != '"' && c == responseOpen[len(responseOpen)-1] && bytes.HasSuffix(a.buf[:a.at], []byte(responseOpen)) {
		a.kind = response
	}
}

// takeLine takes what has been scanned, and the rest of its line if that is
// there and no answer itself. Where it is not, it will be dropped.
func (a *answers) takeLine() string {
	rest := a.buf[a.at:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 || bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("{")) {
		text := a.take(a.at, a.at)
		a.rest = true
		return text
	}
	return a.take(a.at+end+1, a.at+end)
}

// take returns the first n bytes, and forgets the first used.
func (a *answers) take(used, n int) string {
	text := strings.TrimSuffix(string(a.buf[:n]), "\r")
	a.buf = a.buf[used:]
	*a = answers{wire: a.wire, format: a.format, buf: a.buf}
	if a.wire == WireJSON && strings.HasPrefix(text, `"`) {
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			return inner
		}
	}
	return text
}
