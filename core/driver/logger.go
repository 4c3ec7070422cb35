package driver

import (
	"reflect"

	"github.com/terrarium-dev/terrarium/core"
)

// A Logger is told, in words for people, what becomes of terminals and of what runs them.
// A *slog.Logger is one. It is an interface so that a page, which has no use for log/slog, does
// not download it and the encoding/json that comes along.
//
// Messages may change. Levels and the keys of args do not:
//
//   - Debug is what one wants to know of one's own mistakes: "signal sent".
//   - Info is what goes as it should: "command started", "command ended", "module compiled".
//   - Warn is what somebody may want to mend: "command did not start", "command refused",
//     "process not freed".
//
// The keys are "session" and "terminal", their ids; "command", the path of the program that runs,
// without its arguments, which may hold secrets; "err"; and those that go with one message: "exit"
// and "reason", a core.Exit; "signal"; "path", "change" and "outcome", a Repair; "module", "bytes"
// and "duration", what was compiled; "call", a system call; "missing", what does not hold the
// sandbox. No value of an environment and nothing that a command has read or written is ever
// logged.
//
// A Logger is called on any goroutine. Some of the calls hold up what comes after them, such as the
// next module that is to be compiled, so it should not be slow, and it must neither close what
// calls it nor have that run a command and wait for it.
type Logger interface {
	Debug(msg string, args ...any)
	Info(msg string, args ...any)
	Warn(msg string, args ...any)
}

// LoggerOf returns l, or one that is silent if l is nil or a nil pointer, as of a *slog.Logger that
// nobody has set. It is for Hosts that have a Logger.
func LoggerOf(l Logger) Logger {
	if v := reflect.ValueOf(l); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return silent{}
	}
	return l
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}

// logEffect logs news, and what was done to commands. It is called where OnNews and OnWork are, so
// that lines come in the order in which things happen. path is that of the program, if it runs.
func (d *Driver) logEffect(e *core.Effect, path string) {
	about := []any{"session", string(e.Session), "terminal", string(e.ID)}
	switch e.Kind {
	case core.Started:
		d.log.Info("command started", append(about, "command", path)...)
	case core.StartFailed:
		if e.Exec != nil && e.Exec.Path != "" {
			about = append(about, "command", e.Exec.Path)
		}
		d.log.Warn("command did not start", append(about, "err", e.Err)...)
	case core.Exited:
		about = append(about, "command", path, "exit", e.Exit.Status.String())
		if e.Exit.Reason != core.ReasonNone {
			about = append(about, "reason", string(e.Exit.Reason))
		}
		d.log.Info("command ended", about...)
	case core.Signal:
		d.log.Debug("signal sent", append(about, "command", path, "signal", e.Signal)...)
	}
}

// warn logs an error about a terminal that nobody is told otherwise.
func (d *Driver) warn(msg string, t *terminal, err error) {
	if err != nil {
		d.log.Warn(msg, "session", string(t.session), "terminal", string(t.id), "err", err)
	}
}
