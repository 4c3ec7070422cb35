package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// agentFlags say what an agent itself is held in.
type agentFlags struct {
	level string
	write []string
	net   []string
}

func (f *agentFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.level, "sandbox-agent", sandboxLevels[0], "")
	set.Var((*repeated)(&f.write), "agent-write", "")
	set.Var((*repeated)(&f.net), "agent-net", "")
	cmd.RegisterFlagCompletionFunc("sandbox-agent", cobra.FixedCompletions(sandboxLevels, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagDirname("agent-write")
	cmd.RegisterFlagCompletionFunc("agent-net", cobra.NoFileCompletions)
}

// held reports whether the agent is in a sandbox.
func (f *agentFlags) held() bool { return f.level != sandboxLevels[0] }

// check says what is wrong with the flags.
func (f *agentFlags) check() error {
	switch {
	case !slices.Contains(sandboxLevels, f.level):
		return fmt.Errorf("--sandbox-agent %s: no such level: use %s", f.level, strings.Join(sandboxLevels, ", "))
	case !f.held() && len(f.write)+len(f.net) > 0:
		return errors.New("--agent-write and --agent-net need --sandbox-agent workspace or strict")
	}
	for _, dir := range f.write {
		if err := checkDir(dir); err != nil {
			return fmt.Errorf("--agent-write %w", err)
		}
	}
	for _, text := range f.net {
		if _, err := egress.Parse(text); err != nil {
			return errors.New("--agent-net " + strings.TrimPrefix(err.Error(), "egress: rule "))
		}
	}
	return nil
}

// An agentState is where an agent keeps what it knows: its login, its sessions, its settings.
type agentState struct {
	dir      string // below the home directory
	variable string // names another place, if it is set
	set      bool   // or the agent would write beside it: the variable is set
}

// agentStates are those of the agents that are known, by the names of their programs and packages.
// Of what is in these directories, hostnative puts back what runs later: settings, hooks, commands.
//
// Claude Code keeps a file of its own beside its directory, ~/.claude.json, unless the variable is
// set.
var agentStates = map[string]agentState{
	"claude": {".claude", "CLAUDE_CONFIG_DIR", true}, "claude-agent-acp": {".claude", "CLAUDE_CONFIG_DIR", true}, "claude-code-acp": {".claude", "CLAUDE_CONFIG_DIR", true},
	"codex": {".codex", "CODEX_HOME", false}, "codex-acp": {".codex", "CODEX_HOME", false},
	"gemini": {".gemini", "", false}, "gemini-cli": {".gemini", "", false},
	"qwen": {".qwen", "", false}, "qwen-code": {".qwen", "", false},
}

// runners are programs that run the one, or the package, that an argument names.
var runners = strings.Fields("npx npm pnpm pnpx yarn bun bunx deno node env")

// stateOf returns where an agent keeps its state, or false if it is not known: by its program, or
// by what a runner as npx is to run. Of other programs no argument counts: one that happens to be
// called with "--model claude" gets no login.
func stateOf(agent core.Command) (s agentState, dir string, ok bool) {
	home, err := os.UserHomeDir()
	if err != nil {
		return s, "", false
	}
	words := []string{agent.Command}
	if slices.Contains(runners, path.Base(agent.Command)) {
		words = agent.Args
	}
	for _, word := range words {
		name, _, _ := strings.Cut(path.Base(word), "@") // a package's version
		if s, ok = agentStates[name]; !ok {
			continue
		}
		if dir = os.Getenv(s.variable); s.variable == "" || !filepath.IsAbs(dir) {
			dir = filepath.Join(home, s.dir)
		}
		return s, dir, true
	}
	return s, "", false
}

// agentSandbox returns what the agent is held in, and sets the variables that it needs there. It
// may write the directory where it starts, what commands may write, and its state. socket is that
// of our tools, or empty.
func (f *proxyFlags) agentSandbox(agent *core.Command, socket string) (s hostnative.Sandbox, err error) {
	if !f.agent.held() {
		return s, nil
	}
	root, err := filepath.Abs(agent.Cwd)
	if err != nil {
		return s, err
	}
	if err := tooWide(root, "where it starts: name your project with --cwd"); err != nil {
		return s, err
	}
	for _, dir := range f.agent.write {
		if err := tooWide(dir, "and read its secrets: name a directory in it with --agent-write"); err != nil {
			return s, err
		}
	}
	held := confineFlags{
		level: f.agent.level, write: slices.Concat(f.confine.write, f.agent.write),
		net: slices.Concat(f.confine.net, f.agent.net), sockets: f.confine.sockets,
	}
	state, dir, known := stateOf(*agent)
	switch {
	case known:
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, fmt.Errorf("--sandbox-agent: the agent's state: %w", err)
		}
		if err := tooWide(dir, "and read its secrets, to keep its state there: give that a directory of its own"); err != nil {
			return s, err
		}
		held.write = append(held.write, dir)
		if state.set {
			agent.Env = append(agent.Env, core.EnvVariable{Name: state.variable, Value: dir})
		}
	case len(f.agent.write) == 0:
		notice("--sandbox-agent: nobody has told where this agent keeps its state: if it can't log in or remember, add --agent-write DIR")
	}
	if err := f.audit.outside(append([]string{root}, held.write...)); err != nil {
		return s, err
	}
	if socket != "" {
		held.sockets = append(slices.Clip(held.sockets), socket)
	}
	if s, err = held.sandbox(root, true); err != nil {
		return s, err
	}
	s.OpenNet = len(s.Net) == 0
	if known {
		s.Show = []string{dir}
	}
	for _, dir := range f.agent.write {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return s, err
		}
		s.Show = append(s.Show, dir)
	}
	return s, nil
}

// tooWide refuses a directory that has the person's home: to write it would be as good as no
// sandbox. instead says what it would be for, and what to do.
func tooWide(root, instead string) error {
	if hasHome(root) {
		return fmt.Errorf("--sandbox-agent: the agent would write all of %s, %s", root, instead)
	}
	return nil
}
