package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProxyIsTransparent has an editor and an agent say much to each other at once. All of it must
// come as it was sent, but for what initialize says of terminals.
func TestProxyIsTransparent(t *testing.T) {
	t.Parallel()
	nativeHost(t)
	for _, place := range []string{"here", "mcp", "editor"} {
		t.Run(place, func(t *testing.T) {
			l := proxied(t, "--sandbox", "off", "--approve", "none", "--terminals", place)
			if place == "mcp" {
				l.agent = withoutOffers(l.agent)
			}
			if err := l.converse(place != "editor"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProxyThatReencodes checks that the conversation finds a proxy that reads and writes JSON
// anew.
func TestProxyThatReencodes(t *testing.T) {
	fromEditor, toAgent := io.Pipe()
	fromAgent, toEditor := io.Pipe()
	reencoded := func(r io.Reader) chan []byte {
		c := make(chan []byte, 1<<14)
		go func() { // ends with r
			defer close(c)
			for line := range lines(r) {
				var v any
				if json.Unmarshal(line, &v) == nil {
					line, _ = json.Marshal(v)
					line = append(line, '\n')
				}
				c <- line
			}
		}()
		return c
	}
	l := &link{t: t, toAgent: toAgent, toEditor: toEditor, editor: reencoded(fromAgent), agent: reencoded(fromEditor)}
	if l.converse(false) == nil {
		t.Error("got the same bytes, want a difference")
	}
	toAgent.Close()
	toEditor.Close()
}

// converse sends a conversation in both directions and says what came that was not sent.
func (l *link) converse(spliced bool) error {
	editor, agent := conversation()
	want := bytes.Join(editor, nil)
	if spliced {
		want = bytes.Replace(want, []byte(`"clientCapabilities": {`), []byte(`"clientCapabilities": {"terminal":true,"_meta":{"terminal_output":true},`), 1)
	}
	send := func(w io.Writer, said [][]byte) {
		for _, line := range said {
			w.Write(line) // what is missing is found by those who read
		}
	}
	go send(l.toAgent, editor)
	go send(l.toEditor, agent)
	got := make(chan error, 2)
	compare := func(who string, c chan []byte, want []byte) {
		for len(want) > 0 {
			select {
			case line := <-c:
				if len(line) == 0 || !bytes.HasPrefix(want, line) {
					got <- fmt.Errorf("the %s got %.200q, want %.200q", who, line, want)
					return
				}
				want = want[len(line):]
			case <-time.After(patience):
				got <- fmt.Errorf("the %s got nothing more, want %.200q", who, want)
				return
			}
		}
		got <- nil
	}
	go compare("agent", l.agent, want)
	go compare("editor", l.editor, bytes.Join(agent, nil))
	if err := <-got; err != nil {
		return err
	}
	return <-got
}

// conversation returns more than 600 lines that are hard to pass on unchanged.
func conversation() (editor, agent [][]byte) {
	say := func(to *[][]byte, format string, args ...any) { *to = append(*to, fmt.Appendf(nil, format, args...)) }
	say(&editor, "{\"method\": \"initialize\" , \"params\":{ \"clientCapabilities\": { \"fs\":{}, \"x\" : 1e400 },\"protocolVersion\":1},\"id\":0, \"jsonrpc\":\"2.0\"}\n")
	say(&agent, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}}\n")
	say(&editor, "{\"jsonrpc\":\"2.0\",\"id\":\"n\\u0065w\",\"method\":\"session\\/new\",\"params\":{\"mcpServers\":[ ],\"cwd\":\"/\"}}\n")
	say(&agent, "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"early\",\"update\":{\"sessionUpdate\":\"available_commands_update\",\"availableCommands\":[]}}}\n")
	say(&agent, "{\"id\":\"new\", \"result\":{\"sessionId\":\"early\"},\"jsonrpc\":\"2.0\"}\r\n")
	strange := []string{
		`"\u00e9\ud83d\ude00 é 😀 \/ \u2028 ` + "\u2028" + `"`, `1.0`, `-0`, `1E+2`, `12345678901234567890123`, `0.1e-400`,
		`{"b":1,"a":2,"b":3}`, `[ ]`, `{ }`, `"<>&"`, `"\ud800"`, `null`, "{\t\"terminalId\" : \"x\" }", `"` + strings.Repeat("long ", 3000) + `"`,
	}
	for i := range 320 {
		v := strange[i%len(strange)]
		end := "\n"
		if i%7 == 0 {
			end = "\r\n"
		}
		say(&editor, `{"jsonrpc":"2.0","id":%d,"method":"_ext/%d","params":{"_meta":{"other":%s}}}%s`, i+1, i, v, end)
		say(&agent, ` {"jsonrpc":"2.0" ,"params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"terminal","terminalId":"not ours"},%s]}},"method":"session/update"}%s`, v, end)
		if i%40 == 0 {
			say(&editor, "\n")
			say(&agent, "  \n")
			say(&editor, `{"jsonrpc":"2.0","id":%d,"result":{"big":"%s"}}`+"\n", i, strings.Repeat("0123456789abcdef", few(1<<16)))
			say(&agent, `{"jsonrpc":"2.0","id":"a%d","method":"fs/write_text_file","params":{"content":"%s"}}`+"\n", i, strings.Repeat("é\\n", few(1<<18)))
		}
	}
	return editor, agent
}

// TestProxyPassesWhatTheEditorSays has lines of the editor reach the agent that nobody else would
// pass on.
func TestProxyPassesWhatTheEditorSays(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	for _, line := range []string{
		`not JSON`, `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, `{"id":1,"id":2,"method":"a","method":"b"}`, "{\"method\":\"\xff\"}",
		`{"x":"` + strings.Repeat("x", 33<<20) + `"}`,
	} {
		go io.WriteString(l.toAgent, line+"\n")
		if got := l.gets(l.agent); got != line+"\n" {
			t.Errorf("the agent got %.80q (%d bytes), want %.80q", got, len(got), line)
		}
		l.quiet() // the other direction goes on
	}
	for _, want := range []string{"not_json", "batch", "duplicate_", "32 MiB"} {
		eventually(t, func() bool { return strings.Contains(l.stderr.String(), want) })
	}
}

// TestProxyCancels cancels what the agent and the editor have asked for, each where it was asked.
func TestProxyCancels(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open("")
	id := l.create("sleep 1000")
	l.onTerminal("w", "wait_for_exit", id)
	l.says(l.toEditor, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"w"}}`)
	if m := l.message(l.agent); string(m.ID) != `"w"` || m.Error.Code != -32800 {
		t.Errorf("got %+v, want it cancelled", m)
	}
	l.quiet()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"r","method":"fs/read_text_file","params":{}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"r"}}`,
	} {
		l.says(l.toEditor, line)
		if got := l.gets(l.editor); got != line+"\n" {
			t.Errorf("the editor got %s, want %s", got, line)
		}
	}
	cancel := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`
	l.says(l.toAgent, cancel)
	if got := l.gets(l.agent); got != cancel+"\n" {
		t.Errorf("the agent got %s, want %s", got, cancel)
	}
}

// TestProxyManyRequests has 1,000 requests of each kind wait at once.
func TestProxyManyRequests(t *testing.T) {
	nativeHost(t)
	const n = 1000
	l := proxied(t, "--sandbox", "off")
	l.open("")
	id := l.create("sleep 1000")
	for i := range n {
		l.onTerminal("w"+strconv.Itoa(i), "wait_for_exit", id)
		l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{}}`, i))
		l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"_x","params":{}}`, i))
	}
	for i := range n {
		if m := l.message(l.editor); string(m.ID) != strconv.Itoa(i) {
			t.Fatalf("the editor got %s, want request %d", m.ID, i)
		}
	}
	for i := range n {
		if m := l.message(l.agent); string(m.ID) != strconv.Itoa(i) || m.Method != "_x" {
			t.Fatalf("the agent got %s, want request %d", m.ID, i)
		}
	}
	for i := range n { // the last one first
		l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n-1-i))
	}
	for i := range n {
		if m := l.message(l.agent); string(m.ID) != strconv.Itoa(n-1-i) {
			t.Fatalf("the agent got %s, want the answer to %d", m.ID, n-1-i)
		}
	}
	l.onTerminal("kill", "kill", id)
	answered := make(map[string]bool)
	for range n + 1 {
		answered[string(l.message(l.agent).ID)] = true
	}
	if len(answered) != n+1 {
		t.Errorf("got %d answers, want %d", len(answered), n+1)
	}
}

// TestProxyAsks has the editor asked about a command, at the tool call that runs, and nobody else
// answers.
func TestProxyAsks(t *testing.T) {
	nativeHost(t)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("default = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := proxied(t, "--sandbox", "off", "--policy", policy)
	l.open("")
	l.says(l.toEditor, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"call 1","title":"x"}}}`)
	l.gets(l.editor)
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"touch made"}}`)
	q := l.message(l.editor)
	if q.Method != "session/request_permission" || q.Params.SessionID != "s" || q.Params.ToolCall.ToolCallID != "call 1" || q.Params.ToolCall.Title != "`touch made`" {
		t.Fatalf("got %+v, want a question about touch made at call 1", q)
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}`, q.ID)
	l.says(l.toEditor, answer) // the agent's yes is none
	l.gets(l.editor)
	if _, err := os.Stat(filepath.Join(l.dir, "made")); err == nil {
		t.Fatal("the command ran before the editor had answered")
	}
	l.says(l.toAgent, answer)
	if m := l.message(l.agent); string(m.ID) != "1" || m.Result["terminalId"] == nil {
		t.Errorf("the agent got %+v, want its terminal", m)
	}
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":2,"method":"terminal/create","params":{"sessionId":"s","command":"touch other"}}`)
	q = l.message(l.editor)
	l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}`, q.ID))
	if m := l.message(l.agent); string(m.ID) != "2" || m.Error.Code == 0 {
		t.Errorf("the agent got %+v, want a refusal", m)
	}
}

// TestProxyShows has a tool call show what runs here, as each kind of editor can.
func TestProxyShows(t *testing.T) {
	nativeHost(t)
	for name, capabilities := range map[string]string{
		"text": `"terminal":true`, "dialect": `"_meta":{"terminal_output":true}`, "delta": `"_meta":{"terminal_output_delta":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			l := proxied(t, "--sandbox", "off")
			l.open(capabilities)
			id := l.create("echo one; until test -e go; do sleep 0.05; done; echo two; exit 3")
			embed := func(call string) {
				l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":%q,"content":[{"type":"content","content":{"type":"text","text":"before"}},{"type":"terminal","terminalId":%q}]}}}`, call, id))
			}
			shown := "" // what a person sees at the tool call
			until := func(want, call string) {
				t.Helper()
				for !strings.Contains(shown, want) {
					m := l.message(l.editor)
					u := m.Params.Update
					if u.ToolCallID != call {
						t.Fatalf("got %+v, want news of %s", m, call)
					}
					for _, c := range u.Content {
						switch {
						case name == "text" && c.Type == "terminal":
							t.Fatalf("got a terminal that the editor does not know: %+v", c)
						case c.Content.Text == "before":
							shown = "" // all is there anew
						case c.Type == "terminal" && u.Meta.Info.TerminalID != id && u.Meta.Info.TerminalID != "":
							t.Fatalf("got news of %s, want %s", u.Meta.Info.TerminalID, id)
						}
						shown += c.Content.Text
					}
					if name == "delta" {
						u.Meta.Output = u.Meta.Delta
					}
					shown += u.Meta.Output.Data
					if e := u.Meta.Exit; e != nil && e.ExitCode != nil {
						shown += "It has ended: exit " + strconv.Itoa(*e.ExitCode)
					}
				}
			}
			embed("a")
			until("one", "a")
			if strings.Contains(shown, "two") {
				t.Errorf("got %q before it was written", shown)
			}
			if err := os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			until("two", "a")
			until("It has ended: exit 3", "a")
			l.onTerminal("r", "release", id)
			l.gets(l.agent)
			embed("b")
			if name != "text" { // the editor has its output
				if m := l.message(l.editor); len(m.Params.Update.Content) != 2 || m.Params.Update.Content[1].TerminalID != id {
					t.Errorf("got %+v, want %s embedded again", m, id)
				}
				return
			}
			shown = ""
			until("one\ntwo\n", "b")
			until("It has ended: exit 3", "b")
		})
	}
}

// TestProxyShowsBeforeTheCallEnds has an agent end its tool call as soon as it knows enough: that
// the command has ended, by waiting for that or by asking again and again, or what it has written
// so far. By then, each kind of editor shows it.
func TestProxyShowsBeforeTheCallEnds(t *testing.T) {
	nativeHost(t)
	editors := map[string]struct{ capabilities, exit string }{
		"text":    {"", "It has ended: exit 3."},
		"dialect": {`"_meta":{"terminal_output":true}`, `"exit_code":3`},
	}
	for name, editor := range editors {
		for _, until := range []string{"waits", "asks", "runs"} {
			t.Run(name+"/"+until, func(t *testing.T) {
				l := proxied(t, "--sandbox", "off")
				l.open(editor.capabilities)
				command, wants := "echo one; exit 3", []string{`one\n`, editor.exit}
				if until == "runs" {
					command, wants = "echo one; sleep 1000", wants[:1]
				}
				id := l.create(command)
				l.updates("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"a","content":[{"type":"terminal","terminalId":%q}]}`, id))
				if until == "waits" {
					l.onTerminal("w", "wait_for_exit", id)
					l.gets(l.agent)
				}
				for known := until == "waits"; !known; {
					l.onTerminal("o", "output", id)
					r := l.message(l.agent).Result
					known = r["exitStatus"] != nil || until == "runs" && r["output"] != ""
				}
				l.updates("s", `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`)
				shown := ""
				for over := false; !over; {
					line := l.gets(l.editor)
					over = strings.Contains(line, `"completed"`)
					shown += line
				}
				for _, want := range wants {
					if n := strings.Count(shown, want); n == 0 || n > 1 && name == "dialect" {
						t.Errorf("got %s with %q %d times before the end of the call", shown, want, n)
					}
				}
				if until != "runs" {
					l.quiet()
				}
			})
		}
	}
}

// TestProxyLeavesNothing ends an editor, an agent and a proxy, and looks for what was started.
func TestProxyLeavesNothing(t *testing.T) {
	t.Parallel()
	nativeHost(t)
	for name, end := range map[string]func(l *link){
		"editor": func(l *link) { l.leave() },
		"agent":  func(l *link) { l.end() },
		"proxy":  func(l *link) { l.cmd.Process.Kill() },
		"signal": func(l *link) { l.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			l := proxied(t, "--sandbox", "off", "--kill-grace", "100ms")
			l.open("")
			l.create("trap '' HUP TERM; echo $$ >pid; sleep 1000 & wait")
			pid := filepath.Join(l.dir, "pid")
			eventually(t, func() bool { return readPid(pid) > 0 })
			agent := filepath.Join(l.cmd.Args[len(l.cmd.Args)-1], "pid")
			end(l)
			for range l.editor {
			}
			for _, file := range []string{pid, agent} {
				n := readPid(file)
				if n <= 0 {
					t.Fatalf("%s has no process", file)
				}
				eventually(t, func() bool { return syscall.Kill(n, 0) == syscall.ESRCH })
			}
		})
	}
}

func readPid(file string) int {
	text, _ := os.ReadFile(file)
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// inTime attempts what a busy machine may be too slow for, until an attempt says that it was not.
func inTime(t *testing.T, attempts int, attempt func() bool) {
	t.Helper()
	for range attempts {
		if attempt() {
			return
		}
	}
	t.Fatalf("all of %d attempts were too slow", attempts)
}

// eventually waits until something is so.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it does not happen")
		}
	}
}
