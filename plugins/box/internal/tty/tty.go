// Package tty is what the box knows of terminals: which files are some, their size, and their
// modes. In the sandbox the host tells, by package proc.
package tty

import (
	"os"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// Of returns the terminal that v, a reader or writer of a command, is; nil if it is none.
func Of(v any) *os.File {
	f, ok := v.(*os.File)
	if !ok || f == nil {
		return nil
	}
	if _, err := Get(f); err != nil {
		return nil
	}
	return f
}

// Get returns how a terminal is set. The error says that f is none.
func Get(f *os.File) (proc.Terminal, error) { return get(f) }

// SetModes sets the modes of f's terminal.
func SetModes(f *os.File, m proc.TerminalModes) error { return setModes(f, m) }

// SetSize says what size f's terminal has.
func SetSize(f *os.File, rows, cols int) error { return setSize(f, rows, cols) }

// Watch calls changed after each change of the size of f's terminal, until stop.
func Watch(f *os.File, changed func()) (stop func(), err error) { return watch(f, changed) }

// Open opens the terminal of the process to read keys, nil if it has none.
func Open() *os.File {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return f
}

// Change sets modes of f's terminal: those in clear are off and those in set are on. restore sets
// those that it had before.
func Change(f *os.File, clear, set proc.TerminalModes) (restore func(), err error) {
	before, err := Get(f)
	if err != nil {
		return nil, err
	}
	if err := SetModes(f, before.Modes&^clear|set); err != nil {
		return nil, err
	}
	return func() { SetModes(f, before.Modes) }, nil
}
