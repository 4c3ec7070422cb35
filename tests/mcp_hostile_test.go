package tests

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An mcpPipe is "mcp --stdio" without a library in between.
type mcpPipe struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

const mcpHello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func newMCPPipe(t *testing.T, flags ...string) *mcpPipe {
	t.Helper()
	return newMCPPipeFor(t, limited(t), flags...)
}

// newMCPPipeFor is newMCPPipe with a server that is killed when ctx is done.
func newMCPPipeFor(t *testing.T, ctx context.Context, flags ...string) *mcpPipe {
	t.Helper()
	p := &mcpPipe{t: t, cmd: exec.CommandContext(ctx, "terrarium", append([]string{"mcp", "--stdio"}, flags...)...)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd.Stderr = os.Stderr
	in, out := startPiped(t, p.cmd)
	p.in, p.lines = in, bufio.NewScanner(out)
	p.lines.Buffer(nil, 1<<20)
	p.send(mcpHello)
	p.answer(`"hello"`)
	return p
}

func (p *mcpPipe) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatal(err)
	}
}

// An mcpAnswer is a line of the server's.
type mcpAnswer struct {
	ID     json.RawMessage
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent mcpTerminal
	}
	Error *struct{ Code int }
}

// next returns the next line.
func (p *mcpPipe) next() (a mcpAnswer) {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the server has ended: %v", p.lines.Err())
	}
	if err := json.Unmarshal(p.lines.Bytes(), &a); err != nil {
		p.t.Fatalf("%s: %v", p.lines.Bytes(), err)
	}
	return a
}

// answer returns the next line, which must be for the request id.
func (p *mcpPipe) answer(id string) mcpAnswer {
	p.t.Helper()
	a := p.next()
	if string(a.ID) != id {
		p.t.Fatalf("got an answer to %s, want one to %s", a.ID, id)
	}
	return a
}

// TestMCPMalformed: what is no message, or no call, is answered as that, and the connection lives.
func TestMCPMalformed(t *testing.T) {
	p := newMCPPipe(t)
	call := func(tool, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	}
	for _, tt := range []struct {
		name, line string
		code       int    // of the protocol's error
		says       string // of the tool's error, if there is no code
		anonymous  bool   // no id is known
	}{
		{name: "no JSON", line: "hello", code: -32700, anonymous: true},
		{name: "half a message", line: `{"jsonrpc":"2.0","id":1,"method"`, code: -32700, anonymous: true},
		{name: "invalid UTF-8", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", code: -32700, anonymous: true},
		{name: "too long", line: `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 5<<20) + `"}`, code: -32600, anonymous: true},
		{name: "too deep", line: strings.Repeat("[", 100000), code: -32700, anonymous: true},
		{name: "a batch", line: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, code: -32600, anonymous: true},
		{name: "a null id", line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: -32600, anonymous: true},
		{name: "an id that would come back as another", line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, code: -32600},
		{name: "an id that is no text", line: `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, code: -32600},
		{name: "an answer without an id, and a null id", line: `{"jsonrpc":"2.0","id":null,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: -32600, anonymous: true},
		{name: "another version", line: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, code: -32600},
		{name: "unknown method", line: `{"jsonrpc":"2.0","id":1,"method":"terminal/create"}`, code: -32601},
		{name: "no parameters", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, code: -32600},
		{name: "unknown tool", line: call("terminal_explode", `{}`), code: -32602},
		{name: "unknown resource", line: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"terrarium://terminal/x/output"}}`, code: -32602},
		{name: "a control in a URI", line: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a\u0007\u0000b"}}`, code: -32603},
		{name: "no command", line: call("terminal_create", `{}`), says: "command"},
		{name: "empty command", line: call("terminal_create", `{"command":""}`), says: "command"},
		{name: "a number", line: call("terminal_create", `{"command":7}`), says: "command"},
		{name: "NUL", line: call("terminal_create", `{"command":"a\u0000b"}`), says: "nul_byte"},
		{name: "an unknown argument", line: call("terminal_create", `{"command":"true","shell":"zsh"}`), says: `no argument "shell": it has args, cols, command,`},
		{name: "another case", line: call("terminal_create", `{"Command":"true"}`), says: "Command"},
		{name: "arguments in one string", line: call("terminal_create", `{"command":"ls","args":"-l"}`), says: "args"},
		{name: "a long wait", line: call("terminal_create", `{"command":"true","wait_seconds":1e300}`), says: "wait_seconds"},
		{name: "a negative time", line: call("terminal_create", `{"command":"true","timeout_seconds":-1}`), says: "timeout_seconds"},
		{name: "a huge terminal", line: call("terminal_create", `{"command":"true","rows":100000}`), says: "rows"},
		{name: "an odd variable", line: call("terminal_create", `{"command":"true","env":{"A=B":"c"}}`), says: "equals_in_name"},
		{name: "a dangerous variable", line: call("terminal_create", `{"command":"true","env":{"LD_PRELOAD":"/x.so"}}`), says: "LD_PRELOAD"},
		{name: "a long id", line: call("terminal_output", `{"terminal":"`+strings.Repeat("x", 1000)+`"}`), says: "terminal"},
		{name: "an escape in an id", line: call("terminal_output", `{"terminal":"\u001b]0;x\u0007"}`), says: `no terminal "\x1b]0;x\a"`},
		{name: "much text", line: call("terminal_write", `{"terminal":"x","text":"`+strings.Repeat("x", 70000)+`"}`), says: "text"},
	} {
		p.send(tt.line + "\n")
		a := p.next()
		switch {
		case (a.ID == nil) != tt.anonymous:
			t.Errorf("%s: got id %s, want one: %t", tt.name, a.ID, !tt.anonymous)
		case tt.code != 0 && (a.Error == nil || a.Error.Code != tt.code):
			t.Errorf("%s: got %s, want error %d", tt.name, p.lines.Bytes(), tt.code)
		case tt.code == 0 && (a.Error != nil || !a.Result.IsError || !strings.Contains(a.Result.Content[0].Text, tt.says)):
			t.Errorf("%s: got %s, want an error of the tool with %s", tt.name, p.lines.Bytes(), tt.says)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	p.answer("2")
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPManyRequests: thousands of calls that nobody waits for are answered each, one after the
// other.
func TestMCPManyRequests(t *testing.T) {
	const calls = 2000
	p := newMCPPipe(t)
	go func() { // ends when all is read
		var b bytes.Buffer
		for i := range calls {
			fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"terminal_output","arguments":{"terminal":"x"}}}`+"\n", i)
		}
		p.in.Write(b.Bytes())
	}()
	seen := make(map[string]bool)
	for range calls {
		a := p.next()
		if !a.Result.IsError || seen[string(a.ID)] {
			t.Fatalf("got %s, want each answered once", p.lines.Bytes())
		}
		seen[string(a.ID)] = true
	}
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPSameID: a call whose id is in use is refused, however many come, and takes no other's
// place.
func TestMCPSameID(t *testing.T) {
	const calls = 300
	p := newMCPPipe(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"sleep 1000","wait_seconds":600}}}` + "\n")
	for range calls {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
		if a := p.answer("1"); a.Error == nil || a.Error.Code != -32600 {
			t.Fatalf("got %s, want error -32600", p.lines.Bytes())
		}
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	p.answer("2")
	p.in.Close()
	p.answer("1")
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPTooManyWait: there is an end to calls that wait, and to commands that run; others go on.
func TestMCPTooManyWait(t *testing.T) {
	inTime(t, 5, func() bool { return tooManyWait(t) })
}

// tooManyWait reports whether the calls that wait were answered in the time that a server gives
// them at the end of its input.
func tooManyWait(t *testing.T) (inTime bool) {
	t.Helper()
	const lastTime = 10 * time.Second // of package mcp
	p := newMCPPipe(t)
	const calls = 200
	for i := range calls {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"sleep","args":["1000"],"wait_seconds":600}}}`+"\n", i))
	}
	for range calls - 128 {
		if a := p.next(); !a.Result.IsError || !strings.Contains(a.Result.Content[0].Text, "wait already") {
			t.Fatalf("got %s, want it refused", p.lines.Bytes())
		}
	}
	p.send(`{"jsonrpc":"2.0","id":"o","method":"tools/call","params":{"name":"terminal_output","arguments":{"terminal":"x"}}}` + "\n")
	p.answer(`"o"`)
	p.in.Close()
	closed := time.Now()
	for range 128 { // and the end of input ends those that wait, each with an answer
		if !p.lines.Scan() {
			if took := time.Since(closed); took < lastTime {
				t.Fatalf("the server has ended after %v: %v", took, p.lines.Err())
			}
			p.cmd.Wait()
			return false
		}
		if !json.Valid(p.lines.Bytes()) {
			t.Fatalf("got %s, want JSON", p.lines.Bytes())
		}
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return true
}

// TestMCPManyTerminals: who never releases can go on: the terminals of ended commands go.
func TestMCPManyTerminals(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience) // for 140 commands
	defer cancel()
	p := newMCPPipeFor(t, ctx)
	var first string
	for i := range 140 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"true","args":["x"],"wait_seconds":60}}}`+"\n", i))
		a := p.answer(fmt.Sprint(i))
		if a.Result.IsError || a.Result.StructuredContent.ExitCode == nil {
			t.Fatalf("got %s, want it run", p.lines.Bytes())
		}
		if i == 0 {
			first = a.Result.StructuredContent.Terminal
		}
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"o","method":"tools/call","params":{"name":"terminal_output","arguments":{"terminal":%q}}}`+"\n", first))
	if a := p.answer(`"o"`); !a.Result.IsError {
		t.Errorf("got %s, want the first one gone", p.lines.Bytes())
	}
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPClientGone: with its client everything ends, also what ignores the signal.
func TestMCPClientGone(t *testing.T) {
	for name, leave := range map[string]func(p *mcpPipe){
		"input ends": func(p *mcpPipe) { p.in.Close() },
		"a signal":   func(p *mcpPipe) { p.cmd.Process.Signal(syscall.SIGTERM) },
		"killed":     func(p *mcpPipe) { p.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMCPPipe(t, "--kill-grace", "100ms")
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_create","arguments":{"command":"trap '' TERM HUP; echo $$; while :; do sleep 1000; done","wait_seconds":0}}}` + "\n")
			id := p.answer("1").Result.StructuredContent.Terminal
			var pid string
			for pid == "" {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"terminal_output","arguments":{"terminal":%q}}}`+"\n", id))
				pid = strings.TrimSpace(p.answer("2").Result.StructuredContent.Output)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"terminal_wait","arguments":{"terminal":%q,"wait_seconds":600}}}`+"\n", id))
			leave(p)
			p.cmd.Wait()
			(&faultTest{T: t, ctx: limited(t)}).gone(pid)
		})
	}
}

// TestMCPIdleRelease: a terminal that no call names is released; one that a call waits for is not.
func TestMCPIdleRelease(t *testing.T) {
	t.Parallel()
	c := mcpClients["http"](t, mcpVersions[0], nil, "--idle-release", "1s")
	tools, err := c.session.ListTools(c.ctx, nil)
	if err != nil || !strings.Contains(tools.Tools[0].Description, "no call names for 1s") {
		t.Errorf("got %+v, %v, want the time in the description of a tool", tools, err)
	}
	var got mcpTerminal
	for strings.TrimSpace(got.Output) == "" { // on a busy machine a shell may print later
		got = c.call("terminal_create", arguments{"command": "echo $$; sleep 1000", "wait_seconds": 2})
		if !got.Running {
			t.Fatalf("got %+v, want it running after two seconds of a call", got)
		}
	}
	(&faultTest{T: t, ctx: c.ctx}).gone(strings.TrimSpace(got.Output))
	c.fails("terminal_output", arguments{"terminal": got.Terminal}, "no call has named it for 1s")
}

// TestMCPAdmission: only who knows the token gets in, and no page that was not allowed.
func TestMCPAdmission(t *testing.T) {
	url := mcpListening(t, "--allow-origin", "ide.example")
	const ping = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	for _, tt := range []struct {
		name   string
		method string
		url    string
		header []string
		body   string
		token  string
		want   int
	}{
		{name: "the token", token: listenToken, want: 200},
		{name: "no token", want: 401},
		{name: "a wrong token", token: listenToken + "x", want: 401},
		{name: "a token in the URL", url: url + "?token=" + listenToken, want: 401},
		{name: "another name of this machine", token: listenToken, header: []string{"Host", "localhost:80"}, want: 200},
		{name: "a rebound name", token: listenToken, header: []string{"Host", "evil.example"}, want: 403},
		{name: "another page", token: listenToken, header: []string{"Origin", "https://evil.example"}, want: 403},
		{name: "a sandboxed page", token: listenToken, header: []string{"Origin", "null"}, want: 403},
		{name: "an allowed page", token: listenToken, header: []string{"Origin", "https://ide.example"}, want: 200},
		{name: "an allowed page without the token", header: []string{"Origin", "https://ide.example"}, want: 401},
		{name: "what an allowed page asks before", method: "OPTIONS", header: []string{"Origin", "https://ide.example"}, want: 204},
		{name: "what another page asks before", method: "OPTIONS", header: []string{"Origin", "https://evil.example"}, want: 403},
		{name: "a long body", token: listenToken, body: strings.Repeat(" ", 2<<20) + ping, want: 413},
		{name: "no JSON", token: listenToken, body: "hello", want: 400},
		{name: "an unknown version", token: listenToken, header: []string{"Mcp-Protocol-Version", "1999-01-01"}, want: 400},
		{name: "an unknown session", token: listenToken, header: []string{"Mcp-Session-Id", "x"}, want: 404},
		{name: "another path", url: strings.TrimSuffix(url, "/mcp"), token: listenToken, want: 404},
	} {
		if tt.method == "" {
			tt.method = "POST"
		}
		if tt.body == "" {
			tt.body = ping
		}
		if tt.url == "" {
			tt.url = url
		}
		r, err := http.NewRequestWithContext(limited(t), tt.method, tt.url, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header(append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, tt.header...)...)
		r.Host = r.Header.Get("Host")
		if tt.token != "" {
			r.Header.Set("Authorization", "Bearer "+tt.token)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if response.StatusCode != tt.want {
			t.Errorf("%s: got status %d, want %d", tt.name, response.StatusCode, tt.want)
		}
		origin := r.Header.Get("Origin")
		if allowed := response.Header.Get("Access-Control-Allow-Origin"); allowed != "" && allowed != "https://ide.example" || allowed == "" && strings.Contains(origin, "ide.example") {
			t.Errorf("%s: got allowed origin %q", tt.name, allowed)
		}
		response.Body.Close()
	}
}

// TestMCPAnswerToNothing: an answer counts once, for the question that a person has seen.
func TestMCPAnswerToNothing(t *testing.T) {
	p := newPermitting(t)
	c := mcpClients["stdio"](t, mcpVersions[0], &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}, "--policy", p.policy, "--cwd", p.dir)
	yes := mcp.InputResponseMap{"permission": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "once"}}}
	again := func(state, command string) *mcp.CallToolResult {
		r, err := c.session.CallTool(c.ctx, &mcp.CallToolParams{
			Name: "terminal_create", Arguments: arguments{"command": command, "wait_seconds": 60}, RequestState: state, InputResponses: yes,
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	asked := c.result("terminal_create", arguments{"command": "mkdir shown", "wait_seconds": 60})
	if !asked.NeedsInput() || asked.RequestState == "" {
		t.Fatalf("got %+v, want a question", asked)
	}
	for state, command := range map[string]string{"x": "mkdir shown", asked.RequestState: "mkdir other"} {
		if r := again(state, command); !r.IsError || !strings.Contains(mcpText(r), "not open") {
			t.Errorf("%s: got %+v, want it refused", command, r)
		}
	}
	p.files()
	if r := again(asked.RequestState, "mkdir shown"); r.IsError {
		t.Errorf("got %s, want it run", mcpText(r))
	}
	if r := again(asked.RequestState, "mkdir shown"); !r.IsError {
		t.Errorf("got %s, want the answer used up", mcpText(r))
	}
	p.files("shown")
}
