package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A runner runs one command between our own standard streams.
type runner struct {
	driver  *driver.Driver
	console *console
	output  *output
	cast    recording
	live    bool           // output goes to our streams as it comes
	gave    bool           // our input is the command's own
	tells   bool           // the host has said in the output which limit the command was killed for
	away    bool           // the host is elsewhere: the links have told if it was lost
	wall    time.Duration  // of --limit, or 0
	signals chan os.Signal // to us, since start
	resizes chan os.Signal // nil if the size is not ours to follow
	hurry   func()         // has what was given up end sooner; it may take long
	last    func()         // kills what then still runs and ends our files; no long wait
	links   *links         // of the host, if that is elsewhere
	place   string         // its name, fit to be shown
	warned  int            // in which time without a connection a signal has come; 0: in none

	term        *driver.Terminal
	exit        core.Exit
	interrupted syscall.Signal // the first that we got, or 0

	repairMu sync.Mutex // guards repairs
	repairs  []recordRepair
	early    int // of repairs, those that the output has told
}

func newRunner(h driver.Host, f *runFlags, command *core.Command, t *traceFile, j *judge, trail *trail, to recording) *runner {
	rendering, _ := core.ParseRendering(f.output)
	person := new(console)
	stdout := io.Writer(os.Stdout)
	if isTerminal(os.Stdout) && (rendering == core.RenderText || rendering == core.RenderScreen) {
		stdout = consoleText{person, stdout}
	}
	r := &runner{
		console: person,
		output:  newOutput(stdout, os.Stderr, rendering, command),
		cast:    to,
		live:    !f.json,
		gave:    f.stdin != nil,
		tells:   f.host == "native",
		away:    f.place != nil,
		wall:    time.Duration(f.limits.wall),
		links:   &f.links,
	}
	if f.place != nil {
		r.place = printable.Text(f.place.String())
	}
	for i, stream := range []*os.File{os.Stdout, os.Stderr} {
		if f.tames(stream) {
			r.output.tame(i, f.hasConsole(command))
		}
	}
	if r.live && command.Pty && !f.tames(os.Stdout) && (rendering == core.RenderDefault || rendering == core.RenderRaw) && isTerminal(os.Stdout) {
		r.output.restoreIfKilled()
	}
	if f.cols == 0 && f.rows == 0 {
		r.resizes = make(chan os.Signal, 1)
	}
	c := driver.Config{Host: h, Core: f.config(t), Decide: j.decider()}
	if to.file != nil {
		c.OnOutput = to.output
	}
	if r.live {
		c.OnOutput = func(id core.TerminalID, stream uint8, p []byte) {
			defer r.console.guard()
			r.console.handOver() // before a person can know that it runs
			to.output(id, stream, p)
			r.output.write(id, stream, p)
		}
		go r.output.run(r.console) // ends with finish, or is left behind
	}
	c.OnRepaired = r.repaired
	r.driver = driver.New(trail.wrap(c))
	return r
}

// start starts the command and connects our input to it. A signal to us gives up what has not
// started yet; then the error is an exitStatus.
func (r *runner) start(c core.Command, signals chan os.Signal) error {
	r.signals = signals
	notifyEnd(r.signals)
	person := isPerson(os.Stdin)
	if c.Pty && c.Interactive && person && r.live && isTerminal(os.Stdout) {
		// Before the command writes, since output to a raw terminal is raw too.
		if err := r.console.makeRaw(); err != nil {
			return fmt.Errorf("make our terminal raw: %w", err)
		}
	}
	if err := r.create(c); err != nil {
		return err
	}
	r.console.handOver()
	if c.Pty && r.resizes != nil && isTerminal(os.Stdout) {
		notifyResize(r.resizes)
		r.resize() // it may have changed since we looked
	}
	switch in := (&input{r.term, r.console}); {
	case !c.Interactive, r.gave:
	case person || !isTerminal(os.Stdin):
		go in.copy(os.Stdin) // left behind when we exit: nothing ends a Read
	default:
		r.term.CloseInput()
	}
	return nil
}

// create starts the command. Elsewhere that may take minutes: a container, or a module that is
// compiled.
func (r *runner) create(c core.Command) error {
	ctx, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	created := make(chan error, 1)
	go func() { // ends before create does
		defer r.console.guard()
		var err error
		r.term, err = r.driver.Create(ctx, "", c)
		created <- err
	}()
	select {
	case err := <-created:
		return err
	case s := <-r.signals:
		r.interrupted = s.(syscall.Signal)
	}
	giveUp()
	started := make(chan struct{})
	go hurryAtNext(r.signals, started, r.interrupted, r.hurry, r.last) // left behind when we exit
	if err := <-created; err != nil {
		return exitStatus(statusSignal + int(r.interrupted))
	}
	close(started) // just then: from now on wait hears signals
	r.term.Kill()
	return nil
}

func (r *runner) resize() {
	if cols, rows := size(); cols > 0 {
		r.output.resize(rows, cols)
		r.cast.Resize(cols, rows)
		r.term.Resize(rows, cols) // an error means that it has ended
	}
}

// redraw has a program that draws on the whole screen do that anew, as most do for another size.
func (r *runner) redraw() {
	if cols, rows := size(); cols > 1 {
		r.term.Resize(rows, cols-1)
		r.term.Resize(rows, cols)
	}
}

// wait returns when the command has ended and its output was passed on. A
// signal to us ends the command, and a second one at once; so does an output
// that is closed. After a signal or a timeout, a reader who does not read holds
// us up no longer.
func (r *runner) wait() {
	exited, finished := make(chan core.Exit, 1), make(chan struct{})
	go func() { // ends when finish does, or is left behind
		// The driver forgets no terminal that was not released: no error.
		exit, _ := r.term.Wait(context.Background())
		exited <- exit
		if r.live {
			r.output.killed.Store(exit.Reason != core.ReasonNone || exit.Status.Signal != "")
			r.output.finish()
		}
		close(finished)
	}()
	broken := r.output.broken
	var enough <-chan time.Time
	for {
		select {
		case r.exit = <-exited:
			exited = nil
		case <-finished:
			if exited != nil {
				r.exit = <-exited
			}
			return
		case s := <-r.signals:
			r.signalled(s.(syscall.Signal))
		case <-broken:
			broken = nil
			r.term.Kill()
		case <-r.resizes:
			r.resize()
		case <-enough:
			r.output.giveUp()
			enough = nil
		}
		hurry := r.interrupted != 0 || r.exit.Reason == core.ReasonTimeout
		if exited == nil && hurry && enough == nil {
			enough = time.After(drainLimit)
		}
	}
}

// flushLinks waits until a person was told what there is to tell of the connection: after a signal,
// which may come meanwhile, only briefly.
func (r *runner) flushLinks() {
	told := make(chan struct{})
	go func() { // ends when somebody reads, or is left behind
		r.links.flush()
		close(told)
	}()
	if r.interrupted == 0 {
		select {
		case <-told:
			return
		case s := <-r.signals:
			r.interrupted = s.(syscall.Signal)
		}
	}
	briefly(lastMoment, func() { <-told })
}

// signalled has a signal to us end the command, and a second one at once. While there is no
// connection, neither gets there, and that may last for minutes: so a second one then leaves the
// command where it is. There a key that sends a signal is the command's, as it would be with a
// connection, until it comes again.
func (r *runner) signalled(s syscall.Signal) {
	cut := r.links.cutNow()
	switch {
	case cut > 0 && (cut == r.warned || s == syscall.SIGHUP): // the terminal has gone
		r.links.warn(r.place + ": left: what runs there ends by itself, minutes later")
		hurryOut(cmp.Or(r.interrupted, s), r.hurry, r.last)
	case cut > 0:
		r.warned = cut
		waits := "the command is to end"
		if isKey(s) && r.console.isRaw() {
			r.term.Write([]byte{keyOf(s)})
			waits = "what is typed is kept"
		} else if r.interrupted == 0 {
			r.interrupted = s
			r.term.Kill()
		}
		r.links.warn(r.place + ": no connection: " + waits + ": once more, and run leaves it behind")
	case r.interrupted == 0:
		r.interrupted = s
		r.term.Kill()
	default:
		r.term.KillNow()
	}
}

// keyOf returns what a terminal sends for the key of a signal.
func keyOf(s syscall.Signal) byte {
	if s == syscall.SIGQUIT {
		return 0x1c // ^\
	}
	return 0x03 // ^C
}

// leaveLine is for a ^C that was for us, or for the command.
func (r *runner) leaveLine() {
	if isKey(r.interrupted) || r.exit.Status.Signal == "SIGINT" {
		leaveLine()
	}
}

// beyond is what we say of commands that a limit ended.
var beyond = map[core.Reason]string{
	core.ReasonFuel:      "out of fuel: it executed all that --fuel lets it",
	core.ReasonMemory:    "out of memory: it wanted more than --memory lets it have",
	core.ReasonOutput:    "too much output: terrarium doctor shows the limit",
	core.ReasonProcesses: "too many processes: terrarium doctor shows the limit",
}

// status returns how we exit after a command that ended as r.exit says.
func (r *runner) status(timeout time.Duration) error {
	status := r.exit.Status
	switch {
	case r.interrupted != 0:
		return exitStatus(statusSignal + int(r.interrupted))
	case r.output.result() != nil:
		return &failure{statusOurs, r.output.result()}
	case r.exit.Reason == core.ReasonTimeout && r.wall > 0 && (timeout == 0 || r.wall < timeout):
		if r.tells {
			return exitStatus(statusTimeout)
		}
		return &failure{statusTimeout, fmt.Errorf("timed out after %v", r.wall)}
	case r.exit.Reason == core.ReasonTimeout && timeout == 0:
		return &failure{statusTimeout, errors.New("timed out: it ran for as long as the sandbox lets it")}
	case r.exit.Reason == core.ReasonTimeout:
		return &failure{statusTimeout, fmt.Errorf("timed out after %v", timeout)}
	// The host has told of these.
	case r.exit.Reason == core.ReasonMemory && status.Signal == "SIGABRT", r.tells && status.Signal != "":
		return exitStatus(statusSignal + signalNumber(status.Signal))
	case beyond[r.exit.Reason] != "" && status.Signal != "":
		return &failure{statusSignal + signalNumber(status.Signal), errors.New(beyond[r.exit.Reason])}
	case status.Unknown && r.away:
		return exitStatus(statusOurs)
	case status.Unknown:
		return &failure{statusOurs, errors.New("lost track of the command")}
	case status.Signal != "":
		return exitStatus(statusSignal + signalNumber(status.Signal))
	case status.ExitCode != 0:
		return exitStatus(status.ExitCode)
	}
	return nil
}
