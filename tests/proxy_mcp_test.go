package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A toolServer is what an agent is told of an MCP server.
type toolServer struct {
	Name, Command string
	Args          []string
	Env           []struct{ Name, Value string }
}

func (s *toolServer) socket() string { return s.Args[len(s.Args)-1] }
func (s *toolServer) token() string  { return s.Env[0].Value }

// cmd is the server as an agent starts it.
func (s *toolServer) cmd() *exec.Cmd {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env = os.Environ()
	for _, v := range s.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// withTools starts a proxy that offers its terminals by MCP. Its socket is in the directory that is
// returned.
func withTools(t *testing.T, flags ...string) (l *link, runtime string) {
	t.Helper()
	runtime = shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	return proxied(t, append([]string{"--sandbox", "off", "--terminals", "mcp"}, flags...)...), runtime
}

// shortDir returns a directory for a socket, whose path must be short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "tools")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// initialize has the agent call itself so.
func (l *link) initialize(agent string) {
	l.t.Helper()
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":1}}`)
	l.gets(l.agent)
	l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":1,"agentInfo":{"name":%q,"version":"1"}}}`, agent))
	l.gets(l.editor)
}

// newSession has the editor open a session in l.dir, and returns the last MCP server that the agent
// is told of. The agent has not answered.
func (l *link) newSession() *toolServer {
	l.t.Helper()
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, l.dir))
	return l.told()
}

// told returns the last MCP server in the next line that the agent gets.
func (l *link) told() *toolServer {
	l.t.Helper()
	line := l.gets(l.agent)
	var m struct {
		Params struct{ McpServers []toolServer }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Params.McpServers) == 0 {
		l.t.Fatalf("the agent got %s, want an MCP server: %v", line, err)
	}
	return &m.Params.McpServers[len(m.Params.McpServers)-1]
}

// named has the agent say which session it has opened.
func (l *link) named(session string) {
	l.t.Helper()
	l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","result":{"sessionId":%q}}`, session))
	l.gets(l.editor)
}

// openTools opens the session s, and connects to its tools.
func (l *link) openTools(t *testing.T, version string) (*toolServer, *mcpClient) {
	t.Helper()
	l.initialize("test")
	server := l.newSession()
	client := newMCPClient(t, version, nil, &mcp.CommandTransport{Command: server.cmd(), TerminateDuration: time.Minute})
	l.named("s")
	return server, client
}

// openToolsFor is openTools with an editor of such capabilities.
func (l *link) openToolsFor(t *testing.T, capabilities string) *mcpClient {
	t.Helper()
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{`+capabilities+`}}}`)
	l.gets(l.agent)
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":1}}`)
	l.gets(l.editor)
	server := l.newSession()
	client := newMCPClient(t, mcpVersions[0], nil, &mcp.CommandTransport{Command: server.cmd(), TerminateDuration: time.Minute})
	l.named("s")
	return client
}

// TestProxyTools runs commands for an agent by MCP, as those of its session.
func TestProxyTools(t *testing.T) {
	nativeHost(t)
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) {
			l, _ := withTools(t)
			server, client := l.openTools(t, version)
			real, err := filepath.EvalSymlinks(l.dir)
			if err != nil {
				t.Fatal(err)
			}
			out := client.call("terminal_create", arguments{"command": "pwd -P", "wait_seconds": 60})
			if strings.TrimSpace(out.Output) != real || out.ExitCode == nil || *out.ExitCode != 0 {
				t.Errorf("got %+v, want %s", out, real)
			}
			if r := client.result("terminal_create", arguments{"command": "pwd", "cwd": "/"}); !r.IsError || !strings.Contains(mcpText(r), "outside_session") {
				t.Errorf("in another directory: got %s", mcpText(r))
			}
			l.create("true") // terminal/* is served, too
			l.quiet()

			// The end of the session ends its commands, and its token.
			pid := filepath.Join(l.dir, "pid")
			client.call("terminal_create", arguments{"command": "echo $$ >pid; exec sleep 1000", "wait_seconds": 0})
			eventually(t, func() bool { return readPid(pid) > 0 })
			l.says(l.toAgent, `{"jsonrpc":"2.0","id":"close","method":"session/close","params":{"sessionId":"s"}}`)
			l.gets(l.agent)
			l.says(l.toEditor, `{"jsonrpc":"2.0","id":"close","result":{}}`)
			l.gets(l.editor)
			eventually(t, func() bool { return syscall.Kill(readPid(pid), 0) == syscall.ESRCH })
			cmd := server.cmd()
			cmd.Stderr = nil
			text, err := cmd.Output()
			if e, ok := err.(*exec.ExitError); !ok || len(text) > 0 || !strings.Contains(string(e.Stderr), "the session has ended") {
				t.Errorf("after the session: got %q, %v", text, err)
			}
		})
	}
}

// TestProxyToolsAsk has the editor asked about a command that an agent runs by MCP, at the tool
// call that runs.
func TestProxyToolsAsk(t *testing.T) {
	nativeHost(t)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("default = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _ := withTools(t, "--policy", policy)
	_, client := l.openTools(t, mcpVersions[0])
	l.says(l.toEditor, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"call 1","title":"x"}}}`)
	l.gets(l.editor)
	for _, test := range []struct {
		answer string
		runs   bool
	}{{"no", false}, {"once", true}} {
		result := make(chan *mcp.CallToolResult, 1)
		go func() {
			r, _ := client.session.CallTool(client.ctx, &mcp.CallToolParams{Name: "terminal_create", Arguments: arguments{"command": "touch made", "wait_seconds": 60}})
			result <- r
		}()
		q := l.message(l.editor)
		if q.Method != "session/request_permission" || q.Params.SessionID != "s" || q.Params.ToolCall.ToolCallID != "call 1" || q.Params.ToolCall.Title != "`touch made`" {
			t.Fatalf("got %+v, want a question about touch made at call 1", q)
		}
		if _, err := os.Stat(filepath.Join(l.dir, "made")); err == nil {
			t.Fatal("the command ran before the editor had answered")
		}
		l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, q.ID, test.answer))
		r := <-result
		if r == nil || r.IsError == test.runs {
			t.Errorf("%s: got %+v", test.answer, r)
		}
		if _, err := os.Stat(filepath.Join(l.dir, "made")); (err == nil) != test.runs {
			t.Errorf("%s: the command ran: %v", test.answer, err == nil)
		}
	}
}

// offered is an MCP server of ours in a line.
var offered = regexp.MustCompile(`,?\{"name":"terrarium2?","command":"[^"]+","args":\["tools","[^"]+"\],"env":\[\{"name":"TERRARIUM_TOKEN","value":"[A-Z2-7]{26}"\}\]\}`)

// withoutOffers takes an MCP server of ours out of lines, once: what is left must be what was sent.
func withoutOffers(lines chan []byte) chan []byte {
	rest := make(chan []byte, cap(lines))
	go func() { // ends with lines
		defer close(rest)
		found := false
		for line := range lines {
			if at := offered.FindIndex(line); at != nil && !found {
				found = true
				line = slices.Delete(line, at[0], at[1])
			}
			rest <- line
		}
	}()
	return rest
}

// TestProxyToolsSplice compares the lines that open sessions with those that the agent gets: one
// entry more, and all other bytes as they were.
func TestProxyToolsSplice(t *testing.T) {
	nativeHost(t)
	l, _ := withTools(t)
	l.initialize("test")
	tokens := make(map[string]bool)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp", "mcpServers" : [ ] ,"x":1e400}}`,
		`{"id":2,"params":{"mcp\u0053ervers":[{"name":"other","command":"/x","args":["]"],"env":[]} ],"cwd":"/tmp"},"method":"session\/new"}`,
		`{"id":3,"params":{"mcpServers":[{"type":"http","name":"terrarium","url":"http://x","headers":[]}],"cwd":"/tmp"},"method":"session/new"}`,
		`{"id":4,"method":"session/load","params":{"sessionId":"a","cwd":"/tmp","mcpServers":[]}}`,
		`{"id":5,"method":"session/resume","params":{"sessionId":"b","cwd":"/tmp","mcpServers":[]}}`,
		`{"id":6,"method":"session/fork","params":{"sessionId":"b","cwd":"/tmp","mcpServers":[]}}`,
	} {
		l.says(l.toAgent, line)
		got := l.gets(l.agent)
		found := offered.FindString(got)
		if rest := strings.Replace(got, found, "", 1); found == "" || rest != line+"\n" {
			t.Errorf("%s became %s", line, got)
		}
		if tokens[found] {
			t.Errorf("%s has the token of another one", line)
		}
		tokens[found] = true
		if strings.Contains(line, `"terrarium"`) && !strings.Contains(found, `"terrarium2"`) {
			t.Errorf("%s: got a name that is taken: %s", line, found)
		}
	}
	// Where there is no list, there is one now.
	l.says(l.toAgent, `{"id":7,"method":"session/resume","params":{"sessionId":"c","cwd":"/tmp"}}`)
	if got, want := offered.ReplaceAllString(l.gets(l.agent), "X"), `{"id":7,"method":"session/resume","params":{"mcpServers":[X],"sessionId":"c","cwd":"/tmp"}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// An open session keeps its token: the agent's program may run.
	l.says(l.toAgent, `{"id":8,"method":"session/load","params":{"sessionId":"b","cwd":"/tmp","mcpServers":[]}}`)
	if again := offered.FindString(l.gets(l.agent)); !tokens[again] {
		t.Errorf("got another token for an open session: %s", again)
	}
	// What is no session's is left alone.
	for _, line := range []string{
		`{"id":9,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}`,
		`{"id":10,"method":"session/new","params":{"cwd":"/tmp","mcpServers":"x"}}`,
		`{"id":11,"method":"session/load","params":{"cwd":"/tmp","mcpServers":[]}}`,
		`{"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}`,
	} {
		l.says(l.toAgent, line)
		if got := l.gets(l.agent); got != line+"\n" {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestProxyToolsAgainstPeers has others than the agent's program connect to the tools.
func TestProxyToolsAgainstPeers(t *testing.T) {
	nativeHost(t)
	l, _ := withTools(t)
	server, client := l.openTools(t, mcpVersions[1])
	for name, mode := range map[string]os.FileMode{filepath.Dir(server.socket()): 0o700, server.socket(): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: got %v, %v, want %v", name, info, err, mode)
		}
	}
	dial := func() net.Conn {
		conn, err := net.Dial("unix", server.socket())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(patience)) // or the test hangs where it is served
		return conn
	}
	says := func(conn net.Conn, what string) string {
		io.WriteString(conn, what) // it may be closed meanwhile
		text, _ := io.ReadAll(conn)
		return string(text)
	}
	for name, hello := range map[string]string{
		"wrong": strings.Repeat("A", 26) + "\n", "short": server.token()[:25] + "\n", "empty": "\n", "more": server.token() + " \n",
	} {
		if got := says(dial(), hello); got != "no\n" {
			t.Errorf("a token that is %s: got %q", name, got)
		}
	}
	for name, hello := range map[string]string{"endless": strings.Repeat("A", 1<<20), "binary": "\x00\xff\x80\n"} {
		if got := says(dial(), hello); strings.Contains(got, "yes") {
			t.Errorf("%s: got %q", name, got)
		}
	}

	// Who has the token is answered, whatever it says.
	conn := dial()
	io.WriteString(conn, server.token()+"\n")
	answers := lines(conn)
	if got := l.gets(answers); got != "yes\n" {
		t.Fatalf("got %q, want yes", got)
	}
	io.WriteString(conn, "garbage\n")
	if got := l.gets(answers); !strings.Contains(got, "-32700") {
		t.Errorf("garbage: got %s", got)
	}
	go io.WriteString(conn, strings.Repeat("x", 5<<20)+"\n")
	if got := l.gets(answers); !strings.Contains(got, "too_long") {
		t.Errorf("an endless line: got %s", got)
	}

	// Silent strangers keep nobody out, nor do those who hold all of a session's places.
	for range 200 {
		dial()
	}
	if out := client.call("terminal_create", arguments{"command": "echo here", "wait_seconds": 60}); out.Output != "here\n" {
		t.Errorf("got %+v", out)
	}
	newMCPClient(t, mcpVersions[0], nil, &mcp.CommandTransport{Command: server.cmd(), TerminateDuration: time.Minute})
	got := map[string]int{}
	for range 20 {
		conn := dial()
		io.WriteString(conn, server.token()+"\n")
		got[l.gets(lines(conn))]++
	}
	if got["yes\n"] != 13 || got["no\n"] != 7 { // three are there
		t.Errorf("got %v, want 16 places in all", got)
	}
	if out := client.call("terminal_create", arguments{"command": "echo here", "wait_seconds": 60}); out.Output != "here\n" {
		t.Errorf("got %+v", out)
	}
}

// TestProxyToolsLeaveNothing ends an editor, an agent and a proxy while a command of its tools
// runs.
func TestProxyToolsLeaveNothing(t *testing.T) {
	nativeHost(t)
	for name, end := range map[string]func(l *link){
		"editor": func(l *link) { l.leave() },
		"agent":  func(l *link) { l.end() },
		"proxy":  func(l *link) { l.cmd.Process.Kill() },
		"signal": func(l *link) { l.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			l, runtime := withTools(t, "--kill-grace", "100ms")
			l.initialize("test")
			server := l.newSession()
			l.named("s")
			cmd := server.cmd()
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"trap '' HUP TERM; echo $$ >pid; sleep 1000 & wait"}}}`+"\n")
			pid := filepath.Join(l.dir, "pid")
			eventually(t, func() bool { return readPid(pid) > 0 })
			end(l)
			for range l.editor {
			}
			eventually(t, func() bool { return syscall.Kill(readPid(pid), 0) == syscall.ESRCH })
			cmd.Wait() // though its input is open
			left := func() int {
				found, _ := filepath.Glob(filepath.Join(runtime, "*", "*"))
				return len(found)
			}
			if name == "proxy" { // the next one finds what it could not remove
				next := proxied(t, "--sandbox", "off", "--terminals", "mcp")
				next.initialize("test")
				if left() != 1 {
					t.Errorf("got %d directories of sockets, want that of the second proxy", left())
				}
				return
			}
			l.cmd.Wait()
			if left() != 0 {
				t.Errorf("got %d directories of sockets, want none", left())
			}
		})
	}
}

// TestProxyToolsSocketIsOutOfReach: a command that may write the directory where the sockets are
// can't put one of its own in the place of the agent's tools, which would be shown the token.
func TestProxyToolsSocketIsOutOfReach(t *testing.T) {
	nativeHost(t)
	if !hasSandbox() {
		t.Skip("native commands can't be confined here")
	}
	// Its temporary files go there: who runs the tests may have no home.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	l, runtime := withTools(t, "--sandbox", "workspace")
	l.dir = runtime
	server, client := l.openTools(t, mcpVersions[0])
	out := client.call("terminal_create", arguments{"command": "mv */*/mcp taken; mv terrarium-proxy-* taken; rm -rf terrarium-proxy-*; echo tried", "wait_seconds": 60})
	if !strings.Contains(out.Output, "tried") {
		t.Errorf("got %+v", out)
	}
	if _, err := os.Lstat(server.socket()); err != nil {
		t.Errorf("the command has taken the socket: %q", out.Output)
	}
}

// TestProxyDropsShell has an agent do without its own shell, and one that can't be told so open no
// session.
func TestProxyDropsShell(t *testing.T) {
	nativeHost(t)
	const tools = `"Bash","BashOutput","KillShell","PowerShell","Monitor"`
	l, _ := withTools(t, "--drop-shell")
	l.initialize("@agentclientprotocol/claude-agent-acp")
	for _, test := range []struct{ meta, want string }{
		{``, `"_meta":{"claudeCode":{"options":{"disallowedTools":[` + tools + `]}}},`},
		{`"_meta":null,`, `"_meta":{"claudeCode":{"options":{"disallowedTools":[` + tools + `]}}},`},
		{`"_meta":{"x":1},`, `"_meta":{"claudeCode":{"options":{"disallowedTools":[` + tools + `]}},"x":1},`},
		{`"_meta":{"claudeCode":{"options":{"disallowedTools":["Task"]}}},`, `"_meta":{"claudeCode":{"options":{"disallowedTools":["Task",` + tools + `]}}},`},
	} {
		const line = `{"id":1,"method":"session/new","params":{%s"cwd":"/tmp","mcpServers":[]}}`
		l.says(l.toAgent, fmt.Sprintf(line, test.meta))
		got := offered.ReplaceAllString(l.gets(l.agent), "")
		if want := fmt.Sprintf(line, test.want) + "\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}

	l, _ = withTools(t, "--drop-shell")
	l.initialize("@agentclientprotocol/codex-acp") // which its environment has told
	l.newSession()

	l, _ = withTools(t, "--drop-shell")
	l.initialize("another")
	for _, method := range []string{"new", "load", "resume", "fork"} {
		l.says(l.toAgent, `{"jsonrpc":"2.0","id":7,"method":"session/`+method+`","params":{"sessionId":"s","cwd":"/tmp","mcpServers":[]}}`)
		if m := l.message(l.editor); string(m.ID) != "7" || m.Error.Data.Reason != "no_way_to_drop_shell" {
			t.Errorf("%s: the editor got %+v, want an error", method, m)
		}
	}
	l.says(l.toAgent, `{"jsonrpc":"2.0","method":"_last"}`)
	if got := l.gets(l.agent); !strings.Contains(got, "_last") {
		t.Errorf("the agent got %s", got)
	}
}
