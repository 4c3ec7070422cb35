package proxy

import (
	"bytes"
	"strings"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A message is what the top of a line says.
type message struct {
	value  jsonrpc.Value
	id     jsonrpc.ID
	named  bool // it has an id
	called bool // it has a method: it is a request, or a notification
	method string
	params jsonrpc.Value
	result jsonrpc.Value // of a response
	failed jsonrpc.Value // the error of a response
}

// A doubt is why readers may take a line differently, as the reason of an error. The empty one is
// none.
type doubt string

// names are the members that say what a message is.
var names = [...]string{"method", "id", "params", "result", "error"}

// look reads the top of a line, which has no line feed. With a doubt the message is what could be
// read. There is one where
//
//   - it is no JSON object: a batch, or nothing that all parsers take;
//   - a member that says what it is stands there twice, or once more in other letters, which
//     Go's encoding/json takes for the same: which of them counts differs;
//   - a member's name has a NUL in it, where readers in C end it;
//   - it calls a method and answers at once, answers with a result and an error, or the method
//     is no text;
//   - it has a carriage return before its end, where some readers end a line.
func look(line []byte) (m message, d doubt) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	var err error
	if m.value, err = jsonrpc.Parse(line); err != nil {
		return m, "not_json"
	}
	switch m.value.Kind() {
	case jsonrpc.Object:
	case jsonrpc.Array:
		return m, "batch"
	default:
		return m, "not_object"
	}
	var found [len(names)]jsonrpc.Value
	for name, member := range m.value.Members() {
		switch i, exact := which(name); {
		case bytes.Contains(name.Raw(), []byte(`\u0000`)):
			d = "nul_in_name"
		case i < 0:
		case !exact:
			d = "similar_" + doubt(names[i])
		case found[i].Kind() != jsonrpc.Absent:
			d = "duplicate_" + doubt(names[i])
		default:
			found[i] = member
		}
	}
	m.params, m.result, m.failed = found[2], found[3], found[4]
	var valid bool
	m.id, valid = jsonrpc.ParseID(found[1])
	m.named = found[1].Kind() != jsonrpc.Absent
	m.called = found[0].Kind() != jsonrpc.Absent
	m.method, err = found[0].Text()
	switch {
	case d != "":
	case m.called && err != nil:
		d = "method"
	case m.called && (m.result.Kind() != jsonrpc.Absent || m.failed.Kind() != jsonrpc.Absent):
		d = "ambiguous"
	case says(m.result) && says(m.failed):
		d = "ambiguous"
	case m.named && !valid:
		d = "id"
	case bytes.IndexByte(line, '\r') >= 0:
		d = "carriage_return"
	}
	return m, d
}

// says reports whether v is there and not null. Some write null for the one of result and error
// that is not meant.
func says(v jsonrpc.Value) bool { return v.Kind() != jsonrpc.Absent && !v.IsNull() }

// which returns the index of what name is in names, or is but for the case of its letters, or -1.
func which(name jsonrpc.Value) (i int, exact bool) {
	for i, want := range names {
		if name.Is(want) {
			return i, true
		}
	}
	const longest = 6 * len("method") // each letter escaped
	if len(name.Raw()) > longest+len(`""`) {
		return -1, false
	}
	text, _ := name.Text()
	for i, want := range names {
		if strings.EqualFold(text, want) {
			return i, false
		}
	}
	return -1, false
}

// isTerminal reports whether a method is one of terminal/*, for the most lenient reader.
func isTerminal(method string) bool {
	const prefix = "terminal/"
	return len(method) >= len(prefix) && strings.EqualFold(method[:len(prefix)], prefix)
}

// isBlank reports whether a line has nothing in it.
func isBlank(line []byte) bool { return len(bytes.TrimLeft(line, " \t\r\n")) == 0 }
