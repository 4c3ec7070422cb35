package acp

import (
	"errors"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Terminals is what a Conn runs its commands on: a *Registry of one's own (see
// [OnRegistry]), or a driver that puts locks around one. Errors are core's.
//
// It is a struct of functions because the methods of an interface would link
// every method of time.Time, which they take, into the reactor: 20 KB.
type Terminals struct {
	Create       func(now time.Time, s core.SessionID, c core.Command) (core.TerminalID, error)
	Kill         func(now time.Time, id core.TerminalID) error
	Release      func(now time.Time, id core.TerminalID) error
	CloseSession func(now time.Time, s core.SessionID) error
	CloseAll     func(now time.Time)

	Issued func(s core.SessionID, id core.TerminalID) bool
	Status func(id core.TerminalID) (core.Status, bool)
	// AppendOutput appends a terminal's output as Terminal.AppendOutput does.
	AppendOutput func(dst []byte, id core.TerminalID) (out []byte, truncated bool)
}

// Config says how a Conn serves its peer. The zero value is usable.
type Config struct {
	// Command holds what commands get that the request does not say: Cwd for
	// sessions that were not opened, Pty, Interactive, Rows, Cols, Rendering,
	// Timeout, and Env before the request's own.
	Command core.Command
	// NoTerminal answers terminal/* with method not found, as a client must
	// that has not advertised the capability. Calls with Go values are served.
	NoTerminal bool
	// Lenient also takes env as an object of names and values.
	Lenient bool
	// Bounds takes what a request asks for by _meta.terrarium, sandbox and net, for the
	// Command's Bounds. It needs an Asker. If false, such a request is an error.
	Bounds bool
	// MaxLine is the longest line taken, in bytes. If zero, 32 MiB.
	MaxLine int
	// MaxResponse bounds a response line, in bytes; output that would exceed
	// it loses its beginning. If zero, 10,000,000: Go SDK peers read 10 MiB.
	MaxResponse int
	// MaxPending bounds the requests that wait for an answer. If zero, 4096.
	MaxPending int
	// MaxSessions bounds the sessions opened. If zero, 1024.
	MaxSessions int
	// Version is our version, as initialize answers it.
	Version string
	// Nonce ends the ids of what an Asker asks. A random one tells them from
	// those of other connections, where a peer passes requests on.
	Nonce string
}

// A Conn is the machine for one connection to an ACP peer. The owner feeds it
// with HandleInput, or HandleMessage, and with the news of its Terminals, and
// drains NextLine after each. It is not safe for concurrent use.
type Conn struct {
	config    Config
	terminals Terminals
	lines     jsonrpc.Lines
	sessions  map[core.SessionID]*session
	pending   pending
	asker     asking  // nil if we ask nothing
	feed      feeding // nil if nobody can subscribe
	client    Implementation
	ended     bool // no more comes from the peer

	out     [][]byte // lines not yet taken
	lent    []byte   // the line that NextLine returned last, reused for another
	scratch []byte   // output on its way into a line
}

// Client returns what the peer calls itself in initialize, at most 200 bytes each. Both are empty
// if it has not said.
func (c *Conn) Client() (name, version string) { return c.client.Name, c.client.Version }

// NewConn returns a connection that runs commands on ts.
func NewConn(c Config, ts Terminals) *Conn {
	setDefault(&c.MaxLine, jsonrpc.DefaultMaxLine)
	setDefault(&c.MaxResponse, 10_000_000)
	setDefault(&c.MaxPending, 4096)
	setDefault(&c.MaxSessions, 1024)
	return &Conn{
		config: c, terminals: ts,
		lines:    jsonrpc.Lines{Max: c.MaxLine},
		sessions: make(map[core.SessionID]*session),
		pending:  newPending(),
	}
}

func setDefault(field *int, value int) {
	if *field == 0 {
		*field = value
	}
}

// HandleInput takes the next bytes of the peer's stream. p is not kept. Every
// line that p completes is answered before NextLine can be called, and each
// answer may be MaxResponse long: to bound memory, hand in a line at a time.
func (c *Conn) HandleInput(now time.Time, p []byte) {
	for line, err := range c.lines.Split(p) {
		if err != nil {
			c.answerError(jsonrpc.ID{}, jsonrpc.NewError(jsonrpc.CodeParseError, "line_too_long"))
			continue
		}
		c.HandleMessage(now, line)
	}
}

// HandleEOF says that the peer sends nothing more: every terminal is released.
// Whoever waits is still answered, since the peer may still read.
func (c *Conn) HandleEOF(now time.Time) {
	if line := c.lines.Flush(); line != nil {
		c.HandleMessage(now, line)
	}
	c.ended = true
	clear(c.sessions)
	if c.asker != nil {
		c.asker.gone()
	}
	if c.feed != nil {
		c.feed.gone()
	}
	c.terminals.CloseAll(now)
}

// HandleMessage takes one message, a line without its end. It is not kept.
func (c *Conn) HandleMessage(now time.Time, line []byte) {
	m, bad := jsonrpc.ParseMessage(line)
	switch {
	case m.Kind == jsonrpc.Response:
		if c.asker != nil {
			c.asker.answered(&m, bad != nil)
		}
	case bad != nil:
		c.answerError(m.ID, bad)
	case m.Kind == jsonrpc.Notification:
		c.notification(now, &m)
	case c.pending.has(m.ID):
		c.answerError(m.ID, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "duplicate_id"))
	default:
		c.request(now, &m)
	}
}

// NextLine returns the next line for the peer, '\n' included. It is valid
// until the next call of any method.
func (c *Conn) NextLine() ([]byte, bool) {
	if len(c.out) == 0 {
		return nil, false
	}
	c.lent = c.out[0]
	c.out[0] = nil
	c.out = c.out[1:]
	return c.lent, true
}

// maxSpare is the largest buffer kept for reuse, in bytes.
const maxSpare = 4 << 20

// answer appends the response to id, whose result appendResult writes.
func (c *Conn) answer(id jsonrpc.ID, appendResult func(dst []byte) []byte) {
	line := jsonrpc.AppendResponseHead(c.spare(), id)
	c.out = append(c.out, jsonrpc.AppendTail(appendResult(line)))
}

func (c *Conn) answerError(id jsonrpc.ID, e *jsonrpc.Error) {
	c.out = append(c.out, jsonrpc.AppendError(c.spare(), id, e))
}

// spare returns a buffer for a line: the last one lent, if it is free by now.
func (c *Conn) spare() []byte {
	p := c.lent
	c.lent = nil
	if cap(p) > maxSpare {
		return nil
	}
	return p[:0]
}

// HandleEffect takes news of the terminals, and answers who waits for it.
// Effects that are work for the host are ignored.
func (c *Conn) HandleEffect(_ time.Time, e *core.Effect) {
	switch e.Kind {
	case core.Started:
		if by, ok := c.pending.takeCreate(e.ID); ok {
			c.created(by, CreateTerminalResponse{TerminalID: string(e.ID), Meta: execMeta(e.Exec)})
		}
	case core.StartFailed:
		if by, ok := c.pending.takeCreate(e.ID); ok {
			err := e.Err
			if c.ended && by.call == nil && (errors.Is(err, core.ErrKilled) || errors.Is(err, core.ErrReleased)) {
				err = errInputEnded
			}
			c.refuse(by, wireError(err), err)
		}
	case core.Exited:
		status := exitStatus(e.Exit)
		for _, by := range c.pending.takeWaits(e.ID) {
			c.exited(by, status)
		}
	}
	if c.feed != nil {
		c.feed.news(e.Kind, e.Session, e.ID)
	}
}

func (c *Conn) created(by waiter, r CreateTerminalResponse) {
	if by.call != nil {
		by.call.created(r, nil)
		return
	}
	c.answer(by.id, r.AppendJSON)
}

func (c *Conn) exited(by waiter, r WaitForTerminalExitResponse) {
	if by.call != nil {
		by.call.exited(r, nil)
		return
	}
	c.answer(by.id, r.AppendJSON)
}

// refuse answers by with e, which tells a peer of err.
func (c *Conn) refuse(by waiter, e *jsonrpc.Error, err error) {
	if by.call != nil {
		by.call.fail(newRequestError(e, err))
		return
	}
	c.answerError(by.id, e)
}

// OnRegistry returns r as Terminals, for drivers without locks.
func OnRegistry(r *core.Registry) Terminals {
	return Terminals{
		Create: r.Create, Kill: r.Kill, Release: r.Release,
		CloseSession: r.CloseSession, CloseAll: r.CloseAll,
		Issued: r.Issued, Status: r.Status,
		AppendOutput: func(dst []byte, id core.TerminalID) ([]byte, bool) {
			t, ok := r.Terminal(id)
			if !ok {
				return dst, false
			}
			return t.AppendOutput(dst)
		},
	}
}

// commandEnv is the environment of a request after the configured one.
func (c *Conn) commandEnv(env []EnvVariable) []core.EnvVariable {
	all := slices.Clone(c.config.Command.Env)
	for _, e := range env {
		all = append(all, core.EnvVariable{Name: e.Name, Value: e.Value})
	}
	return all
}
