package tool

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Env is everything a command may touch. The caller fills the first block; [Run] the second.
// One Env belongs to one running command and is not safe for concurrent use.
type Env struct {
	Context context.Context // ends the command early; nil never does
	Stdin   io.Reader       // seekable if it has Seek
	Stdout  io.Writer
	Stderr  io.Writer
	Dir     string   // the current directory, absolute; relative names resolve against it
	Environ []string // "NAME=value"; a later entry wins
	// Exec runs another command, found as a shell would find it. Nil where commands can't start
	// others. It is called with what Child returns.
	Exec func(env Env, args []string) int
	// Has reports whether there is a command of that name in the box. Nil if there is none.
	Has func(name string) bool

	Name string // how the command was called: it begins every message
	// standard output; flushed before reads of Stdin, before messages and at the end
	Out *bufio.Writer

	command Command
	stop    *stop
}

// Getenv returns the value of an environment variable, "" if there is none.
func (e *Env) Getenv(name string) string {
	v, _ := e.LookupEnv(name)
	return v
}

// LookupEnv returns the value of an environment variable and whether there is one.
func (e *Env) LookupEnv(name string) (string, bool) {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(e.Environ[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// Child returns an Env for another command, with the same streams, after it flushed Out. The
// streams are as they were given to Run: what the child does with them from goroutines of its own
// can't reach this command's buffers.
func (e *Env) Child() Env {
	e.Out.Flush()
	c := Env{Context: e.Context, Stdout: e.Stdout, Dir: e.Dir, Environ: e.Environ, Exec: e.Exec, Has: e.Has}
	if in, ok := e.Stdin.(*stdin); ok {
		c.Stdin = in.r
	}
	if d, ok := e.Stderr.(*diagnostics); ok {
		c.Stderr = d.w
	}
	return c
}

// Stopped reports whether the command should end: it was cancelled, or nobody reads its output any
// more. Loops that neither read nor write without end must ask.
func (e *Env) Stopped() bool { return e.stop.stopped() }

// Errorf writes "NAME: message" to standard error, after what was written to Out before it.
func (e *Env) Errorf(format string, a ...any) {
	e.Warn(e.Name + ": " + fmt.Sprintf(format, a...))
}

// Warn writes one line to standard error as it is. A command that was stopped dies silently, as by
// a signal.
func (e *Env) Warn(line string) {
	e.Out.Flush()
	if e.Stopped() {
		return
	}
	io.WriteString(e.Stderr, line+"\n")
}

// FileError writes "NAME: FILE: what the system says", with the file's name quoted where it needs
// to be.
func (e *Env) FileError(name string, err error) {
	e.Errorf("%s: %s", QuoteName(name), Strerror(err))
}

// TryHelp ends a message about bad usage, and returns the status for it.
func (e *Env) TryHelp() int {
	e.Warn("Try '" + e.Name + " --help' for more information.")
	return e.command.Trouble
}

// UsageError is Errorf and TryHelp.
func (e *Env) UsageError(format string, a ...any) int {
	e.Errorf(format, a...)
	return e.TryHelp()
}
