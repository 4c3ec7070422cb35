package core

// An EffectKind says what an Effect is about and which of its fields are set.
// ID and Session are set in all of them.
type EffectKind uint8

const (
	_ EffectKind = iota

	// Work for the host.

	// Resolve asks what Command means on this host: answer HandleResolved.
	Resolve
	// Ask asks policy, or a person, whether Exec may run: answer HandleDecision.
	Ask
	// Start asks for a process running Exec: answer HandleStart, and after a
	// success HandleOutput, HandleOutputEnd and HandleExit.
	Start
	// WriteInput hands Data to the process's standard input: answer
	// HandleWritten as it is taken.
	WriteInput
	// CloseInput closes standard input after all Data before it.
	CloseInput
	// Resize tells the process's terminal its new Rows and Cols. A screen of ours has
	// them by then, but for that of a split terminal: OutputHalf.HandleResize comes
	// first there.
	Resize
	// Signal sends the signal named Signal to the whole process tree.
	Signal
	// Close ends whatever is left of the process tree and frees it: answer
	// HandleClosed. It comes once for every terminal whose Start succeeded,
	// as the last of its work.
	Close

	// News for clients.

	// Started: the process of Exec runs.
	Started
	// StartFailed: there is no process and never will be, because of Err.
	// ID is no longer valid.
	StartFailed
	// OutputChanged: there is output since the last such effect. Data is that
	// output with invalid UTF-8 repaired, if Config.LiveBytes asks for it, and
	// Lost counts the bytes before it that did not fit.
	OutputChanged
	// Exited: the process ended as Exit says, and all output it had written
	// by then has been handled.
	Exited
	// Evicted: the kept output of a released terminal has gone to make room.
	Evicted
)

var effectNames = [...]string{
	Resolve: "resolve", Ask: "ask", Start: "start", WriteInput: "write_input", CloseInput: "close_input",
	Resize: "resize", Signal: "signal", Close: "close", Started: "started", StartFailed: "start_failed",
	OutputChanged: "output_changed", Exited: "exited", Evicted: "evicted",
}

// String returns the kind's name in scripts and traces, such as "write_input".
func (k EffectKind) String() string { return effectNames[k] }

// News reports whether k is news for clients rather than work for the host.
func (k EffectKind) News() bool { return k >= Started }

// An Effect is one thing the machine wants done or known.
type Effect struct {
	Kind    EffectKind
	ID      TerminalID
	Session SessionID

	Command *Command // Resolve; not to be changed
	// Ask, Start, Started, StartFailed: as far as it was resolved; not to be changed
	Exec *Exec
	// OutputChanged: valid until the next call to NextEffect; WriteInput: yours to keep
	Data       []byte
	Lost       uint64 // OutputChanged
	Rows, Cols int    // Resize
	Signal     string // Signal: "SIGTERM"
	Reason     Reason // Signal: why; empty if it was given up while it started
	Exit       Exit   // Exited
	Err        error  // StartFailed
}
