package driver

import (
	"context"

	"github.com/terrarium-dev/terrarium/core"
)

// A Host runs commands. hostnative.Host and hostwasm.Host are two;
// coretest.TestHost is the suite that every Host passes.
// Its methods are safe for concurrent use. They return soon after ctx has ended,
// also where a file system does not answer: Driver.Close waits for them.
type Host interface {
	// Resolve finds out what c means here: which file would be executed, with
	// which argument vector, and whether c.Command is a shell line. It starts
	// nothing. The error of a missing executable or directory names it.
	Resolve(ctx context.Context, c core.Command) (core.Exec, error)

	// Start starts the process of an Exec that Resolve returned. It returns as
	// soon as the process runs, or with the reason why it does not.
	// ctx bounds the start only: the process outlives it.
	Start(ctx context.Context, e core.Exec) (Process, error)
}

// A Process is a running command and the tree of processes below it.
// Its methods are safe for concurrent use, and after Close they return an
// error at once.
type Process interface {
	// Output calls sink with what the command writes, until the end of output,
	// which is when no process holds the other end any longer. It is called
	// once. stream is 1 for standard output, 2 for standard error; on a pty
	// all is 1. p is lent: sink copies what it keeps. The error is nil at the
	// end of output and after Close. No call of sink runs when Output returns.
	Output(sink func(stream uint8, p []byte)) error

	// Write writes to standard input and returns when all of p was taken, the
	// input is closed, or Close was called.
	Write(p []byte) (int, error)
	// CloseInput closes standard input; on a pty it types end-of-file, so that
	// who reads lines sees the end also after text without a newline.
	CloseInput() error
	// Resize tells a pty its new size in cells; without a pty it does nothing.
	Resize(rows, cols int) error
	// Signal sends the signal of that POSIX name, "SIGTERM", to the whole
	// tree, also when the first process of it has ended. A tree that is gone
	// is not an error; a name that the host does not know is
	// errors.ErrUnsupported.
	Signal(name string) error

	// Wait returns when the command itself has ended, independently of Output:
	// what it started may live on and hold the output open.
	Wait() (core.Exit, error)

	// Close kills what is left of the tree, ends Output and Wait, and frees
	// everything. It is idempotent.
	Close() error
}

// A Pender is a Process that can tell how many bytes were written that Output's
// sink has not been given, or is just being given: at the most, and 0 if there
// are none. What it says at the exit is waited for. Without it the exit is told
// after 250 ms, also where this program was too busy to read, or the sink slow.
// OutputPending does not block.
type Pender interface {
	OutputPending() int
}

// A Repairer is a Process whose Wait and Close may put files back that a command has
// changed although it may not. Repairs returns what was, since it was last called. It
// does not block.
type Repairer interface {
	Repairs() []Repair
}

// A Repair is a file that a command has changed although it may not.
type Repair struct {
	Path    string // absolute, with whatever bytes its names have; "" if it is not one file
	Change  string // "created", "changed", "removed", "mode", "link"; "" if Path is ""
	Outcome Outcome
	Kept    string // the file that has the command's version, or ""
	Why     string // what about it matters, or why it was not put back or kept; may be ""
}

// An Outcome says what has become of a file.
type Outcome string

const (
	PutBack   Outcome = "put_back"   // it is as it was
	TakenAway Outcome = "taken_away" // it was not there before
	Left      Outcome = "left"       // it is as the command has left it, as it should be
	Failed    Outcome = "failed"     // it is so, and should not be
)

// A Placer is a Process that can tell where the operating system has it: the id of
// the process, or of the one that it runs in, and its cgroup, "" if it has none of
// its own. Place does not block, and says what was so at the start.
type Placer interface {
	Place() (pid int, cgroup string)
}
