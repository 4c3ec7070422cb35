package hostnative

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// A Config says how a Host runs commands. The zero value is usable.
type Config struct {
	// Env is the environment, as NAME=value, that every command's own Env is
	// added to. If nil, it is this program's when New is called.
	Env []string

	// Shell runs shell lines: a name or an absolute path of a shell that
	// takes -c. If empty, it is bash, or sh where there is no bash.
	Shell string

	// Stdin, if not nil, is what an interactive command on pipes reads, in place
	// of what Process.Write is given: for a program that runs one command where
	// it stands itself. What the command does not read is left to whoever reads
	// next. The Host does not close it.
	Stdin *os.File

	// Stdout, if not nil, is what a command on pipes writes to, in place of what
	// Process.Output reads: for a program that would only pass it on. What the
	// command leaves running has it, too, until Close. The Host does not close it.
	Stdout *os.File

	// NoCgroup keeps commands in this program's own cgroup, on Linux. By
	// default each gets one below it, where that is allowed.
	NoCgroup bool

	// NoSubreaper leaves orphans to init, on Linux: for a program that must
	// not be given children that it has not started. By default the first Host
	// makes this program a subreaper, for good (PR_SET_CHILD_SUBREAPER), and
	// reaps what comes of its commands.
	NoSubreaper bool

	// MaxProcesses is how many processes and threads each command may have at
	// once, with all that it starts: where fork(2) fails with EAGAIN. Zero is
	// no limit. It takes Linux, and the pids controller of version 2 cgroups in
	// the one that this program is in; New fails where there is none.
	MaxProcesses int

	// Helper is a program whose main begins with helper.Main (see package
	// hostnative/helper): an absolute path. On Linux it is started as a
	// watchdog, a process that outlives this one, and kills what this one's
	// commands have left. If empty, it is this program, if its main begins so;
	// if not, there is no watchdog, as Report says. The first Host that has
	// one is the one that starts it, with the environment of its commands.
	Helper string
}

// A Host runs commands natively. It is safe for concurrent use.
type Host struct {
	env      []string
	environs environs // with env's variables
	shell    string
	stdin    *os.File
	stdout   *os.File

	containment *containment // what it is depends on the system
	unwatch     sync.Once

	// starting holds a value for each Start under way. Each may take a
	// thread, and the system starts one process of ours at a time anyway.
	starting chan struct{}
}

// maxStarting is how many commands are started at once.
const maxStarting = 4

var _ driver.Host = (*Host)(nil)

// New returns a Host. On a system that can't have one, or not with these
// limits, the error is errors.ErrUnsupported.
func New(c Config) (*Host, error) {
	if err := supported(); err != nil {
		return nil, fmt.Errorf("hostnative: %s: %w", runtime.GOOS, err)
	}
	env := os.Environ()
	if c.Env != nil {
		env = slices.Clone(c.Env)
	}
	c.Env = env
	k := newContainment(c)
	if c.MaxProcesses > 0 {
		if err := k.limit(c.MaxProcesses); err != nil {
			return nil, fmt.Errorf("hostnative: limit of %d processes: %w: %w", c.MaxProcesses, errors.ErrUnsupported, err)
		}
	}
	return &Host{
		env:         env,
		environs:    newEnvirons(env),
		shell:       c.Shell,
		stdin:       c.Stdin,
		stdout:      c.Stdout,
		containment: k,
		starting:    make(chan struct{}, maxStarting),
	}, nil
}

// Close frees what the Host keeps ready for the next command: on Linux, up to
// four empty cgroups, which else are there until the next start of a host. The
// Host's commands are not its business, and it can still be used.
//
// The last Host of a program to be closed also ends the watchdog, if no command
// is left for it to watch, and waits for it. The watchdog of a program that
// does not do so ends just after the program, as an orphan, and where a
// subreaper adopts it rather than init, that one has to reap it.
func (h *Host) Close() error {
	h.containment.close()
	h.unwatch.Do(h.containment.unwatch)
	return nil
}
