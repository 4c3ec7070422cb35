package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/core"
)

const runHelp = `usage: terrarium run [flags] [--] COMMAND [ARG...]

Runs one command with live output and exits with its status: 128+N for signal
N, 127 not found, 126 not executable, 124 timed out, 125 if we have failed.
COMMAND alone may be a whole shell line. What it leaves running is killed.

  --pty, --pipe           a terminal, or two pipes; default: a terminal if our
                          output is one and our input is no file and no pipe
  --cols N, --rows N      the terminal's size; default: ours, else 120x40
  --interactive=false     no input; default: ours, but no keys into a pipe. On a
                          terminal the command gets every key, also ^C and ^Z
  --cwd DIR               its working directory
  --env NAME[=VALUE]      a variable of its environment, ours without VALUE
  --timeout D, --kill-grace D  kill after so long: 90s; SIGTERM to SIGKILL: 5s
  --output text|raw|screen  text: no escapes, no rewritten lines; screen: what a
                          person would see in the end; default: raw, with --json
                          and a terminal text. On your terminal a sandbox only
                          draws, unless you say --output raw
  --json                  print no output, but a JSON object when it has ended
  --output-byte-limit N   with --json: keep the newest N bytes; default 1MiB
  --record FILE.cast      record the terminal, for play; --trace FILE: each step
  --on PLACE, --host, --sandbox, --limit   see "help on|sandbox|native|limits"
  --policy, --approve, --audit, --env-inherit   see "terrarium help permission"
`

// runFlags are the flags of run.
type runFlags struct {
	commandFlags
	json   bool
	record string
}

func newRun() *cobra.Command {
	var f runFlags
	f.inherit = true // a person has typed the command
	cmd := &cobra.Command{
		Use:                   "run [flags] [--] COMMAND [ARG...]",
		Short:                 "run one command: live output, its exit status",
		Long:                  runHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := f.parse(args)
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.run(command)
		},
	}
	f.add(cmd, true)
	f.addOn(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "")
	cmd.Flags().StringVar(&f.record, "record", "", "")
	cmd.Flags().SetInterspersed(false) // what follows the command is its own
	return cmd
}

// parse returns the command that the arguments ask for.
func (f *runFlags) parse(args []string) (core.Command, error) {
	c, err := f.command()
	switch {
	case err != nil:
		return c, err
	case len(args) == 0:
		return c, errors.New("no command")
	case f.set.Changed("output-byte-limit") && !f.json:
		return c, errors.New("--output-byte-limit needs --json: live output is not kept")
	}
	c.Command, c.Args = args[0], args[1:]
	if !f.set.Changed("interactive") && isTerminal(os.Stdin) && isPipe(os.Stdout) {
		c.Interactive = false
	}
	c.Pty = f.pty || !f.pipe && isTerminal(os.Stdout) && !hasData(os.Stdin)
	if cols, rows := size(); c.Pty {
		c.Cols, c.Rows = cmp.Or(c.Cols, cols), cmp.Or(c.Rows, rows)
	}
	c.OneStream = f.json || sameFile(os.Stdout, os.Stderr)
	if !f.json {
		// What it writes goes past the machine, but for its questions to a
		// terminal: a person's, if it has one that answers, else a screen.
		c.Screen = c.Rendering == core.RenderScreen || c.Pty && f.tames(os.Stdout)
		c.Rendering, c.OutputByteLimit = core.RenderRaw, -1
	}
	return c, nil
}

// hasData reports whether f is a file, a pipe or the like. What comes from
// there does not go through a pty unless asked: a pty would edit it on the
// way, since to a pty ^C, ^D and carriage return are keys.
func hasData(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// sameFile reports whether two of our streams are one, as after 2>&1. A command
// with a pipe for each would then have its lines come in another order than it
// wrote them in.
func sameFile(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// passesOn reports whether all that we would do with the command's output is to
// write it to a pipe. Then the pipe is the command's own: nothing is as fast. A
// file is not, so that what goes wrong there, such as a full disk, is told.
func (f *runFlags) passesOn(c core.Command) bool {
	rendering, _ := core.ParseRendering(f.output)
	changed := rendering == core.RenderText || rendering == core.RenderScreen
	return f.host == "native" && f.place == nil && !c.Pty && !f.json && !changed && !f.limits.streams() && f.trace == "" && f.record == "" && isPipe(os.Stdout)
}

// withMisplaced adds to why a command was not found that a flag of ours stands behind it, where it
// is an argument of the command.
func (f *runFlags) withMisplaced(err error, args []string) error {
	if startStatus(err) != statusNotFound {
		return err
	}
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && name != "help" && f.set.Lookup(name) != nil {
			return fmt.Errorf("%w: flags of run go before the command: --%s", err, name)
		}
	}
	return err
}

// run runs the command to its end. The error is how we exit.
func (f *runFlags) run(c core.Command) error {
	if f.host == "native" && f.place == nil && c.Interactive && !c.Pty && !isTerminal(os.Stdin) {
		f.stdin = os.Stdin // what the command leaves is for who comes after us
	}
	if f.passesOn(c) {
		f.stdout = os.Stdout
	}
	signals := make(chan os.Signal, 4)
	f.quietLoss = true
	if f.place != nil {
		notifyEnd(signals) // openPlace hears them, too, but not one that comes as it returns
	}
	host, err := f.open(&c, -1)
	if status, ok := errors.AsType[exitStatus](err); ok {
		if isKey(syscall.Signal(status - statusSignal)) {
			leaveLine()
		}
		return status // a signal came
	}
	if failed, ok := errors.AsType[*failure](err); ok {
		return failed
	}
	if err != nil {
		return &failure{statusOurs, err}
	}
	closeHost := sync.OnceFunc(func() { host.Close() })
	defer closeHost()
	opened := make(chan struct{})
	if f.place != nil { // what is opened here may be FIFOs that nobody reads
		go leaveUnlessOpened(signals, opened, closeHost, f.leavePlace) // left behind when we exit
	}
	trace, err := createTrace(f.trace)
	if err != nil {
		return &failure{statusOurs, err}
	}
	closeTrace := sync.OnceFunc(trace.close)
	defer closeTrace()
	judge, err := f.judge(true, ask.Config{}, append(c.Roots, c.Cwd)...)
	if err != nil {
		return &failure{statusOurs, err}
	}
	trail, err := f.audit.open()
	if err != nil {
		return &failure{statusOurs, err}
	}
	defer trail.close()
	recording, err := createRecording(f.record, c)
	if err != nil {
		return &failure{statusOurs, err}
	}
	closeRecording := sync.OnceFunc(recording.close)
	defer closeRecording()
	r := newRunner(host, f, &c, trace, judge, trail, recording)
	defer r.console.restore()
	r.hurry = func() {
		if f.place != nil { // to close one here comes after its commands' end
			closeHost()
		}
	}
	r.last = func() {
		r.console.restore()
		f.leavePlace()
		// Either may be a FIFO that nobody reads.
		briefly(lastMoment, closeRecording)
		briefly(lastMoment, closeTrace)
		briefly(lastMoment, f.links.flush)
	}
	close(opened)
	if err := r.start(c, signals); err != nil {
		r.console.restore() // to close may take seconds
		r.driver.Close()
		r.leaveLine()
		if status, ok := errors.AsType[exitStatus](err); ok {
			return status // a signal came
		}
		failed := startFailure(f.withMisplaced(err, c.Args))
		closeHost() // until then a loss may not have been told
		if f.links.isLost() && failed.status == statusOurs {
			return exitStatus(statusOurs)
		}
		return failed
	}
	if r.resizes != nil && c.Pty && isTerminal(os.Stdout) {
		f.links.redrawBy(r.redraw)
	}
	f.links.cutBy(r.console.takeBack)
	r.wait()
	r.console.restore()
	f.links.drawn()
	r.flushLinks()
	record := r.record(f.host)
	record.On = f.on
	r.driver.Close() // ends what it has left running
	record.Repairs = r.repairs
	r.tellLate()
	r.leaveLine()
	if f.json {
		if err := record.print(os.Stdout); err != nil {
			return &failure{statusOurs, err}
		}
	}
	f.tellUnmounted(c, r.exit)
	return r.status(c.Timeout)
}
