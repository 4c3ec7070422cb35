package tests

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// heldAgent tries what it may do, and writes down what went well. It is called as Claude Code's
// agent is.
const heldAgent = `#!/bin/sh
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name" >>done; fi; }
try project touch inside
try elsewhere touch "$OUTSIDE/made"
try state touch "$HOME/.claude/todo"
try variable test "$CLAUDE_CONFIG_DIR" = "$HOME/.claude"
try settings sh -c 'echo evil >"$HOME/.claude/settings.json"'
try login cat "$HOME/.claude/.credentials.json"
try key cat "$HOME/.ssh/id_rsa"
try tcp bash -c "echo >/dev/tcp/127.0.0.1/$TCP"
try udp bash -c "echo >/dev/udp/127.0.0.1/$UDP"
try socket terrarium tools "$SOCKET"
while read -r line; do
	case $line in *initialize*)
		echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}';;
	*session/new*)
		TERRARIUM_TOKEN=${line##*TERRARIUM_TOKEN\",\"value\":\"}
		export TERRARIUM_TOKEN=${TERRARIUM_TOKEN%%\"*}
		socket=${line##*\"tools\",\"}
		echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' |
			terrarium tools "${socket%%\"*}" >answer
		try tools grep -q serverInfo answer
		exit 0;;
	esac
done
`

// TestProxyHoldsAgent has an agent try what its sandbox is to keep it from, and what it needs.
func TestProxyHoldsAgent(t *testing.T) {
	t.Parallel()
	nativeHost(t)
	if !hasSandbox() {
		t.Skip("native programs can't be confined here")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash, which the agent connects with: ", err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	port := func(a net.Addr) string {
		_, port, _ := net.SplitHostPort(a.String())
		return port
	}
	for name, test := range map[string]struct {
		flags []string
		did   string
	}{
		"open":   {nil, "project state variable settings login tcp udp tools"},
		"closed": {[]string{"--agent-net", "127.0.0.1:1"}, "project state variable settings login tools"},
		"listed": {[]string{"--agent-net", "127.0.0.1:" + port(tcp.Addr())}, "project state variable settings login tcp tools"},
		"strict": {[]string{"--sandbox-agent", "strict", "--sandbox", "strict"}, "project state variable settings login tcp udp tools"},
	} {
		t.Run(name, func(t *testing.T) {
			home, outside, dir, runtime := t.TempDir(), t.TempDir(), t.TempDir(), shortDir(t)
			for file, text := range map[string]string{
				".claude/settings.json": "{}\n", ".claude/.credentials.json": "login\n", ".ssh/id_rsa": "key\n", "bin/claude-agent-acp": heldAgent,
			} {
				file = filepath.Join(home, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			socket := filepath.Join(shortDir(t), "socket")
			unix, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close()
			go func() { // ends with the listener
				for {
					conn, err := unix.Accept()
					if err != nil {
						return
					}
					io.WriteString(conn, "yes\n")
					conn.Close()
				}
			}()
			agent := filepath.Join(home, "bin", "claude-agent-acp")
			if name == "strict" { // which reads no program in another directory
				agent = filepath.Join(dir, "claude-agent-acp")
				if err := os.WriteFile(agent, []byte(heldAgent), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"proxy", "--terminals", "mcp", "--sandbox-agent", "workspace"}, test.flags...)
			cmd := exec.Command("terrarium", append(args, "--", agent)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+home, "OUTSIDE="+outside, "TCP="+port(tcp.Addr()), "UDP="+port(udp.LocalAddr()),
				"SOCKET="+socket, "XDG_RUNTIME_DIR="+runtime, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
			var stderr syncBuffer
			cmd.Stderr = &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`+"\n"+
				`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", outside)
			if err := cmd.Wait(); err != nil {
				t.Errorf("the proxy: %v\n%s", err, &stderr)
			}
			did, _ := os.ReadFile(filepath.Join(dir, "done"))
			if got := strings.Join(strings.Fields(string(did)), " "); got != test.did {
				t.Errorf("the agent did %s, want %s\n%s", got, test.did, &stderr)
			}
			if text, err := os.ReadFile(filepath.Join(home, ".claude/settings.json")); err != nil || string(text) != "{}\n" {
				t.Errorf("the agent's settings are %q, %v, want them put back", text, err)
			}
			if !strings.Contains(stderr.String(), "can't write in "+outside) {
				t.Errorf("got no warning of a session that the agent can't write in:\n%s", &stderr)
			}
		})
	}
}
