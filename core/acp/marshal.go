package acp

import "github.com/terrarium-dev/terrarium/core/jsonrpc"

// The terminal requests and their responses are for encoding/json as well, for those whose own
// types, an SDK's say, have the same JSON.

// UnmarshalJSON reads r from p. The error is what the request is answered with, a *RequestError.
func (r *CreateTerminalRequest) UnmarshalJSON(p []byte) error { return unmarshal(p, r.DecodeJSON) }

// UnmarshalJSON reads r from p. The error is what the request is answered with, a *RequestError.
func (r *TerminalRequest) UnmarshalJSON(p []byte) error { return unmarshal(p, r.DecodeJSON) }

func unmarshal(p []byte, decode func(jsonrpc.Value) error) error {
	v, err := jsonrpc.Parse(p)
	if err != nil {
		return newRequestError(jsonrpc.NewError(jsonrpc.CodeInvalidParams, "type"), err)
	}
	return requestError(decode(v))
}

// MarshalJSON returns r as JSON.
func (r CreateTerminalResponse) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// MarshalJSON returns r as JSON.
func (r TerminalOutputResponse) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// MarshalJSON returns s as JSON.
func (s TerminalExitStatus) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// MarshalJSON returns r as JSON.
func (r EmptyResponse) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }
