package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// openDraft has the editor and the agent agree on version 2 of ACP. The agent answers with these
// capabilities of a session. It returns what the agent got.
func (l *link) openDraft(session string) (initialize string) {
	l.t.Helper()
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":2,"info":{"name":"e","version":"1"},"capabilities":{}}}`)
	initialize = l.gets(l.agent)
	answer := `{"jsonrpc":"2.0", "id":"init","result":{"protocolVersion":2,"info":{"name":"test","version":"1"},"capabilities":{"session":` + session + `}}}`
	l.says(l.toEditor, answer)
	if got := l.gets(l.editor); got != answer+"\n" {
		l.t.Errorf("the editor got %s, want %s", got, answer)
	}
	return initialize
}

// TestProxyDraft: version 2 is passed on as it is, and has no terminals that an editor or we would
// run.
func TestProxyDraft(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	if got := l.openDraft(`{}`); !strings.Contains(got, `"info":{"name":"e","version":"1"},"capabilities":{}`) || !strings.Contains(got, `"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":true}}`) {
		t.Errorf("the agent got %s, want it as it was, and terminals, in case that it speaks version 1", got)
	}
	l.newDraftSession()
	for _, line := range []string{
		`{ "jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x","capabilities":{"cancel":{}}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"w6k="}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"terminal","terminalId":"x"}]}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s","title":"t","subject":{"type":"command","command":"x","cwd":"/"},"options":[]}}`,
	} {
		l.says(l.toEditor, line)
		if got := l.gets(l.editor); got != line+"\n" {
			t.Errorf("the editor got %s, want %s", got, line)
		}
	}
	const cancel = `{"jsonrpc":"2.0","id":6,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x"}}`
	l.says(l.toAgent, cancel)
	if got := l.gets(l.agent); got != cancel+"\n" {
		t.Errorf("the agent got %s, want %s", got, cancel)
	}
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s","command":"touch made"}}`)
	if m := l.message(l.agent); string(m.ID) != "7" || m.Error.Code != -32601 {
		t.Errorf("the agent got %+v, want to be told that there is no such method", m)
	}
	const last = `{"jsonrpc":"2.0","method":"_last","params":{}}`
	l.says(l.toEditor, last)
	if got := l.gets(l.editor); got != last+"\n" {
		t.Errorf("the editor got %s, want no call of a terminal", got)
	}
	const warning = "version 2 of ACP, a draft"
	eventually(t, func() bool { return strings.Contains(l.stderr.String(), warning) })
	if n := strings.Count(l.stderr.String(), warning); n != 1 {
		t.Errorf("got %d warnings, want one that says what the proxy does", n)
	}
}

// newDraftSession has the editor open the session s, and returns what the agent got.
func (l *link) newDraftSession() string {
	l.t.Helper()
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q}}`, l.dir))
	got := l.gets(l.agent)
	l.named("s")
	return got
}

// TestProxyDraftTools runs a command for an agent of version 2, by MCP, and asks the editor as that
// version has it.
func TestProxyDraftTools(t *testing.T) {
	nativeHost(t)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("default = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _ := withTools(t, "--policy", policy)
	l.openDraft(`{"mcp":{"stdio":{}}}`)
	var opened struct {
		Params struct {
			McpServers []struct {
				Type string
				toolServer
			}
		}
	}
	line := l.newDraftSession()
	wantDraft(t, "NewSessionRequest", line)
	if json.Unmarshal([]byte(line), &opened) != nil || len(opened.Params.McpServers) != 1 || opened.Params.McpServers[0].Type != "stdio" {
		t.Fatalf("the agent got %s, want an MCP server with its type", line)
	}
	client := newMCPClient(t, mcpVersions[0], nil, &mcp.CommandTransport{Command: opened.Params.McpServers[0].cmd(), TerminateDuration: time.Minute})
	l.updates("s", `{"sessionUpdate":"tool_call_update","toolCallId":"call 1","title":"mcp__terrarium__terminal_create","rawInput":{"command":"touch"}}`)
	l.gets(l.editor)
	result := make(chan *mcp.CallToolResult, 1)
	go func() { // ends with the answer
		r, _ := client.session.CallTool(client.ctx, &mcp.CallToolParams{Name: "terminal_create", Arguments: arguments{"command": "touch", "args": []string{"it's", "plain"}, "wait_seconds": 60}})
		result <- r
	}()
	var q struct {
		ID     json.RawMessage
		Method string
		Params struct {
			SessionID, Title, Description string
			Subject                       struct{ Type, Command, Cwd, ToolCallID string }
			ToolCall                      *struct{}
		}
	}
	asked := l.gets(l.editor)
	wantDraft(t, "RequestPermissionRequest", asked)
	if err := json.Unmarshal([]byte(asked), &q); err != nil {
		t.Fatal(err)
	}
	subject := q.Params.Subject
	if q.Method != "session/request_permission" || q.Params.SessionID != "s" || q.Params.ToolCall != nil || !strings.HasPrefix(q.Params.Title, "`touch ") ||
		!strings.Contains(q.Params.Description, "touch") || subject.Type != "command" || subject.Command != `touch 'it'\''s' plain` || subject.Cwd != l.dir || subject.ToolCallID != "call 1" {
		t.Fatalf("got %+v, want a question of version 2 about the command", q)
	}
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}`, q.ID))
	if r := <-result; r == nil || r.IsError {
		t.Errorf("got %+v", r)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "it's")); err != nil {
		t.Error(err)
	}
	l.updates("s", `{"sessionUpdate":"tool_call_update","toolCallId":"call 1","status":"completed"}`)
	for _, want := range []string{
		`"sessionUpdate":"terminal_update","terminalId":"ID","command":"touch 'it'\\''s' plain","cwd":` + strconv.Quote(l.dir) + `}`,
		`"sessionUpdate":"tool_call_update","toolCallId":"call 1","content":[{"type":"terminal","terminalId":"ID"}]}`,
		`"sessionUpdate":"terminal_update","terminalId":"ID","exitStatus":{"exitCode":0,"signal":null}}`,
		`"sessionUpdate":"tool_call_update","toolCallId":"call 1","status":"completed"}`,
	} {
		l.getsDraft("UpdateSessionNotification", want)
	}
}

// aTerminalID is what stands for the id of each terminal in what getsDraft wants.
var aTerminalID = regexp.MustCompile(`"terminalId":"[^"]*"`)

// getsDraft checks that the editor gets an update of version 2 next. It returns the line.
func (l *link) getsDraft(typeName, update string) (line string) {
	l.t.Helper()
	line = l.gets(l.editor)
	wantDraft(l.t.(*testing.T), typeName, line)
	if got := aTerminalID.ReplaceAllString(line, `"terminalId":"ID"`); !strings.Contains(got, update) {
		l.t.Fatalf("the editor got %s, want %s", line, update)
	}
	return line
}

// TestProxyDraftToolsAreShown shows commands of our tools to an editor of version 2 as terminals of
// that version: what they write while they run, and where the tool call has content that we don't
// keep.
func TestProxyDraftToolsAreShown(t *testing.T) {
	nativeHost(t)
	l, _ := withTools(t)
	l.openDraft(`{"mcp":{"stdio":{}}}`)
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q}}`, l.dir))
	server := l.told()
	l.named("s")
	client := newMCPClient(t, mcpVersions[0], nil, &mcp.CommandTransport{Command: server.cmd(), TerminateDuration: time.Minute})
	const command = "printf 'caf\\303'; until test -e go; do sleep 0.05; done; printf '\\251'; kill -TERM $$"
	l.updates("s", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c","name":"terminal_create","rawInput":{"command":%q}}`, command))
	l.gets(l.editor)
	l.updates("s", `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"its own"}}}`)
	l.gets(l.editor)
	client.call("terminal_create", arguments{"command": command, "wait_seconds": 0})
	l.getsDraft("UpdateSessionNotification", `"sessionUpdate":"terminal_update","terminalId":"ID","command":"printf `)
	l.getsDraft("UpdateSessionNotification", `"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal","terminalId":"ID"}}`)
	l.getsDraft("UpdateSessionNotification", `"sessionUpdate":"terminal_output_chunk","terminalId":"ID","data":"`+inBase64("caf")+`"}`)
	l.updates("s", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"its own"}}]}`)
	l.getsDraft("UpdateSessionNotification", `"content":[{"type":"terminal","terminalId":"ID"},{"type":"content",`)
	if err := os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.getsDraft("UpdateSessionNotification", `"sessionUpdate":"terminal_output_chunk","terminalId":"ID","data":"`+inBase64("é")+`"}`)
	l.getsDraft("UpdateSessionNotification", `"sessionUpdate":"terminal_update","terminalId":"ID","exitStatus":{"exitCode":null,"signal":"SIGTERM"}}`)
}

// TestProxyDraftWithoutMCP: an agent of version 2 that takes no MCP servers would refuse a session
// that has one.
func TestProxyDraftWithoutMCP(t *testing.T) {
	nativeHost(t)
	l, _ := withTools(t)
	l.openDraft(`{"mcp":{"http":{}}}`)
	if got := l.newDraftSession(); strings.Contains(got, "mcpServers") {
		t.Errorf("the agent got %s", got)
	}
	eventually(t, func() bool { return strings.Contains(l.stderr.String(), "so it has no terminals by MCP") })
}
