package acp

import (
	"math"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Methods of a client, as the schema names them.
const (
	MethodCreate      = "terminal/create"        // start a command: its terminal's id
	MethodOutput      = "terminal/output"        // what is kept of its output, and its exit status
	MethodWaitForExit = "terminal/wait_for_exit" // its exit status, when it has one
	MethodKill        = "terminal/kill"          // end the command, keep the terminal
	MethodRelease     = "terminal/release"       // end the command, free the terminal
)

// EnvVariable is one variable of a command's environment.
type EnvVariable struct {
	Name  string
	Value string
	Meta  []byte
}

// DecodeJSON reads e from v; the error is a *ParamError, here as below.
func (e *EnvVariable) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*e = EnvVariable{Name: d.text("name"), Value: d.text("value"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends e as JSON.
func (e *EnvVariable) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "name", e.Name)
	dst = appendText(dst, "value", e.Value)
	return appendEnd(dst, e.Meta)
}

// CreateTerminalRequest is the params of terminal/create.
type CreateTerminalRequest struct {
	SessionID string
	Command   string
	Args      []string
	Env       []EnvVariable
	Cwd       *string
	// OutputByteLimit is in bytes; nil means that the agent sets no limit.
	OutputByteLimit *uint64
	// Traceparent is that of Meta, or empty: root keys of _meta that W3C Trace
	// Context knows are for it. AppendJSON writes what Meta has.
	//
	// https://agentclientprotocol.com/protocol/extensibility
	Traceparent core.Traceparent
	Meta        []byte
}

// DecodeJSON reads r from v.
func (r *CreateTerminalRequest) DecodeJSON(v jsonrpc.Value) error {
	return r.decode(v, false)
}

// decode with lenient also takes env as an object of names and values.
func (r *CreateTerminalRequest) decode(v jsonrpc.Value, lenient bool) error {
	d := decode(v)
	*r = CreateTerminalRequest{
		SessionID: d.text("sessionId"), Command: d.text("command"), Args: d.texts("args"),
		Cwd: d.optionalText("cwd"), OutputByteLimit: d.optionalUint("outputByteLimit", math.MaxUint64),
		Traceparent: d.traceparent(), Meta: d.meta(),
	}
	env, ok := d.optional("env")
	switch {
	case !ok:
	case env.Kind() == jsonrpc.Array:
		for item := range env.Items() {
			var e EnvVariable
			d.checkItem("env", e.DecodeJSON(item))
			r.Env = append(r.Env, e)
		}
	case env.Kind() == jsonrpc.Object && lenient:
		for name, value := range env.Members() {
			n, err1 := name.Text()
			s, err2 := value.Text()
			d.check("env", err1)
			d.check("env", err2)
			r.Env = append(r.Env, EnvVariable{Name: n, Value: s})
		}
	default:
		d.fail("env", "type")
	}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *CreateTerminalRequest) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "sessionId", r.SessionID)
	dst = appendText(dst, "command", r.Command)
	if len(r.Args) > 0 {
		dst = appendTexts(dst, "args", r.Args)
	}
	if len(r.Env) > 0 {
		dst = append(jsonrpc.AppendKey(dst, "env"), '[')
		for i := range r.Env {
			dst = r.Env[i].AppendJSON(jsonrpc.AppendComma(dst))
		}
		dst = append(dst, ']')
	}
	dst = appendOptionalText(dst, "cwd", r.Cwd)
	if r.OutputByteLimit != nil {
		dst = strconv.AppendUint(jsonrpc.AppendKey(dst, "outputByteLimit"), *r.OutputByteLimit, 10)
	}
	return appendEnd(dst, r.Meta)
}

// CreateTerminalResponse is the result of terminal/create.
type CreateTerminalResponse struct {
	TerminalID string
	Meta       []byte
}

// DecodeJSON reads r from v.
func (r *CreateTerminalResponse) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = CreateTerminalResponse{TerminalID: d.text("terminalId"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *CreateTerminalResponse) AppendJSON(dst []byte) []byte {
	return appendEnd(appendText(append(dst, '{'), "terminalId", r.TerminalID), r.Meta)
}

// TerminalRequest names a terminal: the params of every method but create.
type TerminalRequest struct {
	SessionID  string
	TerminalID string
	Meta       []byte
}

// The schema has a name for the params of each method.
type (
	TerminalOutputRequest      = TerminalRequest
	WaitForTerminalExitRequest = TerminalRequest
	KillTerminalRequest        = TerminalRequest
	ReleaseTerminalRequest     = TerminalRequest
)

// DecodeJSON reads r from v.
func (r *TerminalRequest) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = TerminalRequest{SessionID: d.text("sessionId"), TerminalID: d.text("terminalId"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *TerminalRequest) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "sessionId", r.SessionID)
	return appendEnd(appendText(dst, "terminalId", r.TerminalID), r.Meta)
}

// TerminalExitStatus says how a command ended: one of its fields is nil.
type TerminalExitStatus struct {
	ExitCode *uint32
	Signal   *string // "SIGKILL"
	Meta     []byte
}

// WaitForTerminalExitResponse is the result of terminal/wait_for_exit: an exit
// status, not one inside an object.
type WaitForTerminalExitResponse = TerminalExitStatus

// DecodeJSON reads s from v. As the schema says, fields of the wrong type or
// out of range count as absent.
func (s *TerminalExitStatus) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*s = TerminalExitStatus{Signal: d.lax().optionalText("signal"), Meta: d.meta()}
	if n := d.lax().optionalUint("exitCode", math.MaxUint32); n != nil {
		code := uint32(*n)
		s.ExitCode = &code
	}
	return d.err
}

// AppendJSON appends s as JSON, both fields also when they are null.
func (s *TerminalExitStatus) AppendJSON(dst []byte) []byte {
	dst = jsonrpc.AppendKey(append(dst, '{'), "exitCode")
	if s.ExitCode != nil {
		dst = strconv.AppendUint(dst, uint64(*s.ExitCode), 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = jsonrpc.AppendKey(dst, "signal")
	if s.Signal != nil {
		dst = jsonrpc.AppendString(dst, *s.Signal)
	} else {
		dst = append(dst, "null"...)
	}
	return appendEnd(dst, s.Meta)
}

// TerminalOutputResponse is the result of terminal/output. Output is borrowed:
// DecodeJSON makes a copy, AppendJSON keeps nothing.
type TerminalOutputResponse struct {
	Output     []byte // UTF-8
	Truncated  bool
	ExitStatus *TerminalExitStatus // nil while the command runs
	Meta       []byte
}

// DecodeJSON reads r from v.
func (r *TerminalOutputResponse) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = TerminalOutputResponse{Output: []byte(d.text("output")), Truncated: d.bool("truncated"), Meta: d.meta()}
	var status TerminalExitStatus
	if v, ok := d.optional("exitStatus"); ok && status.DecodeJSON(v) == nil {
		r.ExitStatus = &status
	}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *TerminalOutputResponse) AppendJSON(dst []byte) []byte {
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(append(dst, '{'), "output"), r.Output)
	dst = strconv.AppendBool(jsonrpc.AppendKey(dst, "truncated"), r.Truncated)
	if r.ExitStatus != nil {
		dst = r.ExitStatus.AppendJSON(jsonrpc.AppendKey(dst, "exitStatus"))
	}
	return appendEnd(dst, r.Meta)
}

// EmptyResponse is a result that says no more than success. It is an object:
// the TypeScript SDK refuses null.
type EmptyResponse struct {
	Meta []byte
}

// The results of terminal/kill and terminal/release.
type (
	KillTerminalResponse    = EmptyResponse
	ReleaseTerminalResponse = EmptyResponse
)

// DecodeJSON reads r from v.
func (r *EmptyResponse) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	*r = EmptyResponse{Meta: d.meta()}
	return d.err
}

// AppendJSON appends r as JSON.
func (r *EmptyResponse) AppendJSON(dst []byte) []byte {
	return appendEnd(append(dst, '{'), r.Meta)
}

// Terminal is the content of a tool call that embeds a terminal, as
// {"type":"terminal","terminalId":…}. It may come again after the terminal
// was released.
type Terminal struct {
	TerminalID string
	Meta       []byte
}

// DecodeJSON reads t from v, whose type must be "terminal".
func (t *Terminal) DecodeJSON(v jsonrpc.Value) error {
	d := decode(v)
	if d.text("type") != "terminal" {
		d.fail("type", "value")
	}
	*t = Terminal{TerminalID: d.text("terminalId"), Meta: d.meta()}
	return d.err
}

// AppendJSON appends t as JSON.
func (t *Terminal) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "type", "terminal")
	return appendEnd(appendText(dst, "terminalId", t.TerminalID), t.Meta)
}
