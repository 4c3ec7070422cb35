package jsonrpc

import "bytes"

// Error codes, from JSON-RPC 2.0, section 5.1, the Language Server Protocol
// (-328xx) and the Agent Client Protocol (-320xx).
const (
	CodeParseError       int32 = -32700 // the line is no JSON
	CodeInvalidRequest   int32 = -32600 // it is JSON, and no request
	CodeMethodNotFound   int32 = -32601 // nobody here knows the method
	CodeInvalidParams    int32 = -32602 // the caller can mend it by other parameters
	CodeInternalError    int32 = -32603 // a limit, a denial, or what went wrong here
	CodeRequestCancelled int32 = -32800 // the caller has cancelled it
	CodeAuthRequired     int32 = -32000 // ACP: the client has to log in first
	CodeResourceNotFound int32 = -32002 // ACP: a file or the like is not there
)

// An Error is the error member of a response. It is deliberately no Go error:
// what a peer is told is decided in one place, not wherever an error came from.
type Error struct {
	Code    int32
	Message string // one short sentence
	Data    []byte // a JSON value, or nil for none
}

// NewError returns an Error with the usual message of code, and the stable word
// reason as {"reason":reason} in Data.
func NewError(code int32, reason string) *Error {
	e := &Error{Code: code, Message: message(code), Data: []byte("{}")}
	return e.With("reason", reason)
}

// With adds a member to the Data that [NewError] made, and returns e.
func (e *Error) With(key, value string) *Error {
	open := bytes.TrimSuffix(e.Data, []byte("}"))
	e.Data = append(AppendString(AppendKey(open, key), value), '}')
	return e
}

func message(code int32) string {
	switch code {
	case CodeParseError:
		return "Parse error"
	case CodeInvalidRequest:
		return "Invalid Request"
	case CodeMethodNotFound:
		return "Method not found"
	case CodeInvalidParams:
		return "Invalid params"
	case CodeRequestCancelled:
		return "Request cancelled"
	case CodeAuthRequired:
		return "Authentication required"
	case CodeResourceNotFound:
		return "Resource not found"
	}
	return "Internal error"
}
