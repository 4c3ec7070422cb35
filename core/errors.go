package core

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// Errors that callers decide on.
var (
	// ErrUnknownTerminal: the id was never issued, or its terminal is forgotten.
	ErrUnknownTerminal = errors.New("core: unknown terminal")
	// ErrReleased: the terminal was released; only its output is left.
	ErrReleased = errors.New("core: terminal was released")
	// ErrNotRunning: the command has not started yet, or has ended.
	ErrNotRunning = errors.New("core: command is not running")
	// ErrInputClosed: the command is not interactive, or CloseInput was called.
	ErrInputClosed = errors.New("core: standard input is closed")
	// ErrInputFull: more than Config.MaxInput bytes are waiting to be taken.
	ErrInputFull = errors.New("core: input is full: the command does not read it")
	// ErrKilled: the terminal was killed before its command had started.
	ErrKilled = errors.New("core: killed before the command started")
)

// An InvalidError says which parameter of a Command is wrong and why.
type InvalidError struct {
	// Param is the parameter's ACP name: "cwd".
	Param string
	// Reason is a stable word for programs: "not_absolute".
	Reason string
	// Value is the offending value, where showing it helps.
	Value string
}

func (e *InvalidError) Error() string {
	s := "core: invalid " + e.Param + ": " + e.Reason
	if e.Value != "" {
		s += ": " + strconv.Quote(clip(e.Value, 200))
	}
	return s
}

// A LimitError says that a limit of Config refuses a new terminal.
type LimitError struct {
	// Limit is a stable word: "terminals", "session_terminals", "output_bytes".
	Limit string
	Max   int64
}

func (e *LimitError) Error() string {
	return "core: too many " + e.Limit + ": the limit is " + strconv.FormatInt(e.Max, 10)
}

// A DeniedError says that policy or a person refused to run a command.
type DeniedError struct {
	Reason string
}

func (e *DeniedError) Error() string {
	if e.Reason == "" {
		return "core: denied"
	}
	return "core: denied: " + e.Reason
}

// A noScreenError refuses a screen where Config.Screens, or the build, has none.
// It is errors.ErrUnsupported.
type noScreenError struct{}

func (noScreenError) Error() string { return "core: no screen: set Config.Screens" }

func (noScreenError) Unwrap() error { return errors.ErrUnsupported }

// clip shortens s to at most n bytes, since what clients send may be huge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// A HostError is a host's refusal to run a command.
type HostError struct {
	// Reason is a stable word for programs, such as "not_found",
	// "permission_denied", "not_directory", "not_executable", "too_long",
	// "no_resources", "timeout" or "start_failed".
	Reason string
	// Message is for people and agents: "nosuch: not found in PATH".
	Message string
	// Err, if set, is what Message tells of, for errors.Is and errors.As. A
	// host on the far side of a wire can't hand it over.
	Err error
}

func (e *HostError) Error() string { return e.Message }
