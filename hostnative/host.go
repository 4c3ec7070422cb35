package hostnative

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

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

	// NoKeeper has this program start and wait for commands itself, on Linux. By
	// default a keeper does, if Helper says what that is.
	NoKeeper bool

	// Limits are what each command may use. By default it is as much as this program may.
	Limits Limits

	// Sandbox is what commands are confined to. By default they are not.
	Sandbox Sandbox

	// Logger, if set, is told why commands have no keeper, where one was to be. A
	// *slog.Logger is one.
	Logger driver.Logger

	// Helper is a program whose main begins with helper.Main (see package
	// hostnative/helper): an absolute path. On Linux it is started, with the first
	// command, as a keeper: a process that starts all commands, waits for them and
	// ends what they have started. It outlives this program to kill what is left. If
	// empty, it is this program, if its main begins so; if not, there is no keeper,
	// as Report says. A keeper has the environment of the commands.
	Helper string
}

// A Host runs commands natively. It is safe for concurrent use.
type Host struct {
	env      []string
	environs environs // with env's variables
	shell    string
	stdin    *os.File
	stdout   *os.File

	keeping  *keeping  // what it is depends on the system
	confiner *confiner // nil if commands are not confined
	sandbox  SandboxLevel
	limits   Limits // without Processes where lack is not nil
	lack     error  // why Processes can't be kept to

	// starting holds a value for each Start under way that does not hang. Each may
	// take a thread, and a keeper starts one at a time anyway.
	starting chan struct{}
}

// maxStarting is how many commands are started at once.
const maxStarting = 4

// hangLimit is how long a start may take before it counts as one that hangs, which
// others do not wait for.
const hangLimit = time.Second

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
	if c.Helper != "" && !filepath.IsAbs(c.Helper) { // commands have directories of their own
		return nil, fmt.Errorf("hostnative: helper %q: not an absolute path", c.Helper)
	}
	if err := c.Limits.check(); err != nil {
		return nil, fmt.Errorf("hostnative: %w", err)
	}
	k := newKeeping(c)
	err := k.limited()
	var lack error
	if err != nil && c.Limits.Processes > 0 && c.Limits.ProcessesIfPossible {
		lack, c.Limits.Processes = err, 0
		k = newKeeping(c)
		err = k.limited()
	}
	if err != nil {
		return nil, fmt.Errorf("hostnative: %w: %w: %w", ErrLimits, err, errors.ErrUnsupported)
	}
	h := &Host{
		env:      env,
		environs: newEnvirons(env),
		shell:    c.Shell,
		stdin:    c.Stdin,
		stdout:   c.Stdout,
		keeping:  k,
		limits:   c.Limits,
		lack:     lack,
		starting: make(chan struct{}, maxStarting),
	}
	if err := h.confine(c.Sandbox); err != nil {
		return nil, fmt.Errorf("hostnative: %w", err)
	}
	return h, nil
}

// confine has commands be confined.
func (h *Host) confine(s Sandbox) (err error) {
	if err := s.check(); err != nil || !s.on() {
		return err
	}
	if err := h.keeping.confines(); err != nil {
		return fmt.Errorf("no sandbox without a keeper: %w", err)
	}
	if h.confiner, err = newConfiner(s); err != nil {
		return err
	}
	// Else Exec would tell rules and people of more than there is, or than is known.
	if h.confiner.missing == nil && h.confiner.untested == nil {
		h.sandbox = s.Level
	}
	return nil
}

// LimitsLack says why there is no limit of processes although Config.Limits asks for one if that is
// possible, or nil.
func (h *Host) LimitsLack() error {
	if h.lack == nil {
		return nil
	}
	return fmt.Errorf("commands may start any number of processes: no limit: %w", h.lack)
}

// SandboxLacks says which of files and calls commands are not confined to although
// Config.Sandbox asks for it, or nil. Config.Sandbox.Required has New fail instead.
func (h *Host) SandboxLacks() error {
	if h.confiner == nil {
		return nil
	}
	return h.confiner.missing
}

// SandboxClosed says in which directories of Sandbox.Write commands can't make anything new, and
// what is hidden in each of them, or nil: what is there already can be written. On macOS there are
// none.
func (h *Host) SandboxClosed() error {
	if h.confiner == nil {
		return nil
	}
	return h.confiner.closed
}

// SandboxUntested says that nobody has tried what commands can do in this system's
// sandbox, where that is so and Config.Sandbox asks for one, or nil. On macOS it is so.
func (h *Host) SandboxUntested() error {
	if h.confiner == nil {
		return nil
	}
	return h.confiner.untested
}

// Close ends the Host's keeper, or if there are commands lets it end with the last
// of them; it waits for it, a second at the most. The Host's commands are not its
// business, and it can still be used.
//
// The keeper of a program that does not do so ends just after the program, as an
// orphan, and where a subreaper adopts it rather than init, that one has to reap it.
func (h *Host) Close() error {
	h.keeping.close()
	h.confiner.close()
	return nil
}
