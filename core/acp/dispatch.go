package acp

import (
	"math"
	"path"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// request answers a request, at once or by making it pending.
func (c *Conn) request(now time.Time, m *jsonrpc.Message) {
	handle := c.handler(m.Method)
	if handle == nil {
		c.answerError(m.ID, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "unknown_method").With("method", clip(m.Method)))
		return
	}
	if err := handle(now, m.ID, m.Params); err != nil {
		c.answerError(m.ID, wireError(err))
	}
}

// handler returns what serves a method, or nil.
func (c *Conn) handler(method string) func(now time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	if c.config.NoTerminal && strings.HasPrefix(method, "terminal/") {
		return nil
	}
	if c.feed == nil && (method == MethodSubscribe || method == MethodUnsubscribe) {
		return nil
	}
	switch method {
	case MethodCreate:
		return c.create
	case MethodOutput:
		return c.output
	case MethodWaitForExit:
		return c.waitForExit
	case MethodKill:
		return c.kill
	case MethodRelease:
		return c.release
	case MethodInitialize:
		return c.initialize
	case MethodSessionOpen:
		return c.sessionOpen
	case MethodSessionClose:
		return c.sessionClose
	case MethodDisplay:
		return c.display
	case MethodSubscribe:
		return c.subscribe
	case MethodUnsubscribe:
		return c.unsubscribe
	}
	return nil
}

// notification heeds $/cancel_request; others are not for us.
func (c *Conn) notification(now time.Time, m *jsonrpc.Message) {
	var n CancelRequestNotification
	if m.Method != MethodCancelRequest || n.DecodeJSON(m.Params) != nil {
		return
	}
	if w, ok := c.pending.byID[n.RequestID]; ok {
		c.cancel(now, waiter{id: n.RequestID}, w, nil)
	}
}

// cancel gives up a request that waits. cause is why, where it is a Call.
func (c *Conn) cancel(now time.Time, by waiter, w waiting, cause error) {
	c.pending.take(by, w)
	if w.create {
		// The command has not started, and now never will. Nobody but us
		// has its id, so an error could only say that it is gone already.
		_ = c.terminals.Release(now, w.terminal)
	}
	c.refuse(by, jsonrpc.NewError(jsonrpc.CodeRequestCancelled, "cancelled"), cause)
}

func (c *Conn) create(now time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r CreateTerminalRequest
	if err := r.decode(params, c.config.Lenient); err != nil {
		return err
	}
	return c.createTerminal(now, waiter{id: id}, &r)
}

// createTerminal answers by when the command has started. An error is the answer.
func (c *Conn) createTerminal(now time.Time, by waiter, r *CreateTerminalRequest) error {
	if c.pending.n >= c.config.MaxPending {
		return &core.LimitError{Limit: "pending_requests", Max: int64(c.config.MaxPending)}
	}
	command := c.config.Command
	command.OneStream = !command.Pty // its output is one string
	command.Command, command.Args, command.Env = r.Command, r.Args, c.commandEnv(r.Env)
	if r.Traceparent != "" {
		command.Traceparent = r.Traceparent
	}
	s := c.sessions[core.SessionID(r.SessionID)]
	if s != nil {
		command.Cwd, command.Roots = s.cwd, s.roots
	}
	if r.Cwd != nil {
		if err := checkCwd(*r.Cwd, s); err != nil {
			return err
		}
		command.Cwd = *r.Cwd
	}
	if c.asker != nil {
		var err error
		if command.Bounds, err = c.asker.bounds(r.Meta); err != nil {
			return err
		}
	}
	command.OutputByteLimit = outputByteLimit(r.OutputByteLimit)
	if c.feed != nil && c.feed.wantsScreen(core.SessionID(r.SessionID)) {
		command.Screen = true
	}
	terminal, err := c.terminals.Create(now, core.SessionID(r.SessionID), command)
	if err != nil {
		return err
	}
	waiting := create{waiter: by}
	if c.asker != nil {
		waiting.toolCall = c.asker.toolCall(r.Meta)
	}
	c.pending.addCreate(terminal, waiting)
	return nil
}

// checkCwd reports what is wrong with the directory that a request asks for.
// s is nil if its session was not opened: then any absolute one will do.
func checkCwd(dir string, s *session) error {
	switch {
	case dir == "", s != nil && !path.IsAbs(dir):
		return &core.InvalidError{Param: "cwd", Reason: "not_absolute", Value: dir}
	case s != nil && !s.contains(dir):
		return &core.InvalidError{Param: "cwd", Reason: "outside_session", Value: dir}
	}
	return nil
}

// outputByteLimit turns ACP's limit, where nil is none and 0 keeps nothing,
// into core's.
func outputByteLimit(limit *uint64) int64 {
	switch {
	case limit == nil:
		return 0
	case *limit == 0:
		return -1
	}
	return int64(min(*limit, math.MaxInt64))
}

func (c *Conn) output(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r TerminalOutputRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	terminal, s, err := c.held(&r)
	if err != nil {
		return err
	}
	c.answerOutput(id, terminal, s)
	return nil
}

func (c *Conn) display(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r TerminalRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	terminal, s, err := c.terminal(&r)
	if err != nil {
		return err
	}
	c.answerOutput(id, terminal, s)
	return nil
}

func (c *Conn) answerOutput(id jsonrpc.ID, terminal core.TerminalID, s core.Status) {
	output, truncated := c.terminals.AppendOutput(c.scratch[:0], terminal)
	c.scratch = output
	if cap(c.scratch) > maxSpare {
		c.scratch = nil
	}
	response := c.outputResponse(output, truncated, s, len(id.String()))
	c.answer(id, response.AppendJSON)
}

// outputResponse has as much of the newest output as fits a line, with an id of so many bytes. s
// was taken before the output, so what led to an exit is never missing.
func (c *Conn) outputResponse(output []byte, truncated bool, s core.Status, id int) TerminalOutputResponse {
	const rest = 1 << 10 // what stands around the output in a line, but for the id
	limit := c.config.MaxResponse - rest - id
	// Otherwise there is nothing to count.
	if worst := len(`\u0000`)*len(output) + len(`""`); worst > limit {
		if cut := jsonrpc.Excess(output, limit); cut > 0 {
			output, truncated = output[cut:], true
		}
	}
	response := TerminalOutputResponse{Output: output, Truncated: truncated}
	if s.State == core.StateExited {
		status := exitStatus(s.Exit)
		response.ExitStatus = &status
	}
	return response
}

func (c *Conn) waitForExit(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r WaitForTerminalExitRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	return c.waitForTerminalExit(waiter{id: id}, &r)
}

// waitForTerminalExit answers by when the command has ended. An error is the answer.
func (c *Conn) waitForTerminalExit(by waiter, r *WaitForTerminalExitRequest) error {
	terminal, s, err := c.held(r)
	if err != nil {
		return err
	}
	if s.State == core.StateExited {
		c.exited(by, exitStatus(s.Exit))
		return nil
	}
	if c.pending.n >= c.config.MaxPending {
		return &core.LimitError{Limit: "pending_requests", Max: int64(c.config.MaxPending)}
	}
	c.pending.addWait(by, terminal)
	return nil
}

func (c *Conn) kill(now time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r KillTerminalRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	if err := c.killTerminal(now, &r); err != nil {
		return err
	}
	c.answer(id, new(KillTerminalResponse).AppendJSON)
	return nil
}

func (c *Conn) killTerminal(now time.Time, r *KillTerminalRequest) error {
	terminal, _, err := c.held(r)
	if err != nil {
		return err
	}
	return c.terminals.Kill(now, terminal)
}

func (c *Conn) release(now time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r ReleaseTerminalRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	if err := c.releaseTerminal(now, &r); err != nil {
		return err
	}
	c.answer(id, new(ReleaseTerminalResponse).AppendJSON)
	return nil
}

// releaseTerminal succeeds for every id that the session was ever given.
func (c *Conn) releaseTerminal(now time.Time, r *ReleaseTerminalRequest) error {
	terminal := core.TerminalID(r.TerminalID)
	if !c.terminals.Issued(core.SessionID(r.SessionID), terminal) {
		return unknownTerminal(r.TerminalID)
	}
	// The only error is that it is forgotten by now, which is release enough.
	_ = c.terminals.Release(now, terminal)
	if c.feed != nil {
		c.feed.released(terminal)
	}
	return nil
}

// held returns the terminal that r names, unless it was released.
func (c *Conn) held(r *TerminalRequest) (core.TerminalID, core.Status, error) {
	terminal, s, err := c.terminal(r)
	if err == nil && s.Released {
		return "", core.Status{}, &terminalError{id: string(terminal), reason: "released"}
	}
	return terminal, s, err
}

// terminal returns the terminal that r names. An id of another session is
// as unknown as any other, and so is one that create has not answered yet.
func (c *Conn) terminal(r *TerminalRequest) (core.TerminalID, core.Status, error) {
	id, session := core.TerminalID(r.TerminalID), core.SessionID(r.SessionID)
	s, ok := c.terminals.Status(id)
	switch {
	case ok && s.Session == session && s.State >= core.StateRunning:
		return id, s, nil
	case !ok && c.terminals.Issued(session, id):
		return "", core.Status{}, &terminalError{id: r.TerminalID, reason: "released"}
	}
	return "", core.Status{}, unknownTerminal(r.TerminalID)
}

func (c *Conn) initialize(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r InitializeRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	response := InitializeResponse{
		ProtocolVersion: ProtocolVersion,
		AgentInfo:       &Implementation{Name: "terrarium", Version: c.config.Version},
	}
	if c.asker != nil {
		c.asker.initialized(params)
	}
	if c.feed != nil {
		response.Meta = c.feed.meta()
	}
	if i := r.ClientInfo; i != nil {
		c.client = Implementation{Name: strings.Clone(clip(i.Name)), Version: strings.Clone(clip(i.Version))}
	}
	c.answer(id, response.AppendJSON)
	return nil
}

func (c *Conn) sessionOpen(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r SessionOpenRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	if err := c.openSession(&r); err != nil {
		return err
	}
	c.answer(id, new(EmptyResponse).AppendJSON)
	return nil
}

func (c *Conn) openSession(r *SessionOpenRequest) error {
	if r.size() > maxSession {
		return &ParamError{Reason: "too_long"}
	}
	s := core.SessionID(r.SessionID)
	if c.sessions[s] == nil && len(c.sessions) >= c.config.MaxSessions {
		return &core.LimitError{Limit: "sessions", Max: int64(c.config.MaxSessions)}
	}
	c.sessions[s] = newSession(r)
	return nil
}

func (c *Conn) sessionClose(now time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	var r SessionRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	if err := c.closeSession(now, &r); err != nil {
		return err
	}
	c.answer(id, new(EmptyResponse).AppendJSON)
	return nil
}

func (c *Conn) closeSession(now time.Time, r *SessionRequest) error {
	s := core.SessionID(r.SessionID)
	delete(c.sessions, s)
	if c.feed != nil {
		c.feed.closed(s)
	}
	return c.terminals.CloseSession(now, s)
}

func (c *Conn) subscribe(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	return c.feed.subscribe(id, params)
}

func (c *Conn) unsubscribe(_ time.Time, id jsonrpc.ID, params jsonrpc.Value) error {
	return c.feed.unsubscribe(id, params)
}

// exitStatus turns core's record into ACP's. Why a command was ended goes
// into _meta: exit status has no room for it.
func exitStatus(e core.Exit) TerminalExitStatus {
	var s TerminalExitStatus
	switch {
	case e.Status.Unknown:
	case e.Status.Signal != "":
		s.Signal = &e.Status.Signal
	default:
		s.ExitCode = &e.Status.ExitCode
	}
	if e.Reason != core.ReasonNone {
		s.Meta = ourMeta(func(dst []byte) []byte { return appendText(dst, "reason", string(e.Reason)) })
	}
	return s
}

// maxArgv is the longest argument vector that an answer repeats, in bytes: the
// arguments of one command may be more than a line may hold.
const maxArgv = 64 << 10

// execMeta says what was executed, and how the command line was understood.
// An argument vector that is too long is left out.
func execMeta(e *core.Exec) []byte {
	return ourMeta(func(dst []byte) []byte { return appendExec(dst, e) })
}

func appendExec(dst []byte, e *core.Exec) []byte {
	dst = append(jsonrpc.AppendKey(dst, "exec"), '{')
	dst = appendText(dst, "path", e.Path)
	before := len(dst)
	dst = appendTexts(dst, "argv", e.Argv)
	if len(dst)-before > maxArgv {
		dst = dst[:before]
	}
	dst = appendText(dst, "via", string(e.Via))
	if e.Sandbox != "" {
		dst = appendText(dst, "sandbox", e.Sandbox)
	}
	if e.Terms != "" {
		dst = appendText(dst, "more", e.Terms)
	}
	return append(dst, '}')
}

// ourMeta returns a _meta object with members under our own key.
func ourMeta(appendMembers func(dst []byte) []byte) []byte {
	dst := append(jsonrpc.AppendKey([]byte{'{'}, "terrarium"), '{')
	return append(appendMembers(dst), "}}"...)
}

// clip shortens what a peer sent, for an error that shows it.
func clip(s string) string { return clipTo(s, 200) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
