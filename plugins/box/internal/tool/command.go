package tool

import (
	"bufio"
	"context"
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
)

// A Command is one name of the box.
type Command struct {
	Name  string
	Usage string // operands, as after "Usage: NAME "; "[OPTION]... [FILE]..." if empty
	Like  string // the program whose behaviour it has, such as "GNU coreutils 9.1"
	// Trouble is the exit status for bad usage and for output that cannot be written; 0 means 1.
	Trouble int
	// Optional says that it is of use with a plugin only: a host has it where the plugin's manifest
	// asks for it, and it runs as a process of its own.
	Optional bool
	// Run does the work and returns the exit status. args[0] is the name it was called by.
	Run func(env *Env, args []string) int
}

// Exit statuses that stand for a signal, as a shell reports them.
const (
	sigpipe  = 13
	exitPipe = 128 + sigpipe
	exitTerm = 128 + 15 // SIGTERM
)

// Run runs c with a copy of env, flushes its output and returns its exit status.
// Nothing of env is closed. Run returns only when c has returned.
func Run(c Command, env Env, args []string) int {
	if env.Context == nil {
		env.Context = context.Background()
	}
	if c.Trouble == 0 {
		c.Trouble = 1
	}
	env.command = c
	env.Name = args[0]
	s := &stop{ctx: env.Context}
	env.stop = s
	if env.Stderr != nil {
		env.Stderr = &diagnostics{w: env.Stderr, stop: s}
	}
	env.Out = bufio.NewWriterSize(&output{w: env.Stdout, stop: s}, 32<<10)
	env.Stdin = &stdin{r: env.Stdin, out: env.Out, stop: s}

	status := c.Run(&env, args)
	env.Out.Flush()
	err := s.writeError()
	switch {
	case brokenPipe(err) && process.Of(env.Context).Raise(sigpipe):
		return exitPipe
	case env.Context.Err() != nil:
		return exitTerm
	case err != nil:
		io.WriteString(env.Stderr, env.Name+": write error: "+Strerror(err)+"\n")
		return c.Trouble
	}
	return status
}
