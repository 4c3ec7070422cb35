package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/mcp"
	"github.com/terrarium-dev/terrarium/core"
)

const mcpHelp = `usage: terrarium mcp (--stdio | --listen ADDR) [flags]

Gives agents that speak the Model Context Protocol tools for terminals: create,
output, wait, screen, write, keys, resize, kill, release. Most clients are told
of it so: {"mcpServers": {"terrarium": {"command": "terrarium",
"args": ["mcp", "--stdio", "--cwd", "/path/to/project"]}}}

  --stdio                 serve one client on standard input and output, whose
                          end, or a signal, ends every terminal
  --listen ADDR           serve HTTP at http://ADDR/mcp: 127.0.0.1:8080
  --token-file FILE       what clients must know; default: a new token, printed.
                          They send the header "Authorization: Bearer TOKEN"
  --allow-origin HOST     pages from there may connect too; repeatable
  --allow-remote          ADDR may be other than this machine's own
  --idle-release D        release a terminal that no call has named for so long,
                          and end its command; default: 10m
  --interactive           leave the input of all commands open for typing;
                          default: of those that the agent says
  --pty, --pipe, --cols, --rows, --cwd, --env, --timeout, --kill-grace,
  --output, --output-byte-limit, --trace, --host, --sandbox   as for "serve"
  --policy, --approve, --audit, --env-inherit   see "terrarium help permission"

Questions of the policy go to the client's user, if it can ask (elicitation).
`

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	commandFlags
	listenFlags
	stdio       bool
	idleRelease time.Duration
}

func newMCP() *cobra.Command {
	f := mcpFlags{idleRelease: mcp.DefaultIdleRelease}
	cmd := &cobra.Command{
		Use:                   "mcp (--stdio | --listen ADDR) [flags]",
		Short:                 "terminals for agents that speak MCP",
		Long:                  mcpHelp,
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
	f.addListen(cmd.Flags())
	cmd.Flags().BoolVar(&f.stdio, "stdio", false, "")
	cmd.Flags().Var((*duration)(&f.idleRelease), "idle-release", "")
	return cmd
}

// minIdleRelease is less than an agent takes between two calls.
const minIdleRelease = time.Second

// parse returns what every command gets.
func (f *mcpFlags) parse() (core.Command, error) {
	c, err := f.command()
	if err := cmp.Or(err, f.checkListen("mcp", f.stdio)); err != nil {
		return c, err
	}
	if f.idleRelease < minIdleRelease {
		return c, fmt.Errorf("--idle-release %v: too short: at least %v", f.idleRelease, minIdleRelease)
	}
	return c, f.forClients(&c)
}

// serve answers until the client is gone or a signal comes.
func (f *mcpFlags) serve(c core.Command) error {
	s, err := f.service(&c, f.stdio, ask.Config{MCP: mcp.Elicitation{}})
	if err != nil {
		return err
	}
	defer s.close()
	server := mcp.New(mcp.Config{
		Driver: s.driver, Command: c, IdleRelease: f.idleRelease, Version: readBuild().Version,
		Instructions: f.confine.instructions(c.Cwd),
	})
	defer server.Close()
	if f.addr != "" {
		err = f.listenMCP(s.ctx, server)
	} else {
		notice("serving terminals to an MCP client on standard input and output")
		err = server.ServeStdio(s.ctx, peerInput(), peerOutput())
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}
