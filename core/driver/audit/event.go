package audit

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A Kind says what an Event tells of.
type Kind string

// The events of a program, and of a terminal in their order.
const (
	// HostStart: a program begins to record. Pid is its own, and Cwd where commands run that say
	// nothing else.
	HostStart Kind = "host_start"
	// HostStop: the program records no more. Pid is its own.
	HostStop Kind = "host_stop"

	// Create: somebody asks for a command. It has what was asked, and what the host made of it.
	Create Kind = "create"
	// Ask: somebody is being asked about it.
	Ask Kind = "ask"
	// Allow: By has decided that it may run.
	Allow Kind = "allow"
	// Deny: By has decided that it may not.
	Deny Kind = "deny"
	// Start: it runs, as Pid.
	Start Kind = "start"
	// Fail: it does not run and never will, because of Reason.
	Fail Kind = "fail"
	// Limit: a limit, Reason, refuses it or ends it.
	Limit Kind = "limit"
	// Kill: Signal is sent to it and all that it has started.
	Kill Kind = "kill"
	// Repair: it has changed Path although it may not, as Change says, and Outcome became of it.
	Repair Kind = "repair"
	// Fetch: the host has fetched URL for it, or has not, because of Reason.
	Fetch Kind = "fetch"
	// Exit: it has ended.
	Exit Kind = "exit"
	// Release: nothing of it is left.
	Release Kind = "release"

	// Rotate is the first event of a file that goes on where another ends.
	Rotate Kind = "rotate"
	// Recover: the line before it was not written whole, or events are missing, as Reason says.
	Recover Kind = "recover"
)

// An Event is one line of the record. What does not apply is its zero value, and is left out.
type Event struct {
	Time time.Time // "ts", in UTC
	// Mono is the time since the program began to record ("mono_ns"): no change of the clock moves
	// it.
	Mono time.Duration
	// Seq, Prev and Hash are set when the event is written. Seq counts the lines of a record, the
	// first is 1. Prev is the Hash of the line before.
	Seq        uint64
	Prev, Hash string

	Event Kind
	// HostID names a run of a program, of which several may write to a record.
	HostID string
	// Session is as the Host knows it: over ACP "NAME@PEER", see acpconn.Config.
	Session  core.SessionID  // "session_id"
	Terminal core.TerminalID // "terminal_id"
	// Agent is who asks, if it has said so.
	Agent Agent

	// Argv is what would be executed, or what was asked as long as that is not known. Exec says how
	// one became the other.
	Argv []string
	Exec core.Via
	// Commands are the simple commands of a shell line, as far as somebody has found them.
	Commands [][]string
	Cwd      string
	// EnvNames are the variables that were sent with the command, without their values.
	EnvNames []string
	// RuleID, Decision and By say what was decided, and who or what has. See Judgement.
	RuleID, Decision, By string
	Sandbox              string
	// More is, of Create, what the command asks for by its core.Bounds, as it was asked; of Ask,
	// what of that others don't have; of Allow and Start, what of that was granted.
	More   []string
	Limits Limits

	Pid    int
	Cgroup string

	// Status is of Exit: "exit_code" or "signal", or neither if it is not known.
	Status *core.ExitStatus
	Signal string // of Kill
	// Reason is why, in words for people, or a word of core's.
	Reason    string
	Duration  time.Duration // of Exit and Release, since Start: "dur_ms"
	BytesOut  int64         // what the command has written by then
	Truncated bool          // more than the terminal keeps
	Usage     core.Usage    // "rusage"

	// Path, Change, Outcome and Kept are of Repair: see driver.Repair.
	Path, Change, Outcome, Kept string

	// Method and URL are of Fetch, and so is HTTPStatus, 0 if no response came. BytesSent and
	// BytesReceived are of bodies, Duration is the request's.
	Method, URL              string
	HTTPStatus               int
	BytesSent, BytesReceived int64

	// TraceID and SpanID are of the span that the command is, in hex, if somebody traces.
	TraceID, SpanID string
	// Traceparent is, of Create, the span of who asks. TraceID is its trace, unless OnEvent sets
	// another.
	Traceparent core.Traceparent

	torn torn // of Recover
}

// torn is what was not written whole: all between the last line that was, and a line break that
// Recover begins with.
type torn struct {
	Bytes  int64
	SHA256 string
}

// An Agent is a program that asks for commands.
type Agent struct {
	Name, Version string
}

// Limits are what a command may take. Zero is no limit, or none that is known.
type Limits struct {
	Timeout     time.Duration // "timeout_ms"
	OutputBytes int64         // "output_bytes": how much of its output is kept
}
