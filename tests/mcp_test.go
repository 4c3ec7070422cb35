package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpVersions are those of the protocol that clients speak: without sessions, with them, and the
// first.
var mcpVersions = []string{"2026-07-28", "2025-11-25", "2024-11-05"}

// An mcpClient is a client of the official Go SDK.
type mcpClient struct {
	t       *testing.T
	ctx     context.Context
	session *mcp.ClientSession
}

// mcpClients connect to "mcp --stdio" and "mcp --listen" with the flags given.
var mcpClients = map[string]func(t *testing.T, version string, o *mcp.ClientOptions, flags ...string) *mcpClient{
	"stdio": func(t *testing.T, version string, o *mcp.ClientOptions, flags ...string) *mcpClient {
		cmd := exec.Command("terrarium", append([]string{"mcp", "--stdio"}, flags...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
		cmd.Stderr = os.Stderr
		return newMCPClient(t, version, o, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute})
	},
	"http": func(t *testing.T, version string, o *mcp.ClientOptions, flags ...string) *mcpClient {
		return newMCPClient(t, version, o, &mcp.StreamableClientTransport{
			Endpoint: mcpListening(t, flags...), HTTPClient: &http.Client{Transport: withToken{}},
		})
	},
}

// mcpListening starts "mcp --listen" and returns its URL.
func mcpListening(t *testing.T, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(listenToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return serving(t, "terrarium: listening on ", append([]string{"mcp", "--listen", "127.0.0.1:0", "--token-file", file}, flags...)...)
}

// withToken sends requests with the token.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+listenToken)
	return http.DefaultTransport.RoundTrip(r)
}

func newMCPClient(t *testing.T, version string, o *mcp.ClientOptions, transport mcp.Transport) *mcpClient {
	t.Helper()
	c := &mcpClient{t: t, ctx: limited(t)}
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "7"}, o).
		Connect(c.ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if got := c.session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("got version %s, want %s", got, version)
	}
	return c
}

// forEachMCP runs a test over each transport at each version.
func forEachMCP(t *testing.T, test func(t *testing.T, connect func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient)) {
	for transport, dial := range mcpClients {
		for _, version := range mcpVersions {
			t.Run(transport+"/"+version, func(t *testing.T) {
				t.Parallel()
				test(t, func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient {
					return dial(t, version, o, flags...)
				})
			})
		}
	}
}

// An mcpTerminal is what tools answer with.
type mcpTerminal struct {
	Terminal  string
	Running   bool
	ExitCode  *int `json:"exit_code"`
	Signal    string
	Reason    string
	Output    string
	Omitted   int `json:"omitted_bytes"`
	Truncated bool
	Resource  string
	Screen    struct {
		Rows, Cols int
		Lines      []string
		X          int `json:"cursor_x"`
		Y          int `json:"cursor_y"`
	}

	text string // of the answer, or of the tool's error
}

type arguments map[string]any

// result calls a tool and returns what it answers, an error of it too.
func (c *mcpClient) result(tool string, args arguments) *mcp.CallToolResult {
	c.t.Helper()
	r, err := c.session.CallTool(c.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// call calls a tool that must not fail.
func (c *mcpClient) call(tool string, args arguments) mcpTerminal {
	c.t.Helper()
	return c.terminal(tool, c.result(tool, args))
}

// terminal returns what a tool has answered with, which must be no error.
func (c *mcpClient) terminal(tool string, r *mcp.CallToolResult) (out mcpTerminal) {
	c.t.Helper()
	text := mcpText(r)
	if r.IsError {
		c.t.Fatalf("%s: %s", tool, text)
	}
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	out.text = text
	return out
}

// fails calls a tool that must fail with the words given.
func (c *mcpClient) fails(tool string, args arguments, words string) {
	c.t.Helper()
	if r := c.result(tool, args); !r.IsError || !strings.Contains(mcpText(r), words) {
		c.t.Errorf("%s: got %q, error %t, want an error with %q", tool, mcpText(r), r.IsError, words)
	}
}

func mcpText(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, content := range r.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// exited checks how a command has ended.
func (c *mcpClient) exited(got mcpTerminal, code int, output string) {
	c.t.Helper()
	if got.Running || got.ExitCode == nil || *got.ExitCode != code || got.Output != output {
		c.t.Errorf("got %+v, want exit code %d and output %q", got, code, output)
	}
}

// TestMCPCommand: a short command is one call.
func TestMCPCommand(t *testing.T) {
	forEachMCP(t, func(t *testing.T, connect func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := connect(t, nil, "--cwd", dir, "--env", "FROM=flags")
		got := c.call("terminal_create", arguments{"command": `echo "wörld $FROM $SENT"; exit 3`, "env": arguments{"SENT": "call"}, "wait_seconds": 60})
		c.exited(got, 3, "wörld flags call\n")
		if !strings.Contains(got.text, "ended with exit code 3") || !strings.HasSuffix(got.text, "\nwörld flags call") {
			t.Errorf("got the text %q, want it to say how it went, and the output", got.text)
		}
		c.exited(c.call("terminal_create", arguments{"command": "printf", "args": []string{"%s|", "a b", "$HOME"}, "wait_seconds": 60}), 0, "a b|$HOME|")
		c.exited(c.call("terminal_create", arguments{"command": `basename "$(pwd)"`, "cwd": "sub", "wait_seconds": 60}), 0, "sub\n")
		got = c.call("terminal_create", arguments{"command": "printf aaaaabbbbb", "wait_seconds": 60, "max_bytes": 4})
		if got.Output != "bbbb" || got.Omitted != 6 || got.Truncated {
			t.Errorf("got %+v, want the newest 4 bytes and 6 omitted", got)
		}
		c.exited(c.call("terminal_output", arguments{"terminal": got.Terminal}), 0, "aaaaabbbbb")
		read, err := c.session.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: got.Resource})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "aaaaabbbbb" {
			t.Errorf("got resource %+v, %v, want its output", read, err)
		}
		// The time runs from the call on, and on a busy machine a start may take all of it.
		var r *mcp.CallToolResult
		inTime(t, 20, func() bool {
			r = c.result("terminal_create", arguments{"command": "sleep 1000", "timeout_seconds": 2, "wait_seconds": 60})
			return !r.IsError || !strings.Contains(mcpText(r), "before the command ran")
		})
		got = c.terminal("terminal_create", r)
		if got.Reason != "timeout" || got.Signal != "SIGTERM" {
			t.Errorf("got %+v, want it killed for its timeout", got)
		}
		c.fails("terminal_create", arguments{"command": "/no/such/program", "args": []string{"x"}}, "no such file")
		c.fails("terminal_create", arguments{"command": "true", "cwd": "nowhere"}, "nowhere")
	})
}

// TestMCPTellsOfSandbox: a model is told what commands may not do, and nothing where there is no
// sandbox.
func TestMCPTellsOfSandbox(t *testing.T) {
	dir := t.TempDir()
	for want, flags := range map[string][]string{
		"": nil,
		"sandbox (workspace): they write below " + dir + " and in $TMPDIR only, and connect to nothing.": {"--sandbox", "workspace"},
		"and connect to example.org only.": {"--sandbox", "strict", "--net", "example.org"},
	} {
		c := mcpClients["stdio"](t, mcpVersions[1], nil, append(flags, "--cwd", dir)...)
		got := c.session.InitializeResult().Instructions
		if !strings.Contains(got, want) || strings.Contains(got, "sandbox") != (want != "") {
			t.Errorf("%v: got %s, want %q", flags, got, want)
		}
	}
}

// TestMCPLife: a command that goes on is waited for, seen, typed to, ended and released.
func TestMCPLife(t *testing.T) {
	forEachMCP(t, func(t *testing.T, connect func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient) {
		c := connect(t, nil)
		got := c.call("terminal_create", arguments{"command": "printf 'name? '; read name; echo hello, $name; exec cat", "interactive": true, "rows": 5, "cols": 40})
		id := arguments{"terminal": got.Terminal}
		with := func(more arguments) arguments {
			more["terminal"] = got.Terminal
			return more
		}
		if !got.Running {
			t.Fatalf("got %+v, want it running", got)
		}
		c.shows(got.Terminal, "name?")
		c.call("terminal_write", with(arguments{"text": "Ann\n", "wait_seconds": 60}))
		c.shows(got.Terminal, "hello, Ann")
		s := c.call("terminal_screen", id)
		if s.Screen.Rows != 5 || s.Screen.Cols != 40 || s.Screen.Lines[0] != "name? Ann" || s.Screen.Y != 2 {
			t.Errorf("got the screen %+v, want 40x5 with the question, the answer and the cursor below", s.Screen)
		}
		c.call("terminal_resize", with(arguments{"rows": 7, "cols": 50}))
		// The screen follows what was printed before. The calls fail when the test is out of time.
		for s.Screen.Rows != 7 || s.Screen.Cols != 50 {
			s = c.call("terminal_screen", id)
		}
		c.fails("terminal_keys", with(arguments{"keys": []string{"Ctrl-C"}}), `no key is called "Ctrl-C"`)
		c.call("terminal_keys", with(arguments{"keys": []string{"C-c"}, "wait_seconds": 0}))
		if got = c.call("terminal_wait", with(arguments{"wait_seconds": 60})); got.Signal != "SIGINT" {
			t.Errorf("got %+v, want it ended by SIGINT", got)
		}
		if s = c.call("terminal_screen", id); len(s.Screen.Lines) == 0 || s.Screen.Lines[0] != "name? Ann" {
			t.Errorf("got %+v, want what the screen has shown last", s.Screen)
		}
		c.fails("terminal_write", with(arguments{"text": "x"}), "has ended")
		c.call("terminal_release", id)
		for _, tool := range []string{"terminal_output", "terminal_wait", "terminal_screen", "terminal_kill", "terminal_release"} {
			c.fails(tool, id, "no terminal")
		}

		got = c.call("terminal_create", arguments{"command": "trap '' INT; echo $$; sleep 1000", "wait_seconds": 0})
		c.fails("terminal_write", arguments{"terminal": got.Terminal, "text": "x"}, `"interactive": true`)
		if got = c.call("terminal_wait", arguments{"terminal": got.Terminal, "wait_seconds": 0.01}); !got.Running {
			t.Errorf("got %+v, want it running", got)
		}
		if got = c.call("terminal_kill", arguments{"terminal": got.Terminal}); got.Signal != "SIGTERM" || got.Reason != "killed" {
			t.Errorf("got %+v, want it killed", got)
		}
	})
}

// shows waits until a terminal's screen has a text.
func (c *mcpClient) shows(terminal, text string) {
	c.t.Helper()
	for {
		s := c.call("terminal_screen", arguments{"terminal": terminal})
		if strings.Contains(strings.Join(s.Screen.Lines, "\n"), text) {
			return
		}
	}
}

// TestMCPProgress: who waits hears that the command goes on.
func TestMCPProgress(t *testing.T) {
	forEachMCP(t, func(t *testing.T, connect func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient) {
		told := make(chan *mcp.ProgressNotificationParams, 100)
		c := connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			select {
			case told <- r.Params:
			default:
			}
		}})
		id := c.call("terminal_create", arguments{"command": "echo hi; sleep 1000", "wait_seconds": 0}).Terminal
		waited := make(chan error, 1)
		ctx, cancel := context.WithCancel(c.ctx)
		go func() { // ends with cancel
			params := &mcp.CallToolParams{Name: "terminal_wait", Arguments: arguments{"terminal": id, "wait_seconds": 500}}
			params.SetProgressToken("p")
			_, err := c.session.CallTool(ctx, params)
			waited <- err
		}()
		for before, n := 0.0, 0; n < 2; n++ {
			select {
			case p := <-told:
				if p.ProgressToken != "p" || p.Progress <= before || p.Total != 500 || !strings.Contains(p.Message, "running for") {
					t.Errorf("got progress %+v after %v, want more", p, before)
				}
				before = p.Progress
			case err := <-waited:
				t.Fatalf("the call has returned: %v", err)
			}
		}
		cancel() // and the call returns, and the command lives
		if err := <-waited; err == nil {
			t.Error("got an answer to a call that was cancelled")
		}
		// On a busy machine the shell may not have come to its echo by now.
		var got mcpTerminal
		for got.Output != "hi\n" {
			got = c.call("terminal_output", arguments{"terminal": id})
			if !got.Running || !strings.HasPrefix("hi\n", got.Output) {
				t.Fatalf("got %+v, want it running", got)
			}
		}
	})
}

// TestMCPElicitation: where the policy asks, the client's user is asked, if the client can.
func TestMCPElicitation(t *testing.T) {
	forEachMCP(t, func(t *testing.T, connect func(t *testing.T, o *mcp.ClientOptions, flags ...string) *mcpClient) {
		p := newPermitting(t)
		flags := []string{"--policy", p.policy, "--cwd", p.dir, "--audit", filepath.Join(p.dir, "audit")}
		var asked []*mcp.ElicitParams
		answers := []*mcp.ElicitResult{
			{Action: "accept", Content: map[string]any{"answer": "once"}},
			{Action: "accept", Content: map[string]any{"answer": "no", "message": "not today"}},
			{Action: "decline"},
			{Action: "accept", Content: map[string]any{"answer": "session"}},
		}
		c := connect(t, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = append(asked, r.Params)
			return answers[len(asked)-1], nil
		}}, flags...)
		mkdir := func(name string) arguments { return arguments{"command": "mkdir " + name, "wait_seconds": 60} }
		c.exited(c.call("terminal_create", mkdir("yes")), 0, "")
		c.fails("terminal_create", mkdir("no"), "said no: not today")
		c.fails("terminal_create", mkdir("declined"), "said no")
		c.exited(c.call("terminal_create", mkdir("-p kept")), 0, "")
		c.exited(c.call("terminal_create", mkdir("-p kept")), 0, "") // and is not asked about again
		if len(asked) != len(answers) {
			t.Fatalf("got %d questions, want %d", len(asked), len(answers))
		}
		schema := fmt.Sprint(asked[0].RequestedSchema)
		if !strings.Contains(asked[0].Message, "mkdir yes") || !strings.Contains(schema, "once") || !strings.Contains(schema, "no") {
			t.Errorf("got the question %q, %s, want it about mkdir yes", asked[0].Message, schema)
		}
		record, err := os.ReadFile(filepath.Join(p.dir, "audit"))
		if err != nil || !strings.Contains(string(record), `"by":"mcp"`) || !strings.Contains(string(record), `"a client"`) {
			t.Errorf("got the record %s, %v, want it to say who was asked, and who has", record, err)
		}
		p.files("audit", "kept", "yes")

		dumb := connect(t, nil, flags[:4]...)
		dumb.fails("terminal_create", mkdir("unasked"), "Nobody can be asked")
		p.files("audit", "kept", "yes")
	})
}

// TestMCPTypeScript has a client of the official TypeScript library use it.
func TestMCPTypeScript(t *testing.T) {
	client := nodeScript(t, "mcp_sdk.mjs", "@modelcontextprotocol/client")
	for _, version := range mcpVersions {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(transport+"/"+version, func(t *testing.T) {
				t.Parallel()
				p := newPermitting(t)
				flags := []string{"--policy", p.policy, "--cwd", p.dir}
				where := transport
				if where == "http" {
					where = mcpListening(t, flags...)
				}
				args := slices.Concat(client[1:], []string{version, where, listenToken}, flags)
				cmd := exec.CommandContext(limited(t), client[0], args...)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				var got struct {
					Version   string
					Tools     []string
					Ran, Slow mcpTerminal
					Unknown   bool
					Resource  string
					Asked     []string
					Progress  int
					Bad       string
				}
				if err := json.Unmarshal(out, &got); err != nil {
					t.Fatalf("%s: %v", out, err)
				}
				if got.Version != version || len(got.Tools) != 9 || got.Ran.Output != "done\n" || got.Slow.ExitCode == nil || !got.Unknown ||
					got.Resource != "done\n" || len(got.Asked) != 2 || !strings.Contains(got.Asked[0], "mkdir made") || got.Progress == 0 || got.Bad != "-32602" {
					t.Errorf("got %s, want nine tools, two commands of which the user was asked, progress of the second, and two errors", out)
				}
				p.files("made")
			})
		}
	}
}
