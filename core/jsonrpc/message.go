package jsonrpc

import (
	"math"
	"strconv"
)

// A MessageKind says which fields of a [Message] are set.
type MessageKind uint8

const (
	Invalid      MessageKind = iota // no message
	Request                         // ID, Method, Params
	Notification                    // Method, Params
	Response                        // ID, and either Result or Error
)

// A Message is one JSON-RPC message. Its Values and Error.Data alias the line it
// was read from; ID and Method do not.
type Message struct {
	Kind   MessageKind
	ID     ID
	Method string
	Params Value  // an Object or Array, or Absent
	Result Value  // Absent if Error is set
	Error  *Error // nil if Result is set
}

// ParseMessage reads one message. line is not kept, but the Message aliases it.
//
// A request has an id, be it null; a notification has none. Unknown members
// are ignored, null params are taken as none, and so is a null result or error
// beside the other. What is wrong is returned as the Error to answer with:
// [CodeParseError] with a Reason of [SyntaxError], else [CodeInvalidRequest],
// whose reason is one of
//
//   - batch: an array. ACP has no batches.
//   - not_object: another value.
//   - version: the member jsonrpc is not "2.0".
//   - id: an id that [ParseID] refuses, or a response without one.
//   - method: not a string, or missing where nothing makes it a response.
//   - params: not an object, array or null.
//   - ambiguous: a method and a result or error, or a result and an error.
//   - error: an error member without an int32 code and a message.
//
// The Message beside such an Error has the ID if it could be read, and its Kind
// is Invalid, or Response for what was meant as one. That must not be answered;
// the request of ours that it names has failed.
func ParseMessage(line []byte) (Message, *Error) {
	v, syntax := parse(line)
	if syntax != nil {
		return Message{}, parseError(syntax)
	}
	switch v.Kind() {
	case Object:
		return readMembers(v).message()
	case Array:
		return Message{}, NewError(CodeInvalidRequest, "batch")
	}
	return Message{}, NewError(CodeInvalidRequest, "not_object")
}

func parseError(syntax *SyntaxError) *Error {
	e := NewError(CodeParseError, syntax.Reason)
	return e.With("detail", syntax.Detail+" at byte "+strconv.Itoa(syntax.Offset))
}

// members are the members of a message as they stand there, Absent or not.
type members struct {
	version, id, method, params, result, failure Value
}

func readMembers(v Value) (m members) {
	for name, member := range v.Members() {
		switch {
		case name.Is("jsonrpc"):
			m.version = member
		case name.Is("id"):
			m.id = member
		case name.Is("method"):
			m.method = member
		case name.Is("params"):
			m.params = member
		case name.Is("result"):
			m.result = member
		case name.Is("error"):
			m.failure = member
		}
	}
	if m.result.Kind() != Absent && m.failure.IsNull() {
		m.failure = Value{}
	}
	if m.result.IsNull() && m.failure.Kind() != Absent {
		m.result = Value{}
	}
	return m
}

func (m members) message() (Message, *Error) {
	id, ok := ParseID(m.id)
	msg := Message{ID: id}
	called := m.method.Kind() != Absent
	answered := m.result.Kind() != Absent || m.failure.Kind() != Absent
	if answered && !called {
		msg.Kind = Response
	}
	switch {
	case !m.version.Is("2.0"):
		return msg.invalid("version")
	case called && answered:
		return msg.invalid("ambiguous")
	case !ok && (answered || m.id.Kind() != Absent):
		return msg.invalid("id")
	case answered:
		return m.response(msg)
	}
	return m.call(msg)
}

// call reads a request or notification.
func (m members) call(msg Message) (Message, *Error) {
	method, err := m.method.Text()
	if err != nil {
		return msg.invalid("method")
	}
	switch m.params.Kind() {
	case Object, Array, Absent:
		msg.Params = m.params
	case Null:
	default:
		return msg.invalid("params")
	}
	msg.Kind, msg.Method = Request, method
	if m.id.Kind() == Absent {
		msg.Kind = Notification
	}
	return msg, nil
}

func (m members) response(msg Message) (Message, *Error) {
	if m.failure.Kind() == Absent {
		msg.Result = m.result
		return msg, nil
	}
	if m.result.Kind() != Absent {
		return msg.invalid("ambiguous")
	}
	msg.Error = readError(m.failure)
	if msg.Error == nil {
		return msg.invalid("error")
	}
	return msg, nil
}

// readError returns the Error that v holds, or nil.
func readError(v Value) *Error {
	code, _ := v.Get("code")
	n, err := code.Int64()
	if err != nil || n < math.MinInt32 || math.MaxInt32 < n {
		return nil
	}
	message, _ := v.Get("message")
	text, err := message.Text()
	if err == ErrType {
		return nil
	}
	data, _ := v.Get("data")
	return &Error{Code: int32(n), Message: text, Data: data.Raw()}
}

// invalid returns what is known of a message that breaks a rule.
func (msg Message) invalid(reason string) (Message, *Error) {
	return Message{Kind: msg.Kind, ID: msg.ID}, NewError(CodeInvalidRequest, reason)
}
