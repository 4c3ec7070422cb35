package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/proxy"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const proxyHelp = `usage: terrarium proxy [flags] [--] AGENT [ARG...]

Starts AGENT for an editor that speaks the Agent Client Protocol, and passes on
what both say. The commands that the agent asks the editor for are run here, in
a sandbox, under your rules. In the editor's settings, put it before the agent:
the command "terrarium", the arguments "proxy", "--", "AGENT", ....

  --terminals here|mcp|editor  who runs commands; default: here. "mcp": AGENT
                          has tools for that, too; with "editor" all is passed
                          on, and the flags below mean nothing
  --drop-shell, --sandbox-agent LEVEL   see "terrarium help agent"
  --sandbox LEVEL         off, workspace or strict; default: workspace, which
                          lets commands write the session's directories only,
                          and connect to nothing. See "terrarium help native"
  --pty, --pipe, --cols N, --rows N  a terminal and its size, or pipes; 120x40
  --interactive           leave input open; default: commands read end of file
  --cwd DIR               where AGENT starts; default: here
  --env NAME[=VALUE]      a variable of commands; AGENT has all of ours
  --timeout D, --kill-grace D  kill after so long: 90s; SIGTERM to SIGKILL: 5s
  --output, --output-byte-limit, --lenient, --trace, --host, --on as for "serve"
  --policy, --approve, --audit, --env-inherit   see "terrarium help permission"

What an agent runs by itself is not held: "help agent" has what can be done.
`

const agentHelp = `Agents that run commands by themselves: terrarium proxy

Many run commands with a tool of their own, and never ask the editor.

  --terminals mcp         each session that the editor opens has one MCP server
                          more, "terrarium", whose tools run commands here, in
                          the sandbox and under the rules that hold for others.
                          The agent starts it; it leads to this proxy by a
                          socket that only you can connect to
  --drop-shell            with it: the agent is told to do without its own tools
                          for commands. Known is how claude-agent-acp and
                          codex-acp are; with others no session is opened
  --sandbox-agent LEVEL   workspace or strict: holds the agent itself, and all
                          that it runs, as "help native" has it. It writes where
                          it starts (--cwd), what commands write by --write, and
                          its state, which is known of claude, codex, gemini and
                          qwen. Where the system can't, as on macOS, none starts
  --agent-write DIR       it writes this, too, and reads the secrets in there
  --agent-net HOST[:PORT] it connects to this only, and to --net; default: with
                          neither, to anything. Commands have --net alone

To be told is not to be held: --drop-shell holds no hostile agent. One that is
held can still send what it reads to whatever it connects to.
`

// proxyFlags are the flags of proxy.
type proxyFlags struct {
	commandFlags
	terminals string
	dropShell bool
	agent     agentFlags
	lenient   bool
}

// terminalPlaces are what --terminals knows, the default first.
var terminalPlaces = []string{"here", "mcp", "editor"}

func newProxy() *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:                   "proxy [flags] [--] AGENT [ARG...]",
		Short:                 "sit between an editor and an agent, and serve its terminals",
		Long:                  proxyHelp,
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
	cmd.Flags().StringVar(&f.terminals, "terminals", terminalPlaces[0], "")
	cmd.Flags().BoolVar(&f.dropShell, "drop-shell", false, "")
	f.agent.add(cmd)
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "")
	cmd.RegisterFlagCompletionFunc("terminals", cobra.FixedCompletions(terminalPlaces, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().SetInterspersed(false) // what follows the agent is its own
	return cmd
}

// parse returns what every command of the agent's gets.
func (f *proxyFlags) parse(args []string) (core.Command, error) {
	switch {
	case !slices.Contains(terminalPlaces, f.terminals):
		return core.Command{}, fmt.Errorf("--terminals %s: no such place: use %s", f.terminals, strings.Join(terminalPlaces, ", "))
	case f.dropShell && f.terminals != "mcp":
		return core.Command{}, errors.New("--drop-shell needs --terminals mcp: else the agent could run nothing")
	case f.trace != "" && f.terminals == "mcp":
		return core.Command{}, errors.New("--trace needs --terminals here: it is one peer's")
	case len(args) == 0:
		return core.Command{}, errors.New("no agent")
	}
	if err := f.agent.check(); err != nil {
		return core.Command{}, err
	}
	return f.forAgent()
}

// forAgent returns what every command of an agent gets that we have started ourselves: they are
// confined if nothing else was said.
func (f *commandFlags) forAgent() (core.Command, error) {
	if f.host == "native" && !f.set.Changed("sandbox") {
		f.confine.level = string(hostnative.SandboxWorkspace)
	}
	c, err := f.command()
	if err != nil {
		return c, err
	}
	if err := f.forClients(&c); err != nil {
		return c, err
	}
	c.Screen = c.Pty && c.Interactive // so that programs get answers
	return c, nil
}

// here returns where an agent starts whose commands c describes: it runs here, wherever they do.
func (f *commandFlags) here(c core.Command) (string, error) {
	if f.place != nil {
		return os.Getwd()
	}
	return c.Cwd, nil
}

// run passes on what the editor and the agent say, until one of them ends or a signal comes.
func (f *proxyFlags) run(c, agent core.Command) error {
	if err := findAgent(agent); err != nil {
		return err
	}
	config := proxy.Config{
		In: peerInput(), Out: os.Stdout, Stderr: os.Stderr, Warn: warn, Agent: agent,
		AgentDriver: driver.Config{Core: core.Config{KillGrace: f.config(nil).KillGrace}},
	}
	if f.terminals == "editor" {
		native, err := f.agentHost(&config, "")
		if err != nil {
			return err
		}
		defer native.Close()
		ctx, cancel := untilSignal()
		defer cancel()
		config.Pass = true
		return agentError(proxy.Run(ctx, config))
	}
	if c.Cwd == "/" {
		// An editor starts us anywhere, and commands run where their session is.
		c.Cwd = os.TempDir()
	}
	s, err := f.service(&c, true, ask.Config{ACP: ask.ACP{}})
	if err != nil {
		return err
	}
	defer s.close()
	socket := ""
	if f.dropShell {
		if err := dropShell(&config.Agent); err != nil {
			return err
		}
	}
	if f.terminals == "mcp" {
		tools, err := openToolbox(s.driver, c, f.confine.instructions)
		if err != nil {
			return err
		}
		defer tools.close()
		config.Tools, config.DropShell, socket = tools, f.dropShell, tools.socket
	}
	native, err := f.agentHost(&config, socket)
	if err != nil {
		return err
	}
	defer native.Close()
	config.AgentDriver = s.trail.wrapAgent(config.AgentDriver)
	if f.host == "wasm" || f.confine.confines() {
		config.CheckDir = notEverything
	}
	config.Terminals = acpconn.Config{
		Driver: s.driver,
		ACP:    acp.Config{Command: c, Lenient: f.lenient, Bounds: f.host == "native" || f.host == "wasm", Version: readBuild().Version},
	}
	return agentError(proxy.Run(s.ctx, config))
}

// agentHost adds to c what the agent runs on: the agent is the person's own, unless it is to be
// held.
func (f *proxyFlags) agentHost(c *proxy.Config, socket string) (*hostnative.Host, error) {
	sandbox, err := f.agentSandbox(&c.Agent, socket)
	if err != nil {
		return nil, err
	}
	host, err := hostnative.New(hostnative.Config{Sandbox: sandbox})
	if err != nil {
		if f.agent.held() {
			err = fmt.Errorf("--sandbox-agent: the agent is not started: %w", err)
		}
		return nil, err
	}
	c.AgentDriver.Host, c.AgentDirs = host, slices.Concat(sandbox.Roots, sandbox.Write)
	return host, nil
}

// notEverything says that commands in a sandbox don't get the root directory.
func notEverything(dir string) error {
	if isRoot(dir) {
		return errors.New("commands in a sandbox don't get the root directory, so all of this session are refused: open a folder in the editor, or do without the sandbox")
	}
	return nil
}

// findAgent says why an agent can't be started.
func findAgent(agent core.Command) error {
	if err := checkDir(agent.Cwd); err != nil {
		return err
	}
	_, err := exec.LookPath(agent.Command) // or a shell would take it for a line
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &failure{statusNotExecutable, fmt.Errorf("the agent can't be started: %w: is it a program, and executable?", err)}
	case err != nil:
		return &failure{statusNotFound, fmt.Errorf("the agent can't be started: %w: install it, or name it by its path", err)}
	}
	return nil
}

// agentError gives the reason why an agent did not start its status.
func agentError(err error) error {
	if _, ok := errors.AsType[*core.HostError](err); ok {
		return startFailure(fmt.Errorf("the agent can't be started: %w", err))
	}
	return err
}
