package acp

import (
	"iter"
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// told is what an update says of one terminal, in whichever of the two ways. What
// it does not say is nil; an empty text, and a size of 0, is known no longer.
type told struct {
	id       string
	begins   bool // the agent begins to tell of it
	command  *string
	title    *string
	cwd      *string
	size     *cells
	cancel   *bool
	output   []byte
	replaces bool // output takes the place of all before
	exit     *core.ExitStatus
	runs     bool // it has not ended, whatever was told before
}

type cells struct{ rows, cols int }

// readDisplays yields what an update says of terminals.
func readDisplays(update jsonrpc.Value) iter.Seq[told] {
	return func(yield func(told) bool) {
		switch textOf(update, "sessionUpdate") {
		case "tool_call", "tool_call_update":
			readDialect(update, yield)
		case "terminal_update":
			if t, ok := readTerminalUpdate(update); ok {
				yield(t)
			}
		case "terminal_output_chunk":
			t := told{id: displayID(update, "terminalId")}
			data, ok := base64In(update)
			if t.output = data; ok && t.id != "" {
				yield(t)
			}
		}
	}
}

// readDialect reads the _meta of a tool call.
//
// Sources: Zed, crates/agent_servers; codex-acp 2.6 and claude-agent-acp 0.101.
func readDialect(update jsonrpc.Value, yield func(told) bool) {
	meta, _ := update.Get("_meta")
	if info, id := metaDisplay(meta, "terminal_info"); id != "" {
		t := told{
			id: id, begins: textOf(update, "sessionUpdate") == "tool_call",
			command: commandIn(update), title: textIn(update, "title"), cwd: textIn(info, "cwd"),
		}
		if !yield(t) {
			return
		}
	}
	for _, key := range []string{"terminal_output", "terminal_output_delta"} {
		output, id := metaDisplay(meta, key)
		data, _ := output.Get("data")
		if text, err := data.AppendText(nil); id != "" && err != jsonrpc.ErrType && !yield(told{id: id, output: text}) {
			return
		}
	}
	if exit, id := metaDisplay(meta, "terminal_exit"); id != "" {
		yield(told{id: id, exit: exitIn(exit, "exit_code")})
	}
}

// metaDisplay returns a member of _meta and which terminal it is about; "" is none.
func metaDisplay(meta jsonrpc.Value, key string) (member jsonrpc.Value, id string) {
	member, _ = meta.Get(key)
	return member, displayID(member, "terminal_id")
}

// readTerminalUpdate reads the update terminal_update of version 2, in which a
// member that is absent says nothing, and null that nothing is known.
//
// Source: TerminalUpdate in schema/v2/schema.json of npm's @agentclientprotocol/sdk 2.4.0.
func readTerminalUpdate(update jsonrpc.Value) (t told, ok bool) {
	t = told{id: displayID(update, "terminalId"), command: patchIn(update, "command"), cwd: patchIn(update, "cwd")}
	if output, _ := update.Get("output"); output.IsNull() {
		t.replaces = true
	} else {
		t.output, t.replaces = base64In(output)
	}
	if size, said := update.Get("size"); said {
		t.size = sizeIn(size)
	}
	if capabilities, said := update.Get("capabilities"); said {
		cancel, _ := capabilities.Get("cancel")
		can := cancel.Kind() == jsonrpc.Object
		t.cancel = &can
	}
	switch exit, _ := update.Get("exitStatus"); exit.Kind() {
	case jsonrpc.Null:
		t.runs = true
	case jsonrpc.Object:
		t.exit = exitIn(exit, "exitCode")
	}
	return t, t.id != ""
}

// textOf returns the member key of v if it is a string, or "".
func textOf(v jsonrpc.Value, key string) string {
	member, _ := v.Get(key)
	s, _ := member.Text() // of half a surrogate pair enough is left to read
	return s
}

func displayID(v jsonrpc.Value, key string) string {
	id := textOf(v, key)
	if len(id) > maxDisplayID {
		return ""
	}
	return id
}

// textIn returns a text to show, or nil if there is none.
func textIn(v jsonrpc.Value, key string) *string {
	member, _ := v.Get(key)
	if member.Kind() != jsonrpc.String {
		return nil
	}
	s := clipTo(textOf(v, key), maxDisplayText)
	return &s
}

// patchIn is textIn where null is an empty text.
func patchIn(v jsonrpc.Value, key string) *string {
	if member, _ := v.Get(key); member.IsNull() {
		return new(string)
	}
	return textIn(v, key)
}

// commandIn returns the command of a tool call. ACP does not say where it stands:
// agents have it in rawInput, codex-acp 2.6 that of an MCP tool in its arguments.
func commandIn(update jsonrpc.Value) *string {
	input, _ := update.Get("rawInput")
	if arguments, ok := input.Get("arguments"); ok {
		input = arguments
	}
	if command := textIn(input, "command"); command != nil && *command != "" {
		return command
	}
	return nil
}

// sizeIn returns a size, or nil if it is none. It may be larger than any screen.
func sizeIn(size jsonrpc.Value) *cells {
	if size.IsNull() {
		return new(cells)
	}
	rows, _ := size.Get("rows")
	cols, _ := size.Get("cols")
	r, errRows := rows.Int64()
	c, errCols := cols.Int64()
	if errRows != nil || errCols != nil || r < 1 || c < 1 {
		return nil
	}
	return &cells{int(min(r, math.MaxUint16)), int(min(c, math.MaxUint16))}
}

// exitIn returns an exit status, of which nothing need be known. A negative code
// is one of Windows, which has them without a sign in version 1.
func exitIn(exit jsonrpc.Value, codeKey string) *core.ExitStatus {
	const maxSignal = 64
	if signal := textOf(exit, "signal"); signal != "" {
		return &core.ExitStatus{Signal: clipTo(signal, maxSignal)}
	}
	code, _ := exit.Get(codeKey)
	n, err := code.Int64()
	if err != nil || n < math.MinInt32 || n > math.MaxUint32 {
		return &core.ExitStatus{Unknown: true}
	}
	return &core.ExitStatus{ExitCode: uint32(n)}
}

// base64In returns the bytes of the member data of v. It reports false if they
// are none.
func base64In(v jsonrpc.Value) (p []byte, ok bool) {
	member, _ := v.Get("data")
	text, err := member.AppendText(nil)
	if err != nil {
		return nil, false
	}
	return decodeBase64(text)
}
