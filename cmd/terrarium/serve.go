package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const serveHelp = `usage: terrarium serve --stdio [flags]

Answers terminal/* of the Agent Client Protocol for a client that hands them
over: JSON-RPC, one message a line, on standard input and output. The end of
input, or a signal, ends every terminal. The flags are what commands get:

  --stdio                 serve on standard input and output
  --pty, --pipe           a terminal, or pipes; default: a terminal
  --cols N, --rows N      the terminal's size; default: 120x40
  --interactive           leave input open; default: commands read end of file
  --cwd DIR               working directory where a request has none; default:
                          ours
  --env NAME=VALUE        a variable under those of the request; repeatable
  --timeout D             kill commands after so long: 90s, 5m
  --kill-grace D          from SIGTERM to SIGKILL; default 5s
  --output text|raw       text: no escapes, no rewritten lines; raw: the bytes;
                          default: text for a terminal, raw for pipes
  --output-byte-limit N   keep the newest N bytes where a request has no limit:
                          500, 64KiB, 2MiB; default 1MiB
  --lenient               also take env as an object of names and values
  --trace FILE            write down every step, for "cmd/dev replay"
  --host native           where commands run
`

// serveFlags are the flags of serve.
type serveFlags struct {
	commandFlags
	stdio   bool
	lenient bool
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:                   "serve --stdio [flags]",
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
	return cmd
}

// parse returns what every command gets.
func (f *serveFlags) parse() (core.Command, error) {
	c, err := f.command()
	switch {
	case err != nil:
		return c, err
	case !f.stdio:
		return c, errors.New("serve needs --stdio: it is the only way to serve in this version")
	}
	c.Pty = !f.pipe
	c.OutputByteLimit = 0 // the request's, or else the machine's default
	if c.Cwd == "" {
		c.Cwd, err = os.Getwd()
	}
	return c, err
}

// serve answers until standard input ends or a signal comes.
func (f *serveFlags) serve(c core.Command) error {
	if err := checkDir(c.Cwd); err != nil {
		return err
	}
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		return err
	}
	trace, err := createTrace(f.trace)
	if err != nil {
		return err
	}
	defer trace.close()
	machine := f.config(trace)
	machine.OutputByteLimit = int64(f.limit)
	if f.limit == 0 {
		machine.OutputByteLimit = -1 // 0 stands for the default
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	go func() { // left behind when we exit
		s := <-signals
		notice("ending every terminal: " + s.String())
		cancel(exitStatus(statusSignal + int(s.(syscall.Signal))))
	}()
	notice("serving terminal/* on standard input and output")
	err = acpconn.Serve(ctx, os.Stdin, os.Stdout, acpconn.Config{
		Driver: driver.Config{Host: host, Core: machine},
		ACP:    acp.Config{Command: c, Lenient: f.lenient, Version: readBuild().Version},
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// notice tells a person, if there is one, what we are about.
func notice(s string) {
	if isTerminal(os.Stderr) {
		fmt.Fprintln(os.Stderr, "terrarium: "+s)
	}
}
