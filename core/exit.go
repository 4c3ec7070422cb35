package core

import (
	"strconv"
	"time"
)

// An ExitStatus is how a command ended: by itself with an exit code, or by a
// signal. It maps to ACP's {exitCode, signal}, one of which is null.
// The zero value is a successful exit.
type ExitStatus struct {
	// ExitCode is meaningful when Signal is empty.
	ExitCode uint32
	// Signal is the POSIX name, "SIGKILL", or "SIG34" where there is none.
	Signal string
	// Unknown says that the host lost track: neither field means anything.
	Unknown bool
}

// String returns "exit 0", "SIGKILL" or "unknown".
func (s ExitStatus) String() string {
	switch {
	case s.Unknown:
		return "unknown"
	case s.Signal != "":
		return s.Signal
	}
	return "exit " + strconv.FormatUint(uint64(s.ExitCode), 10)
}

// A Reason says why a command ended, where that was not its own doing.
type Reason string

const (
	// ReasonNone: the command ended by itself.
	ReasonNone Reason = ""
	// ReasonKilled: a client called Kill.
	ReasonKilled Reason = "killed"
	// ReasonReleased: the terminal was released, or its session closed.
	ReasonReleased Reason = "released"
	// ReasonTimeout: it ran for longer than Command.Timeout.
	ReasonTimeout Reason = "timeout"
	// ReasonLost: the host could not say how, or whether, it ended.
	ReasonLost Reason = "lost"

	// ReasonTrap: it did what WebAssembly forbids, such as dividing by zero.
	ReasonTrap Reason = "trap"

	// Limits that hosts enforce and report: it had more than it may of this.

	ReasonCPU       Reason = "cpu"        // time that processors computed for it
	ReasonIdle      Reason = "idle"       // time without input and output
	ReasonMemory    Reason = "memory"     // bytes in memory
	ReasonStack     Reason = "stack"      // calls inside each other, in the sandbox
	ReasonFuel      Reason = "fuel"       // what it executed, in the sandbox: see core/meter
	ReasonOutput    Reason = "output"     // bytes written to its streams
	ReasonOpenFiles Reason = "open_files" // files open at once
	ReasonDisk      Reason = "disk"       // bytes written to disks
	ReasonProcesses Reason = "processes"  // processes at once
)

// Usage is what a command used, as far as the host knows: zero is unknown.
type Usage struct {
	UserTime   time.Duration
	SystemTime time.Duration
	// MaxRSS is in bytes.
	MaxRSS int64
	// Fuel is in units of core/meter.
	Fuel uint64
}

// An Exit is the record of a command's end.
type Exit struct {
	Status ExitStatus
	Reason Reason
	Usage  Usage
}
