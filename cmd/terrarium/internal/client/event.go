package client

import (
	"github.com/terrarium-dev/terrarium/core"
)

// A View shows a person, or a program, what goes on. Show is called by several goroutines at once.
// It may take its time: what makes the events waits then. What an event has of the agent is
// hostile, and lent.
type View interface {
	Show(e Event)
}

// An Event is one of the types in this file.
type Event interface{ event() }

// Ready says that the agent has answered initialize and has a session.
type Ready struct {
	Agent   string // what it calls itself; may be empty
	Version string
	Session string
}

// Updated is a session/update.
type Updated struct {
	// as "agent_message_chunk" and "plan"; what version 2 calls otherwise has the name of version 1
	Kind string
	Raw  []byte // all of it, as JSON

	Text    string // of a chunk, and of "notice"
	Message string // of a chunk: the id of the message that it is of; may be empty
	Call    *Call  // of "tool_call" and "tool_call_update": as it is now
	Plan    []Step // of "plan"
}

// A Call is a tool call of the agent.
type Call struct {
	ID, Title, Kind, Status string
	Content                 []Content // that this update has brought; nil if it brought none
	Places                  []string  // paths, likewise
	New                     bool      // nothing was known of it before
	Changed                 bool      // its title or its status is another than before

	command *Command // that its rawInput has; nil if it has none yet
}

// isOver reports whether it has ended.
func (c *Call) isOver() bool {
	return c.Status == "completed" || c.Status == "failed" || c.Status == "cancelled"
}

// Content is a part of what a Call shows. One of its fields is set.
type Content struct {
	Text     string
	Diff     *Diff
	Terminal string // the id of a terminal
}

// A Step is an entry of a plan.
type Step struct{ Content, Status string }

// Started says that there is a terminal. With Told, it may say so again: Command and the size are
// as known now.
type Started struct {
	ID      string
	Command string // as a person reads it
	Cwd     string
	// Rows and Cols are its size, in cells; 0 if nobody has said. Interactive says that its driver
	// makes a carriage return and a line feed of each line feed, so it need not be done by who
	// shows it.
	Rows, Cols  int
	Interactive bool
	// Told says that the agent has only told us of it: it is run elsewhere.
	Told bool
}

// Output is what a terminal's command has written, as it is.
type Output struct {
	ID   string
	Data []byte
	Anew bool // it is all that it has written: what was before does not count
	Told bool
}

// Exited says that a terminal's command has ended.
type Exited struct {
	ID     string
	Status core.ExitStatus
	Reason core.Reason // why we have ended it, or ""
	Told   bool
}

// Refused says that a terminal's command did not start.
type Refused struct {
	ID      string
	Command string // as a person reads it
	Err     error
}

// File says that the agent has read or written a file by us, or could not.
type File struct {
	Path  string
	Write bool
	Bytes int // of text
	Err   error
}

// Permitted says what became of a question of the agent.
type Permitted struct {
	Title  string
	Option string // the name of the answer; empty if there is none
	Allow  bool
	By     string // "policy", "approve", "person", "none" or "cancelled"
	Why    string
}

// Warned is something that the person should know of.
type Warned struct{ Err error }

// Stopped says that the turn has ended.
type Stopped struct{ Reason string }

func (Ready) event()     {}
func (Updated) event()   {}
func (Started) event()   {}
func (Output) event()    {}
func (Exited) event()    {}
func (Refused) event()   {}
func (File) event()      {}
func (Permitted) event() {}
func (Warned) event()    {}
func (Stopped) event()   {}
