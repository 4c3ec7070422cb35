package conform

import (
	"encoding/base64"
	"strings"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// toolCall returns the update that shows a terminal in a tool call.
func toolCall(update, id, terminal, status string) fields {
	return fields{
		"sessionUpdate": update, "toolCallId": id, "title": "a terminal of terrarium conform", "kind": "execute",
		"status": status, "content": []fields{{"type": "terminal", "terminalId": terminal}},
	}
}

// displayPoints are about what a client shows, as far as a program can see it: an
// update that a client can't bear ends its answers.
var displayPoints = []Point{
	{
		Number: 42, Name: "embedded terminals", Level: Should, Source: pageTerminals,
		Want: "a terminal can be embedded while it runs, after its end, and again after release; the client goes on answering",
		try: func(t *trial) {
			id := t.create(t.sh("echo shown; sleep 600"))
			t.update(toolCall("tool_call", "conform-42", id, "in_progress"))
			t.waitForText(id, func(o output) bool { return strings.Contains(o.text, "shown") }, "\"shown\" of an embedded terminal")
			t.kill(id)
			t.wait(id)
			t.update(toolCall("tool_call_update", "conform-42", id, "in_progress"))
			t.output(id)
			t.release(id)
			t.update(toolCall("tool_call_update", "conform-42", id, "completed"))
			t.update(toolCall("tool_call", "conform-42-again", id, "completed"))
			t.answers("a released terminal was embedded")
			t.note("the client goes on answering; what it shows, only a person can see")
		},
	},
	{
		Number: 43, Name: "embedded ids that are unknown", Level: Practice, Source: pageToolCalls, needs: needsNothing,
		Want: "an update that embeds a terminal the client does not know breaks nothing",
		try: func(t *trial) {
			t.update(toolCall("tool_call", "conform-43", "conform-never-was", "in_progress"))
			t.update(toolCall("tool_call_update", "conform-43", "conform-never-was", "completed"))
			t.answers("an unknown terminal was embedded")
			t.note("the client goes on answering")
		},
	},
	{
		Number: 51, Name: "terminals in _meta", Level: Practice, Source: pageExtensible, needs: needsNothing,
		Want: "terminal_info, terminal_output and terminal_exit in _meta, in whatever order, break nothing",
		try: func(t *trial) {
			meta := func(update string, m fields) {
				t.update(toolCall(update, "conform-51", "conform-51", "in_progress").with("_meta", m))
			}
			meta("tool_call_update", fields{"terminal_output": fields{"terminal_id": "conform-51", "data": "early\r\n"}})
			meta("tool_call", fields{"terminal_info": fields{"terminal_id": "conform-51", "cwd": "/"}})
			meta("tool_call_update", fields{"terminal_output": fields{"terminal_id": "conform-51", "data": "\x1b[31mred"}})
			meta("tool_call_update", fields{"terminal_output_delta": fields{"terminal_id": "conform-51", "data": "more\x1b[0m\r\n"}})
			meta("tool_call_update", fields{"terminal_exit": fields{"terminal_id": "conform-51", "exit_code": nil, "signal": nil}})
			t.answers("a terminal in _meta")
			t.note("the client goes on answering")
		},
	},
	{
		Number: 52, Name: "updates of later versions", Level: Practice, Source: pageExtensible, needs: needsNothing,
		Want: "session updates that the client does not know, as terminal_update of version 2, break nothing",
		try: func(t *trial) {
			data := base64.StdEncoding.EncodeToString([]byte("half of a euro: \xe2\x82"))
			t.update(fields{"sessionUpdate": "terminal_update", "terminalId": "conform-52", "command": "true", "size": fields{"cols": 80, "rows": 24}})
			t.update(fields{"sessionUpdate": "terminal_output_chunk", "terminalId": "conform-52", "data": data})
			t.update(fields{"sessionUpdate": "_terrarium/conform"})
			t.answers("updates that it does not know")
			t.note("the client goes on answering")
		},
	},
	{
		Number: 53, Name: "unknown methods", Level: Must, Source: pageExtensible, needs: needsNothing,
		Want: "a request with an unknown method is answered with -32601, and an unknown notification with nothing",
		try: func(t *trial) {
			if err := t.peer.notify(methodUnknown, fields{"sessionId": t.client.session}.encode()); err != nil {
				t.fail("a notification can't be sent: %v", err)
			}
			a := t.ask(methodUnknown, fields{"sessionId": t.client.session})
			if a.failure == nil || a.failure.Code != jsonrpc.CodeMethodNotFound {
				t.fail("%v, want the error %d", a, jsonrpc.CodeMethodNotFound)
			}
		},
	},
}
