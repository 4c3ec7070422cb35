package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toolCalls are how agents tell of a call of our tool for the command %s, in updates of the tool
// call %s, and how it has ended.
var toolCalls = map[string]struct{ begun, over string }{
	"claude-agent-acp": {
		`{"_meta":{"claudeCode":{"toolName":"mcp__terrarium__terminal_create"}},"toolCallId":%[2]q,"sessionUpdate":"tool_call","name":"mcp__terrarium__terminal_create","rawInput":{},"status":"pending","title":"mcp__terrarium__terminal_create","content":[]}
{"_meta":{"claudeCode":{"toolName":"mcp__terrarium__terminal_create"}},"toolCallId":%[2]q,"sessionUpdate":"tool_call_update","rawInput":{"command":%[1]q,"wait_seconds":0}}`,
		`{"toolCallId":%[2]q,"sessionUpdate":"tool_call_update","status":"completed","content":[{"type":"content","content":{"type":"text","text":"its answer"}}]}`,
	},
	"codex-acp": {
		`{"sessionUpdate":"tool_call","toolCallId":%[2]q,"title":"mcp.terrarium.terminal_create","status":"in_progress","rawInput":{"server":"terrarium","tool":"terminal_create","arguments":{"command":%[1]q,"wait_seconds":0}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":%[2]q,"status":"completed","rawOutput":{},"content":[{"type":"content","content":{"type":"text","text":"its answer"}}]}`,
	},
	"kimi-code": {
		`{"sessionUpdate":"tool_call","toolCallId":%[2]q,"title":"mcp__terrarium__terminal_create","status":"pending","content":[{"type":"content","content":{"type":"text","text":"its input"}}]}
{"sessionUpdate":"tool_call_update","toolCallId":%[2]q,"title":"mcp__terrarium__terminal_create","status":"in_progress","rawInput":{"command":%[1]q},"content":[{"type":"content","content":{"type":"text","text":"its input"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":%[2]q,"status":"completed","content":[{"type":"content","content":{"type":"text","text":"its answer"}}]}`,
	},
}

// TestProxyToolsAreShown has agents run a command by our tools: it is shown at their tool call,
// while it runs and when they have told of its end, by each kind of editor, whether the call or the
// command comes first.
func TestProxyToolsAreShown(t *testing.T) {
	nativeHost(t)
	for agent, call := range toolCalls {
		for _, editor := range []string{"text", "dialect"} {
			for _, first := range []string{"call", "command"} {
				t.Run(agent+"/"+editor+"/"+first, func(t *testing.T) {
					l, _ := withTools(t)
					capabilities := map[string]string{"text": "", "dialect": `"_meta":{"terminal_output":true}`}[editor]
					client := l.openToolsFor(t, capabilities)
					const command = "echo one; until test -e go; do sleep 0.05; done; echo two; exit 3"
					shown := "" // what a person sees at the tool call
					take := func() {
						t.Helper()
						u := l.message(l.editor).Params.Update
						if u.ToolCallID != "call" {
							t.Fatalf("got %+v, want news of the call", u)
						}
						text, embeds := "", u.Content == nil
						for _, c := range u.Content {
							text += c.Content.Text + "\n"
							embeds = embeds || c.Type == "terminal"
						}
						if editor == "text" && u.Content != nil {
							shown = text
						}
						if editor == "dialect" {
							if u.Meta.Info.TerminalID != "" && !strings.Contains(string(u.RawInput), command) {
								t.Errorf("got %s beside terminal_info, want the command in it", u.RawInput)
							}
							if strings.Contains(shown, "one") && !embeds {
								t.Fatalf("got %+v, which takes the terminal away", u)
							}
							shown += text + u.Meta.Output.Data
							if e := u.Meta.Exit; e != nil && e.ExitCode != nil {
								shown += fmt.Sprintf("It has ended: exit %d", *e.ExitCode)
							}
						}
					}
					until := func(wants ...string) {
						t.Helper()
						for _, want := range wants {
							for !strings.Contains(shown, want) {
								take()
							}
						}
					}
					says := func(updates string) {
						for update := range strings.Lines(fmt.Sprintf(updates+"%.0[2]s", command, "call")) {
							l.updates("s", strings.TrimSuffix(update, "\n"))
						}
					}
					run := func() { client.call("terminal_create", arguments{"command": command, "wait_seconds": 0}) }
					if first == "call" {
						says(call.begun)
						run()
					} else {
						run()
						says(call.begun)
					}
					until("one")
					if agent == "kimi-code" && !strings.Contains(shown, "its input") {
						t.Errorf("got %q without the call's own content", shown)
					}
					says(call.over)
					until("its answer", "one")
					if err := os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600); err != nil {
						t.Fatal(err)
					}
					until("two", "It has ended: exit 3", "its answer")
				})
			}
		}
	}
}

// TestProxyToolsAreShownOnce has two tool calls that a terminal could be for: none shows it.
func TestProxyToolsAreShownOnce(t *testing.T) {
	nativeHost(t)
	l, _ := withTools(t)
	client := l.openToolsFor(t, "")
	for _, id := range []string{"a", "b"} {
		l.updates("s", fmt.Sprintf(toolCalls["codex-acp"].begun, "echo x", id))
		l.gets(l.editor)
	}
	client.call("terminal_create", arguments{"command": "echo x"})
	for _, id := range []string{"a", "b"} { // what they say in the end passes as it is
		want := l.updates("s", fmt.Sprintf(toolCalls["codex-acp"].over+"%.0[1]s", "echo x", id))
		if got := l.gets(l.editor); got != want {
			t.Errorf("the editor got %s, want %s", got, want)
		}
	}
}
