package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/core"
)

// commandFlags are the flags that run, serve and harness share: where commands
// run, and what is kept of them.
type commandFlags struct {
	set *pflag.FlagSet

	hostFlags
	placeFlags
	envFlags
	permissionFlags
	audit auditFlags

	pty, pipe   bool
	interactive bool
	cols, rows  int
	cwd         string
	limit       byteSize
	output      string
	timeout     time.Duration
	killGrace   time.Duration
	trace       string
}

var renderings = []string{"text", "raw", "screen"}

const (
	defaultKillGrace = 5 * time.Second
	defaultLimit     = byteSize(1 << 20)
	defaultRows      = 40 // as core has them
	defaultCols      = 120
	maxLimit         = byteSize(1 << 30)
)

// add declares the flags, whose descriptions are in the help of cmd.
func (f *commandFlags) add(cmd *cobra.Command, interactive bool) {
	f.addShell(cmd)
	f.set.BoolVar(&f.pty, "pty", false, "")
	f.set.BoolVar(&f.pipe, "pipe", false, "")
	f.set.BoolVar(&f.interactive, "interactive", interactive, "")
	f.set.StringVar(&f.output, "output", "", "")
	cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(renderings, cobra.ShellCompDirectiveNoFileComp))
}

// addShell declares those that make sense for a shell at a terminal, too.
func (f *commandFlags) addShell(cmd *cobra.Command) {
	f.addPlace(cmd)
	f.set.IntVar(&f.cols, "cols", 0, "")
	f.set.IntVar(&f.rows, "rows", 0, "")
	f.set.StringVar(&f.cwd, "cwd", "", "")
	f.set.Var(&f.limit, "output-byte-limit", "")
	f.set.Var((*duration)(&f.timeout), "timeout", "")
	f.set.StringVar(&f.trace, "trace", "", "")

	cmd.MarkFlagDirname("cwd")
}

// addHost declares those of the host that runs commands, and of what they find there.
func (f *commandFlags) addHost(cmd *cobra.Command) {
	f.set = cmd.Flags()
	f.hostFlags.add(cmd)
	f.set.Var((*repeated)(&f.env), "env", "")
	f.set.BoolVar(&f.inherit, "env-inherit", f.inherit, "")
}

// addPlace declares those that say where commands run, and who lets them.
func (f *commandFlags) addPlace(cmd *cobra.Command) {
	f.addHost(cmd)
	f.limit = defaultLimit
	f.permissionFlags.add(cmd)
	f.killGrace = defaultKillGrace
	f.set.Var((*duration)(&f.killGrace), "kill-grace", "")
	f.audit.add(f.set)
}

// command returns what every command gets, or what is wrong with the flags.
func (f *commandFlags) command() (core.Command, error) {
	if err := f.check(); err != nil {
		return core.Command{}, err
	}
	c := core.Command{
		Interactive: f.interactive, Rows: f.rows, Cols: f.cols, Timeout: f.timeout,
		OutputByteLimit: int64(f.limit),
	}
	c.Rendering, _ = core.ParseRendering(f.output)
	// Ours counts where a request has none.
	c.Traceparent = core.ParseTraceparent(os.Getenv("TRACEPARENT"))
	if f.limit == 0 {
		c.OutputByteLimit = -1
	}
	var err error
	if c.Env, err = f.variables(); err != nil {
		return core.Command{}, err
	}
	if c.Cwd, err = f.dir(); err != nil {
		return core.Command{}, err
	}
	return c, nil
}

// dir returns the directory that --cwd names, or "".
func (f *commandFlags) dir() (string, error) {
	switch {
	case f.place != nil && f.host == "native" && f.cwd == "":
		return os.Getwd() // over there, too, if there is one
	case f.cwd == "", f.place != nil, f.host == "wasm" && path.IsAbs(f.cwd):
		// A directory over there, or of the sandbox.
		return f.cwd, nil
	}
	// In the sandbox, too: a mount has its own path there unless it says otherwise.
	return filepath.Abs(f.cwd)
}

// checkHost says what is wrong with the flags of addHost.
func (f *commandFlags) checkHost() error {
	return cmp.Or(f.hostFlags.check(f.set), f.envFlags.check(f.host, f.set.Changed("env-inherit")))
}

func (f *commandFlags) check() error {
	if err := f.placeFlags.parse(f.set); err != nil {
		return err
	}
	if f.hostFlags.elsewhere = f.place != nil; f.elsewhere {
		if err := f.checkThere("--on"); err != nil {
			return err
		}
	}
	if err := f.checkHost(); err != nil {
		return err
	}
	if err := f.audit.check(f.set); err != nil {
		return err
	}
	if f.confine.confines() && f.place == nil {
		if err := f.audit.outside(append([]string{f.cwd}, f.confine.write...)); err != nil {
			return err
		}
	}
	if err := f.permissionFlags.check(f.set); err != nil {
		return err
	}
	switch {
	case f.pty && f.pipe:
		return errors.New("--pty and --pipe exclude each other")
	case !f.isSize("cols", f.cols):
		return fmt.Errorf("--cols %d: out of range: 1 to %d", f.cols, core.MaxSize)
	case !f.isSize("rows", f.rows):
		return fmt.Errorf("--rows %d: out of range: 1 to %d", f.rows, core.MaxSize)
	case f.limit > maxLimit:
		limit := maxLimit
		return fmt.Errorf("--output-byte-limit %s: out of range: at most %s", &f.limit, &limit)
	case f.set.Changed("output") && !slices.Contains(renderings, f.output):
		return fmt.Errorf("--output %s: no such rendering: use text, raw or screen", f.output)
	case f.timeout < 0:
		return fmt.Errorf("--timeout %v: negative", f.timeout)
	case f.killGrace < 0:
		return fmt.Errorf("--kill-grace %v: negative", f.killGrace)
	}
	return nil
}

// isSize also accepts a flag that was not given.
func (f *commandFlags) isSize(name string, n int) bool {
	return !f.set.Changed(name) || 1 <= n && n <= core.MaxSize
}

// config returns the machine's limits, trace included. The owner of the
// command line may set any output limit.
func (f *commandFlags) config(t *traceFile) core.Config {
	c := core.Config{
		KillGrace: f.killGrace, MaxOutputByteLimit: max(8<<20, int64(f.limit)), Screens: true,
	}
	if f.killGrace == 0 {
		c.KillGrace = -1
	}
	if t != nil {
		c.Trace = t.line
	}
	return c
}

// checkDir says why no command could start in dir.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: not a directory", dir)
	}
	return nil
}
