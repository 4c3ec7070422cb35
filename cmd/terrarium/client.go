package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client/live"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const clientHelp = `usage: terrarium client --prompt TEXT [flags] [--] AGENT [ARG...]

Starts AGENT, which speaks the Agent Client Protocol, gives it TEXT, and serves
what it asks for, until its turn has ended: commands, in a sandbox and under
your rules, and files below --cwd. What it says goes to standard output, what it
does to standard error. ^C cancels the turn, and a second one ends all.

  --prompt TEXT           what the agent is asked
  --approve ask|all|none  what the agent asks you, and what rules leave open
  --json                  print each event as a line of JSON, and nothing else
  --auth ID               log in this way first; without it, an agent that needs
                          a login is asked how, and that is printed
  --initialize-timeout D  how long AGENT may take to answer at all; default: 1m
  --acp-version 1|2       highest ACP version to ask for; default: 2, a draft,
                          in which agents run all commands themselves
  --cwd DIR               the session's directory; default: here
  --sandbox, --pty, --pipe, --cols, --rows, --interactive, --env, --timeout,
  --kill-grace, --output, --output-byte-limit, --lenient, --trace, --host, --on
      as for "proxy"; --policy, --audit, --env-inherit: see "help permission"

Exits 0 when the agent has ended its turn, 3 if it refused, 4 and 5 if it ran
out of tokens or of requests, 130 if cancelled, 124 if it never answered.
An agent that runs commands by itself is not held: only what it asks for is.
`

// clientFlags are the flags of client.
type clientFlags struct {
	commandFlags
	prompt  string
	auth    string
	version uint16 // of ACP, the highest
	json    bool
	lenient bool
	limit   time.Duration // of initialize
}

func newClient() *cobra.Command {
	var f clientFlags
	cmd := &cobra.Command{
		Use:                   "client --prompt TEXT [flags] [--] AGENT [ARG...]",
		Short:                 "give an agent a prompt, and serve what it asks for",
		Long:                  clientHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.parse(args)
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			dir, err := f.here(c)
			if err != nil {
				return err
			}
			return f.run(c, core.Command{Command: args[0], Args: args[1:], Cwd: dir})
		},
	}
	f.add(cmd, false)
	f.addOn(cmd)
	cmd.Flags().StringVar(&f.prompt, "prompt", "", "")
	cmd.Flags().StringVar(&f.auth, "auth", "", "")
	cmd.Flags().Uint16Var(&f.version, "acp-version", acp.DraftVersion, "")
	cmd.Flags().BoolVar(&f.json, "json", false, "")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "")
	f.limit = time.Minute
	cmd.Flags().Var((*duration)(&f.limit), "initialize-timeout", "")
	cmd.Flags().SetInterspersed(false) // what follows the agent is its own
	return cmd
}

// parse returns what every command of the agent's gets.
func (f *clientFlags) parse(args []string) (core.Command, error) {
	switch {
	case strings.TrimSpace(f.prompt) == "":
		return core.Command{}, errors.New("no prompt: use --prompt TEXT")
	case len(args) == 0:
		return core.Command{}, errors.New("no agent")
	case f.version != acp.ProtocolVersion && f.version != acp.DraftVersion:
		return core.Command{}, fmt.Errorf("--acp-version %d: no such thing: want 1 or 2", f.version)
	case f.limit <= 0:
		return core.Command{}, fmt.Errorf("--initialize-timeout %v: want more than nothing", f.limit)
	}
	return f.forAgent()
}

// run has the agent take its turn. The error is how we exit.
func (f *clientFlags) run(c, agent core.Command) error {
	if err := findAgent(agent); err != nil {
		return err
	}
	native, err := hostnative.New(hostnative.Config{}) // the agent is the person's own
	if err != nil {
		return err
	}
	defer native.Close()
	person := &person{terminal: askPerson()}
	f.links.sayBy(person.hear)
	interrupt := make(chan struct{}, 1)
	ctx, cancel, press := untilInterrupted(func() {
		person.tell("cancelling the turn: ^C again ends the agent")
		interrupt <- struct{}{}
	})
	turn, over := context.WithCancel(ctx)
	defer over()
	draws := !f.json && isDrawn()
	if cols, rows := size(); draws && c.Pty && f.rows == 0 && f.cols == 0 && cols > 0 {
		c.Rows, c.Cols = live.TerminalSize(rows, cols)
	}
	s, err := f.serviceUntil(ctx, func() { cancel(nil) }, &c, ask.Config{Person: turnWay{person, turn}})
	if err != nil {
		return err
	}
	defer s.close()
	own := s.driver.Host // of what the agent runs by itself
	if f.place != nil {
		own = native
	}
	config := client.Config{
		Agent:       agent,
		AgentDriver: s.trail.wrapAgent(driver.Config{Host: native, Core: core.Config{KillGrace: f.config(nil).KillGrace}}),
		Terminals: acpconn.Config{
			Driver: s.driver,
			ACP:    acp.Config{Command: c, Lenient: f.lenient, Bounds: f.host == "native" || f.host == "wasm", Version: readBuild().Version},
		},
		Workspace: agent.Cwd, CommandDir: c.Cwd, Prompt: f.prompt, Auth: f.auth, Version: readBuild().Version, MaxVersion: f.version,
		Permission: f.permission(s, agent.Cwd, own, person), Interrupt: interrupt, OnCancel: over, InitializeLimit: f.limit,
	}
	stdout, stderr := &leaver{ctx: ctx, w: os.Stdout}, &leaver{ctx: ctx, w: os.Stderr}
	if f.confine.confines() && f.place == nil { // else commands write these, too
		config.Protected = func(path string) bool { return hostnative.IsProtected(c.Cwd, path) }
	}
	switch {
	case f.json:
		config.View = client.NewJSON(newEncoder(stdout).Encode, cancel)
	case draws:
		view := live.New(live.Config{In: os.Stdin, Out: os.Stdout, Color: os.Getenv("NO_COLOR") == "", Interrupt: press, Failed: cancel})
		person.view.Store(view)
		config.View = view
	default:
		config.View = client.NewPlain(stdout, stderr, cancel)
	}
	stop, err := client.Run(ctx, config)
	person.leave()
	// In its place main would wait for a reader.
	return exitStatus(report(stderr, clientError(stderr, stop, err)))
}

// isDrawn reports whether a person sees what we draw, and can answer.
func isDrawn() bool {
	term := os.Getenv("TERM")
	return term != "" && term != "dumb" && isPerson(os.Stdin) && isTerminal(os.Stdout) && isTerminal(os.Stderr)
}

// permission returns who answers the agent's own questions: the rules, then the person.
// dir and host are those of what the agent runs by itself.
func (f *clientFlags) permission(s *service, dir string, host driver.Host, person *person) client.Permission {
	p := client.Permission{
		Judge: func(ctx context.Context, asked *client.Command) (allow, decided bool, why string) {
			own := core.Command{Command: asked.Line, Cwd: cmp.Or(asked.Cwd, dir), Roots: []string{dir}}
			if len(asked.Words) > 0 {
				own.Command, own.Args = asked.Words[0], asked.Words[1:]
			}
			return s.judge.rule(ctx, host, own)
		},
		Ask: person.choose,
	}
	if f.approve != approvals[0] {
		all := f.approve == "all"
		p.Always = &all
	}
	return p
}

// A turnWay is a Way that nobody needs any more when the turn is cancelled.
type turnWay struct {
	ask.Way
	turn context.Context
}

// Ask implements ask.Way.
func (w turnWay) Ask(ctx context.Context, q *ask.Question) (ask.Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.turn, func() { cancel(errTurn) })()
	a, err := w.Way.Ask(ctx, q)
	if err != nil && context.Cause(ctx) == errTurn {
		return a, errTurn
	}
	return a, err
}

var errTurn = errors.New("the turn was cancelled before anybody answered")

// untilInterrupted returns a context that ends with the second ^C, or with another signal that asks
// us to end. The first ^C calls first. press is for one that comes as a key.
func untilInterrupted(first func()) (_ context.Context, end context.CancelCauseFunc, press func()) {
	ctx, end := context.WithCancelCause(context.Background())
	var presses atomic.Int32
	press = func() {
		if presses.Add(1) == 1 {
			first()
			return
		}
		end(exitStatus(statusSignal + int(syscall.SIGINT)))
	}
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	startDefault()
	go func() { // left behind when we exit
		for s := range signals {
			if s == syscall.SIGINT {
				press()
				continue
			}
			end(exitStatus(statusSignal + int(s.(syscall.Signal))))
		}
	}()
	return ctx, end, press
}

// Exit statuses by stop reason. They are part of the help.
var statusOfStop = map[string]int{
	client.Refusal: 3, client.MaxTokens: 4, client.MaxTurnRequests: 5, client.Cancelled: statusSignal + int(syscall.SIGINT),
}

// clientError returns how we exit after a turn. The last words of an agent that has failed go to w.
func clientError(w io.Writer, stop string, err error) error {
	if failed, ok := errors.AsType[*client.AgentError](err); ok {
		for line := range strings.Lines(failed.Stderr) {
			fmt.Fprintln(w, "agent: "+client.Clean(strings.TrimRight(line, "\r\n")))
		}
		if failed.Late {
			return &failure{statusTimeout, err}
		}
		return err
	}
	switch {
	case errors.Is(err, client.ErrInterrupted):
		return exitStatus(statusSignal + int(syscall.SIGINT))
	case err != nil:
		return agentError(err)
	case stop == client.EndTurn:
		return nil
	case stop == client.Cancelled:
		return exitStatus(statusOfStop[stop])
	}
	status, ok := statusOfStop[stop]
	if !ok {
		status = statusFailed
	}
	return &failure{status, fmt.Errorf("the agent has ended its turn early: %s", stop)}
}
