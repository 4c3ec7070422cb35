//go:build reactor

package core

import "time"

// tracer is no tracer: in the reactor every kilobyte is downloaded, and who
// embeds it can write down its calls as well.
type tracer struct{}

func newTracer(Config) *tracer { return nil }

func (*tracer) input(time.Time, string, TerminalID)          {}
func (*tracer) create(time.Time, SessionID, *Command)        {}
func (*tracer) resolved(time.Time, TerminalID, *Exec, error) {}
func (*tracer) decision(time.Time, TerminalID, Decision)     {}
func (*tracer) start(time.Time, TerminalID, error)           {}
func (*tracer) output(time.Time, TerminalID, uint8, []byte)  {}
func (*tracer) exit(time.Time, TerminalID, Exit)             {}
func (*tracer) write(time.Time, TerminalID, []byte)          {}
func (*tracer) written(time.Time, TerminalID, int)           {}
func (*tracer) resize(time.Time, TerminalID, int, int)       {}
func (*tracer) closeSession(time.Time, SessionID)            {}
func (*tracer) timeout(time.Time)                            {}
func (*tracer) failed(error)                                 {}
func (*tracer) effect(*Effect)                               {}
