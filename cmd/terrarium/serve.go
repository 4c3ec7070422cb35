package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

const serveHelp = `usage: terrarium serve (--stdio | --listen ADDR) [flags]

Answers terminal/* of the Agent Client Protocol for a client that hands them
over: JSON-RPC, one message a line, or a WebSocket message. The end of a
connection, or a signal, ends the terminals it holds.

  --stdio                 serve on standard input and output
  --listen ADDR           serve WebSockets at ws://ADDR/acp: 127.0.0.1:8080
  --token-file FILE       what peers must know; default: a new token, printed.
                          They send the header "Authorization: Bearer TOKEN"; a
                          page: new WebSocket(url, ["acp", "bearer.TOKEN"])
  --allow-origin HOST     pages from there may connect too; repeatable
  --allow-remote          ADDR may be other than this machine's own
  --pty, --pipe, --cols N, --rows N  a terminal and its size, or pipes; 120x40
  --interactive           leave input open; default: commands read end of file
  --cwd DIR               where commands run that do not say; default: here
  --env NAME[=VALUE]      a variable under those of the request; or pass ours on
  --timeout D, --kill-grace D  kill after so long: 90s; SIGTERM to SIGKILL: 5s
  --output text|raw|screen  default: text for a terminal, raw for pipes
  --output-byte-limit N   keep so much where a request does not say; 1MiB
  --lenient               also take env as an object of names and values
  --trace FILE            with --stdio: write down every step, for a replay
  --host wasm, --sandbox LEVEL  see "terrarium help sandbox" and "help native"
  --policy, --approve, --audit, --env-inherit   see "terrarium help permission"
`

// serveFlags are the flags of serve.
type serveFlags struct {
	commandFlags
	listenFlags
	stdio   bool
	lenient bool
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:                   "serve (--stdio | --listen ADDR) [flags]",
		Short:                 "answer terminal/* of the Agent Client Protocol",
		Long:                  serveHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			command, err := f.parse()
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.serve(command)
		},
	}
	f.add(cmd, false)
	cmd.Flags().BoolVar(&f.stdio, "stdio", false, "")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "")
	cmd.Flags().StringVar(&f.addr, "listen", "", "")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "")
	cmd.Flags().StringArrayVar(&f.origins, "allow-origin", nil, "")
	cmd.Flags().BoolVar(&f.allowRemote, "allow-remote", false, "")
	return cmd
}

// parse returns what every command gets.
func (f *serveFlags) parse() (core.Command, error) {
	c, err := f.command()
	switch {
	case err != nil:
		return c, err
	case f.stdio == (f.addr != ""):
		return c, errors.New("serve needs --stdio or --listen, one of them")
	case f.stdio && (f.tokenFile != "" || f.allowRemote || f.origins != nil):
		return c, errors.New("--token-file, --allow-remote and --allow-origin need --listen")
	case f.addr != "" && f.trace != "":
		return c, errors.New("--trace needs --stdio: it is one peer's")
	}
	c.Pty = !f.pipe
	c.Screen = c.Pty && c.Interactive // so that programs get answers
	c.OutputByteLimit = 0             // the request's, or else the machine's default
	if c.Cwd == "" {
		c.Cwd, err = os.Getwd()
	}
	if f.host == "wasm" && len(f.mounts) == 0 {
		c.Roots = []string{c.Cwd} // what a session hands over that was not opened
	}
	return c, err
}

// serve answers until its peer is gone or a signal comes.
func (f *serveFlags) serve(c core.Command) error {
	if err := checkDir(c.Cwd); err != nil {
		return err
	}
	host, err := f.open(&c, 0)
	if err != nil {
		return err
	}
	defer host.Close()
	trace, err := createTrace(f.trace)
	if err != nil {
		return err
	}
	defer trace.close()
	trail, err := f.audit.open()
	if err != nil {
		return err
	}
	defer trail.close()
	machine := f.config(trace)
	machine.OutputByteLimit = int64(f.limit)
	if f.limit == 0 {
		machine.OutputByteLimit = -1 // 0 stands for the default
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	startDefault()
	go func() { // left behind when we exit
		s := <-signals
		notice("ending every terminal: " + s.String())
		cancel(exitStatus(statusSignal + int(s.(syscall.Signal))))
	}()
	preparing := make(chan struct{})
	go func() { // ends with ctx
		prepare(ctx, host)
		close(preparing)
	}()
	defer func() {
		cancel(nil)
		<-preparing
	}()
	ways := ask.Config{ACP: ask.ACP{}}
	if !f.stdio || !isTerminal(os.Stdin) { // else what is typed there is the peer's
		ways.Person = askPerson()
	}
	judge, err := f.judge(false, ways, append(c.Roots, c.Cwd)...)
	if err != nil {
		return err
	}
	defer judge.close()
	config := acpconn.Config{
		Driver: driver.Config{Host: host, Core: machine, Decide: judge.decider()},
		ACP:    acp.Config{Command: c, Lenient: f.lenient, Version: readBuild().Version},
	}
	config.Driver = trail.wrap(config.Driver)
	if f.addr != "" {
		err = f.listen(ctx, config)
	} else {
		notice("serving terminal/* on standard input and output")
		err = acpconn.Serve(ctx, peerInput(), peerOutput(), config)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// notice tells a person, if there is one, what we are about.
func notice(s string) {
	if isTerminal(os.Stderr) {
		fmt.Fprintln(os.Stderr, "terrarium: "+printable.Text(s))
	}
}
