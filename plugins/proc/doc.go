// Package proc starts processes inside the sandbox, for commands written in
// Go: os/exec for terrarium_proc_v0 (hostwasm/ABI.md). It works where
// GOOS=wasip1 runs in Terrarium; everywhere else its functions return
// errors.ErrUnsupported.
//
//	r, w, err := proc.Pipe()
//	ls := &proc.Cmd{Name: "ls", Args: []string{"ls", "-l"}, Stdout: w}
//	if err := ls.Start(); err != nil { … }
//	w.Close() // so that r ends when ls does
//	out, err := io.ReadAll(r)
//	status, err := ls.Wait()
//
// While a goroutine waits for a process or a pipe the others go on.
package proc

import (
	"os"
	"time"
)

// A Cmd is a command to start. Nothing is inherited but what it lists.
type Cmd struct {
	// Name is a command's name, or, with a slash in it, a path of a module.
	Name string
	// Args are the arguments; Args[0] is the name it is told.
	Args []string
	// Env are its variables, each NAME=value.
	Env []string
	// Dir is its current directory, absolute. If empty, it is this process's
	// own at its start.
	Dir string
	// Stdin, Stdout and Stderr are its standard descriptors. A nil one is at
	// its end when read, and swallows what is written. They stay open here.
	Stdin, Stdout, Stderr *os.File
	// ExtraFiles become its descriptors 3, 4 and so on.
	ExtraFiles []*os.File
	// Limits narrow what it may use.
	Limits Limits
	// PID is its number, one that Reserve has returned. 0 is the next one.
	PID int

	process
}

// Limits are what a process may use. A zero field is what this one has left.
type Limits struct {
	Fuel   uint64 // in units of the host, about one per instruction
	Memory uint64 // in bytes
	Wall   time.Duration
	Output uint64 // in bytes, of what leaves the sandbox
}

// A Kind says how a process has ended.
type Kind uint32

const (
	Exited   Kind = 0 // Code is its exit code
	Trapped  Kind = 1 // it did what WebAssembly forbids
	Killed   Kind = 2 // Code is the signal's number
	Exceeded Kind = 3 // Code is the limit, as ABI.md numbers them
)

// A Status is how a process has ended.
type Status struct {
	Kind Kind
	Code uint32
	Fuel uint64 // what it used
}

// ExitStatus is what a shell makes of it in $?: the code, or 128 and the
// signal's number. A trap is SIGABRT, and a limit SIGKILL.
func (s Status) ExitStatus() int {
	const abort, kill = 6, 9
	switch s.Kind {
	case Exited:
		return int(s.Code & 0xff)
	case Killed:
		return 128 + int(s.Code)
	case Trapped:
		return 128 + abort
	}
	return 128 + kill
}

// Supported reports whether processes can be started here.
func Supported() bool { return supported() }

// Pipe returns the connected ends of a pipe that holds 64 KiB. Writing to one
// that nobody can read is EPIPE.
func Pipe() (r, w *os.File, err error) { return newPipe() }

// Interrupts returns a file that becomes readable when somebody types ^C at the
// terminal of this process, which must be the first one there; so long as it is
// open ^C does not end the process. It has one byte for all that was typed since
// the last was read. Reading it is the answer: a process that is interrupted
// again without having answered for a second is ended.
func Interrupts() (*os.File, error) { return interrupts() }

// A Terminal is what a terminal is set to. Terminals are files: standard input,
// and os.Open("/dev/tty") where somebody types.
type Terminal struct {
	Rows, Cols int // 0 if unknown
	Modes      TerminalModes
}

// TerminalModes are named as in termios.
type TerminalModes uint32

const (
	// Canonical is ICANON: what is typed is edited, and read by lines.
	Canonical TerminalModes = 1 << iota
	// Echo is ECHO: what is typed is shown.
	Echo
	// Signals is ISIG: ^C interrupts, ^\ quits.
	Signals
	// Returns is ICRNL: a carriage return that is typed is a line feed.
	Returns
	// Newlines is OPOST with ONLCR: a line feed that is printed begins a line.
	Newlines
)

// TerminalOf returns how the terminal that f is one of is set. The error wraps
// ENOTTY where f is none.
func TerminalOf(f *os.File) (Terminal, error) { return terminalOf(f) }

// SetModes sets the modes of f's terminal, for all who use it.
func SetModes(f *os.File, m TerminalModes) error { return setTerminal(f, setModes, Terminal{Modes: m}) }

// SetSize says that f's terminal has another size.
func SetSize(f *os.File, rows, cols int) error {
	return setTerminal(f, setSize, Terminal{Rows: rows, Cols: cols})
}

// What set_terminal sets.
const (
	setSize  = 1
	setModes = 2
)

// Resizes returns a file that becomes readable when the size of f's terminal has
// changed. It has one byte for all changes since the last was read.
func Resizes(f *os.File) (*os.File, error) { return resizes(f) }

// Waiting returns a file for the descriptor of f, which is waited for by the
// goroutine that reads it, and not by the process, as with os.Stdin. f is not to
// be used any longer.
func Waiting(f *os.File) (*os.File, error) { return waiting(f) }

// A Process is one that List tells of.
type Process struct {
	PID    int
	Parent int // 0 for the first
	State  State
	Start  time.Time // to the millisecond
	Fuel   uint64    // used so far
	Memory uint64    // in bytes
	// Args are its arguments. The last are missing, or cut, where they are
	// longer than the host tells. Of a process that has ended there is its name.
	Args []string
}

// A State is what a process does.
type State uint32

const (
	StateRunning State = 0
	StateWaiting State = 1
	StateEnded   State = 2 // its parent has not asked how
)

// Self returns this process's own number, 1 for the first of a terminal. It is
// errors.ErrUnsupported where processes have none.
func Self() (pid int, err error) { return self() }

// List returns the processes of this terminal, in the order of their numbers.
func List() ([]Process, error) { return list() }

// Reserve takes the next number for a process. It is for a Cmd, or for
// something of this process's own, which then has no other process's number.
func Reserve() (pid int, err error) { return reserve() }

// Signal sends a signal, by its number on Linux, to a process of this terminal:
// one that would end a process ends it, 0 only asks, and the others do nothing.
// The error wraps ESRCH where there is no such process.
func Signal(pid, signal int) error { return sendSignal(pid, signal) }

// Start starts the command. Its errors wrap a syscall.Errno of those that
// ABI.md lists: ENOENT where there is no such command. Whoever lets go of a Cmd
// lets Go collect its handle, and so kills what runs.
func (c *Cmd) Start() error { return c.process.start(c) }

// Wait waits until the command has ended, and returns how, as often as it is
// called.
func (c *Cmd) Wait() (Status, error) { return c.process.wait() }

// Kill ends the command at once, and all that it has started. One that has
// ended is no error.
func (c *Cmd) Kill() error { return c.process.kill() }
