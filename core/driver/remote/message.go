package remote

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// Requests have a number, an ID, which the near side counts up from 1. A terminal has that of its
// Start.

type resolve struct {
	ID      uint64
	Within  time.Duration // that it may take; 0 if nobody says
	Command command
}

type start struct {
	ID       uint64
	Within   time.Duration
	Resolved uint64 // the ID of the Resolve
	Credit   int64  // for output, in bytes
}

// A cancel says that nobody waits for the answer to a request. What it found is forgotten, what it
// started is closed.
type cancel struct{ ID uint64 }

// A write is a part of what one call of Process.Write is given.
type write struct {
	Terminal uint64
	Call     uint64 // the calls of a terminal are counted from 1
	Data     []byte
}

// An operation is a CloseInput or a Close.
type operation struct{ ID, Terminal uint64 }

type resize struct {
	ID, Terminal uint64
	Rows, Cols   int
}

type signal struct {
	ID, Terminal uint64
	Name         string
}

type resolved struct {
	ID      uint64
	Failure *failure
	Found   found // if Failure is nil
}

// A found is a core.Exec, but for what the near side knows already.
type found struct {
	Cwd, Path, Sandbox, Terms string
	Argv                      []string
	Via                       core.Via
}

type started struct {
	ID      uint64
	Failure *failure
	Credit  int64 // for input, in bytes
}

// A written says how much of a call's data the command has taken by now. After a Failure nothing
// more of the call is written.
type written struct {
	Terminal, Call uint64
	Bytes          int64
	Failure        *failure
}

// A done answers a CloseInput, Resize, Signal or Close.
type done struct {
	ID      uint64
	Failure *failure
}

type output struct {
	Terminal uint64
	Stream   uint8
	Data     []byte
}

type outputEnd struct {
	Terminal uint64
	Failure  *failure
}

// An exited tells how a command has ended. Pending is how many bytes it had written, at the most,
// that were not sent before; if it is not 0, a passed or an outputEnd follows.
type exited struct {
	Terminal uint64
	Exit     exit
	Pending  int
}

// A passed says that all that a command had written when it ended was sent before.
type passed struct{ Terminal uint64 }

type credit struct {
	Terminal uint64
	Bytes    int64
}

// An end is the last of a session, and says why.
type end struct{ Text string }

type command core.Command

type exit core.Exit

func (m *resolve) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Number(c, &m.Within)
	m.Command.Wire(c)
}

func (m *start) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Number(c, &m.Within)
	wire.Number(c, &m.Resolved)
	wire.Number(c, &m.Credit)
}

func (m *cancel) Wire(c *wire.Codec) { wire.Number(c, &m.ID) }

func (m *write) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	wire.Number(c, &m.Call)
	c.Rest(&m.Data)
}

func (m *operation) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Number(c, &m.Terminal)
}

func (m *resize) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Number(c, &m.Terminal)
	wire.Number(c, &m.Rows)
	wire.Number(c, &m.Cols)
}

func (m *signal) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Number(c, &m.Terminal)
	wire.Text(c, &m.Name)
}

func (m *resolved) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Optional(c, &m.Failure)
	m.Found.Wire(c)
}

func (f *found) Wire(c *wire.Codec) {
	wire.Text(c, &f.Cwd)
	wire.Text(c, &f.Path)
	wire.Text(c, &f.Sandbox)
	wire.Text(c, &f.Terms)
	wire.List(c, &f.Argv, wire.Text)
	wire.Text(c, &f.Via)
}

func (m *started) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Optional(c, &m.Failure)
	wire.Number(c, &m.Credit)
}

func (m *written) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	wire.Number(c, &m.Call)
	wire.Number(c, &m.Bytes)
	wire.Optional(c, &m.Failure)
}

func (m *done) Wire(c *wire.Codec) {
	wire.Number(c, &m.ID)
	wire.Optional(c, &m.Failure)
}

func (m *output) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	wire.Number(c, &m.Stream)
	c.Rest(&m.Data)
}

func (m *outputEnd) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	wire.Optional(c, &m.Failure)
}

func (m *exited) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	m.Exit.Wire(c)
	wire.Number(c, &m.Pending)
}

func (m *passed) Wire(c *wire.Codec) { wire.Number(c, &m.Terminal) }

func (m *credit) Wire(c *wire.Codec) {
	wire.Number(c, &m.Terminal)
	wire.Number(c, &m.Bytes)
}

func (m *end) Wire(c *wire.Codec) { wire.Text(c, &m.Text) }

func (m *command) Wire(c *wire.Codec) {
	wire.Text(c, &m.Command)
	wire.List(c, &m.Args, wire.Text)
	wire.List(c, &m.Env, func(c *wire.Codec, e *core.EnvVariable) {
		wire.Text(c, &e.Name)
		wire.Text(c, &e.Value)
	})
	wire.Text(c, &m.Cwd)
	wire.List(c, &m.Roots, wire.Text)
	b := (*bounds)(m.Bounds)
	wire.Optional(c, &b)
	m.Bounds = (*core.Bounds)(b)
	wire.Text(c, &m.Session)
	wire.Text(c, &m.Traceparent)
	c.Flag(&m.Pty)
	c.Flag(&m.OneStream)
	c.Flag(&m.Interactive)
	wire.Number(c, &m.Rows)
	wire.Number(c, &m.Cols)
}

type bounds core.Bounds

func (b *bounds) Wire(c *wire.Codec) {
	wire.Text(c, &b.Sandbox)
	wire.List(c, &b.Net, wire.Text)
}

func (e *exit) Wire(c *wire.Codec) {
	wire.Number(c, &e.Status.ExitCode)
	wire.Text(c, &e.Status.Signal)
	c.Flag(&e.Status.Unknown)
	wire.Text(c, &e.Reason)
	wire.Number(c, &e.Usage.UserTime)
	wire.Number(c, &e.Usage.SystemTime)
	wire.Number(c, &e.Usage.MaxRSS)
	wire.Number(c, &e.Usage.Fuel)
}
