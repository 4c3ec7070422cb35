package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
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
  --lenient               also take env as an object; --trace FILE: each step
  --on PLACE, --host, --sandbox, --limit   see "help on|sandbox|native|limits"
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
	f.addOn(cmd)
	cmd.Flags().BoolVar(&f.stdio, "stdio", false, "")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "")
	f.addListen(cmd.Flags())
	return cmd
}

// parse returns what every command gets.
func (f *serveFlags) parse() (core.Command, error) {
	c, err := f.command()
	if err := cmp.Or(err, f.checkListen("serve", f.stdio)); err != nil {
		return c, err
	}
	if f.addr != "" && f.trace != "" {
		return c, errors.New("--trace needs --stdio: it is one peer's")
	}
	if err := f.forClients(&c); err != nil {
		return c, err
	}
	c.Screen = c.Pty && c.Interactive // so that programs get answers
	return c, nil
}

// serve answers until its peer is gone or a signal comes.
func (f *serveFlags) serve(c core.Command) error {
	s, err := f.service(&c, f.stdio, ask.Config{ACP: ask.ACP{}})
	if err != nil {
		return err
	}
	defer s.close()
	config := acpconn.Config{
		Driver: s.driver,
		ACP:    acp.Config{Command: c, Lenient: f.lenient, Bounds: f.host == "native" || f.host == "wasm", Version: readBuild().Version},
		Feed:   acpconn.NewFeed,
	}
	if f.addr != "" {
		err = f.listen(s.ctx, config, &f.links)
	} else {
		notice("serving terminal/* on standard input and output")
		peer := acpconn.New(config)
		leave := f.links.join(peer)
		err = peer.Serve(s.ctx, peerInput(), peerOutput())
		leave()
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

// notice tells a person, if there is one, what we are about.
func notice(s string) {
	if isTerminal(os.Stderr) {
		say(s)
	}
}

// say tells whoever reads our standard error what we have done.
func say(s string) { fmt.Fprintln(os.Stderr, "terrarium: "+printable.Text(s)) }
