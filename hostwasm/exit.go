package hostwasm

import (
	"errors"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A killError ends a guest that got a signal.
type killError struct{ signal string }

func (e *killError) Error() string { return "killed by " + e.signal }

// status returns how a guest ended whose Run returned err, as the record of a
// process. refused says that it was refused memory: then a trap is no wonder.
func status(err error, refused bool) (core.ExitStatus, core.Reason) {
	var (
		exit  *wasi.Exit
		kill  *killError
		limit *wasi.Limit
		trap  *engine.Trap
		raise *wasi.Raised
	)
	switch {
	case err == nil:
		return core.ExitStatus{}, core.ReasonNone
	case errors.As(err, &exit):
		// Like a process's, of which wait(2) tells the low eight bits.
		return core.ExitStatus{ExitCode: exit.Code & 0xff}, core.ReasonNone
	case errors.As(err, &kill):
		return core.ExitStatus{Signal: kill.signal}, core.ReasonNone
	case errors.As(err, &raise):
		return core.ExitStatus{Signal: raise.Signal}, core.ReasonNone
	case errors.As(err, &limit):
		return core.ExitStatus{Signal: "SIGKILL"}, limit.Reason
	case errors.Is(err, engine.ErrMemory):
		return core.ExitStatus{Signal: "SIGKILL"}, core.ReasonMemory
	case errors.Is(err, engine.ErrTooMany):
		return core.ExitStatus{Signal: "SIGKILL"}, core.ReasonProcesses
	case errors.As(err, &trap) && refused:
		return core.ExitStatus{Signal: signalOf(trap)}, core.ReasonMemory
	case errors.As(err, &trap) && trap.Reason == engine.StackExhausted:
		return core.ExitStatus{Signal: signalOf(trap)}, core.ReasonStack
	case errors.As(err, &trap):
		return core.ExitStatus{Signal: signalOf(trap)}, core.ReasonTrap
	}
	return core.ExitStatus{Signal: "SIGKILL"}, core.ReasonLost
}

// signalOf returns the signal that would have ended a process that did what
// the trap says.
func signalOf(t *engine.Trap) string {
	switch t.Reason {
	case "unreachable": // what abort and panic are compiled to
		return "SIGABRT"
	case "integer divide by zero", "integer overflow", "invalid conversion to integer":
		return "SIGFPE"
	case "out of bounds memory access", engine.StackExhausted:
		return "SIGSEGV"
	}
	return "SIGILL"
}
