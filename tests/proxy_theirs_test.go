package tests

import (
	"fmt"
	"strings"
	"testing"
)

// ownTerminal is what an agent tells of a command of its own, as codex-acp and claude-agent-acp do:
// updates of a tool call, of which the last embeds the terminal anew.
var ownTerminal = []string{
	`{"sessionUpdate":"tool_call","toolCallId":"call","status":"pending","content":[{"type":"terminal","terminalId":"call"}],"_meta":{"terminal_info":{"terminal_id":"call","cwd":"/"}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"call","_meta":{"terminal_output_delta":{"terminal_id":"call","data":"\u001b[1mone\u001b[0m\r\n"}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"call","_meta":{"terminal_output":{"terminal_id":"call","data":"10%\r100%\r\n"}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"call","status":"completed","_meta":{"terminal_exit":{"terminal_id":"call","exit_code":3,"signal":null}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"call","content":[{"type":"terminal","terminalId":"call"}]}`,
}

func (l *link) updates(session, update string) string {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, update)
	l.says(l.toEditor, line)
	return line + "\n"
}

// TestProxyShowsTheirs has an agent show a terminal of its own to editors that do not know such
// terminals: it becomes text, which grows and stays.
func TestProxyShowsTheirs(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open(`"terminal":true,"_meta":{"terminal_output":false}`)
	shown := ""
	until := func(want string) {
		t.Helper()
		for !strings.Contains(shown, want) {
			u := l.message(l.editor).Params.Update
			if u.ToolCallID != "call" {
				t.Fatalf("got %+v, want news of the call", u)
			}
			for _, c := range u.Content {
				if c.Type == "terminal" {
					t.Fatal("got a terminal that the editor does not know")
				}
				shown = c.Content.Text
			}
		}
	}
	l.updates("s", ownTerminal[0])
	until("```\n")
	l.updates("s", ownTerminal[1])
	until("```\none\n```")
	l.updates("s", ownTerminal[2])
	until("```\none\n100%\n```")
	l.updates("s", ownTerminal[3])
	until("It has ended: exit 3.")
	shown = ""
	l.updates("s", ownTerminal[4])
	until("```\none\n100%\n```\nIt has ended: exit 3.")

	// The same id in another session is another terminal: nothing is known of it.
	want := l.updates("other", ownTerminal[4])
	if got := l.gets(l.editor); got != want {
		t.Errorf("the editor got %s, want %s", got, want)
	}
}

// TestProxyShowsBeforeTheEnd: what a turn has shown is there in full when the turn ends.
func TestProxyShowsBeforeTheEnd(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open("")
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"turn","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	l.gets(l.agent)
	for _, update := range ownTerminal[:4] {
		l.updates("s", update)
	}
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":"turn","result":{"stopReason":"end_turn"}}`)
	for shown := ""; ; {
		m := l.message(l.editor)
		for _, c := range m.Params.Update.Content {
			shown = c.Content.Text
		}
		if string(m.ID) == `"turn"` {
			if want := "```\none\n100%\n```\nIt has ended: exit 3."; shown != want {
				t.Errorf("at the end of the turn the editor shows %q, want %q", shown, want)
			}
			return
		}
	}
}

// TestProxyPassesTheirs has editors that know such terminals get what the agent says, byte for
// byte.
func TestProxyPassesTheirs(t *testing.T) {
	nativeHost(t)
	for _, key := range []string{"terminal_output", "terminal_output_delta"} {
		l := proxied(t, "--sandbox", "off")
		l.open(`"terminal":true,"_meta":{"` + key + `":true}`)
		for _, update := range ownTerminal {
			want := l.updates("s", update)
			if got := l.gets(l.editor); got != want {
				t.Errorf("%s: the editor got %s, want %s", key, got, want)
			}
		}
		l.quiet()
	}
}

// TestProxyForgetsTheirs has an agent show more terminals than are known at a time, and one that
// writes without end.
func TestProxyForgetsTheirs(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open("")
	go func() { // ends with the proxy
		for range l.editor {
		}
	}()
	for n := range 200 {
		for _, update := range ownTerminal[:2] {
			l.updates("s", strings.ReplaceAll(update, `"call"`, fmt.Sprintf(`"call %d"`, n)))
		}
	}
	for range 200 {
		l.updates("s", `{"sessionUpdate":"tool_call_update","toolCallId":"call 199","_meta":{"terminal_output":{"terminal_id":"call 199","data":"`+strings.Repeat("x", 64<<10)+`"}}}`)
	}
	l.create("true") // it goes on
}
