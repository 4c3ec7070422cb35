package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/proxy"
	"github.com/terrarium-dev/terrarium/core"
)

// TestStateOf: an agent gets the login of one that is known only if it is that one.
func TestStateOf(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "/elsewhere/codex")
	for line, want := range map[string]string{
		"claude --acp":       home + "/.claude",
		"/opt/bin/codex-acp": "/elsewhere/codex",
		"npx -y @agentclientprotocol/claude-agent-acp@1.2": home + "/.claude",
		"/usr/bin/node /opt/lib/gemini-cli":                home + "/.gemini",
		"my-agent --model claude":                          "",
		"my-agent codex":                                   "",
		"npx my-agent":                                     "",
	} {
		words := strings.Fields(line)
		_, dir, ok := stateOf(core.Command{Command: words[0], Args: words[1:]})
		if dir != want || ok != (want != "") {
			t.Errorf("%s: got %q, want %q", line, dir, want)
		}
	}
}

// TestWideState: a variable that has an agent keep its state in the home directory has it not write
// all of that.
func TestWideState(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{home, "/"} {
		t.Setenv("CLAUDE_CONFIG_DIR", dir)
		project := filepath.Join(home, "project")
		if err := os.MkdirAll(project, 0o700); err != nil {
			t.Fatal(err)
		}
		var f proxyFlags
		f.agent.level = sandboxLevels[1]
		c := proxy.Config{Agent: core.Command{Command: "claude", Cwd: project}}
		if _, err := f.agentSandbox(&c.Agent, ""); err == nil || !strings.Contains(err.Error(), "a directory of its own") {
			t.Errorf("%s: got %v, want it refused", dir, err)
		}
	}
}
