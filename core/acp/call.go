package acp

import (
	"time"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// The methods below are the requests of the peer for whoever is in the same program: Go values in
// place of lines, and one implementation for both. Rules, limits and errors are the same, and what
// is created is the peer's. An error is a *RequestError. Requests are not kept.

// A RequestError is the error that a request is answered with.
type RequestError struct {
	Code    int32  // one of jsonrpc's
	Message string // for whoever reads
	Data    []byte // JSON: {"reason":"…",…}

	err error // why, or nil
}

func newRequestError(e *jsonrpc.Error, err error) *RequestError {
	return &RequestError{Code: e.Code, Message: e.Message, Data: e.Data, err: err}
}

// Error returns what the peer of a connection reads.
func (e *RequestError) Error() string { return "acp: " + e.Message }

// Unwrap returns the error of the machine, of the host or of a context that it came from, if any.
func (e *RequestError) Unwrap() error { return e.err }

// Reason returns the stable word in data.reason, "unknown_terminal" say.
func (e *RequestError) Reason() string {
	data, _ := jsonrpc.Parse(e.Data)
	v, _ := data.Get("reason")
	reason, _ := v.Text()
	return reason
}

// Cancelled returns what a request is answered with that nobody waits for any more, because of err.
func Cancelled(err error) *RequestError {
	return newRequestError(jsonrpc.NewError(jsonrpc.CodeRequestCancelled, "cancelled"), err)
}

// requestError returns err as a *RequestError, or nil for nil.
func requestError(err error) error {
	if err == nil {
		return nil
	}
	return newRequestError(wireError(err), err)
}

// A Call is a terminal/create or terminal/wait_for_exit made with Go values. It is answered once:
// before the method returns that made it, or by HandleEffect or Cancel. The function that is called
// with the answer must not use the Conn.
type Call struct {
	waiting // for what; the zero value once it is answered
	created func(CreateTerminalResponse, error)
	exited  func(WaitForTerminalExitResponse, error)
}

func (c *Call) fail(err *RequestError) {
	if c.created != nil {
		c.created(CreateTerminalResponse{}, err)
		return
	}
	c.exited(WaitForTerminalExitResponse{}, err)
}

// Cancel answers a Call that still waits with an error, as $/cancel_request does. The error wraps
// cause. A command that has not started never will.
func (c *Conn) Cancel(now time.Time, call *Call, cause error) {
	if call.terminal != "" {
		c.cancel(now, waiter{call: call}, call.waiting, cause)
	}
}

// CreateTerminal is terminal/create. It is answered when the command has started.
func (c *Conn) CreateTerminal(now time.Time, r *CreateTerminalRequest, answer func(CreateTerminalResponse, error)) *Call {
	call := &Call{created: answer}
	request := *r
	err := request.readMeta()
	if err == nil {
		err = c.createTerminal(now, waiter{call: call}, &request)
	}
	if err != nil {
		call.created(CreateTerminalResponse{}, requestError(err))
	}
	return call
}

// readMeta sets what decoding takes from _meta.
func (r *CreateTerminalRequest) readMeta() error {
	if len(r.Meta) == 0 {
		return nil
	}
	meta, err := jsonrpc.Parse(r.Meta)
	if err != nil || meta.Kind() != jsonrpc.Object {
		return &ParamError{Param: "_meta", Reason: "type"}
	}
	if r.Traceparent == "" {
		r.Traceparent = traceparentOf(meta)
	}
	return nil
}

// WaitForTerminalExit is terminal/wait_for_exit. It is answered when the command has ended.
func (c *Conn) WaitForTerminalExit(r *WaitForTerminalExitRequest, answer func(WaitForTerminalExitResponse, error)) *Call {
	call := &Call{exited: answer}
	if err := c.waitForTerminalExit(waiter{call: call}, r); err != nil {
		call.exited(WaitForTerminalExitResponse{}, requestError(err))
	}
	return call
}

// TerminalOutput is terminal/output. Its Output is the caller's, and fits a line.
func (c *Conn) TerminalOutput(r *TerminalOutputRequest) (TerminalOutputResponse, error) {
	terminal, s, err := c.held(r)
	if err != nil {
		return TerminalOutputResponse{}, requestError(err)
	}
	output, truncated := c.terminals.AppendOutput(nil, terminal)
	return c.outputResponse(output, truncated, s, len("null")), nil
}

// KillTerminal is terminal/kill.
func (c *Conn) KillTerminal(now time.Time, r *KillTerminalRequest) (KillTerminalResponse, error) {
	return KillTerminalResponse{}, requestError(c.killTerminal(now, r))
}

// ReleaseTerminal is terminal/release.
func (c *Conn) ReleaseTerminal(now time.Time, r *ReleaseTerminalRequest) (ReleaseTerminalResponse, error) {
	return ReleaseTerminalResponse{}, requestError(c.releaseTerminal(now, r))
}

// OpenSession is _terrarium/session_open.
func (c *Conn) OpenSession(r *SessionOpenRequest) error {
	d := new(decoder)
	if r.check(d); d.err != nil {
		return requestError(d.err)
	}
	return requestError(c.openSession(r))
}

// CloseSession is _terrarium/session_close.
func (c *Conn) CloseSession(now time.Time, r *SessionRequest) error {
	return requestError(c.closeSession(now, r))
}
