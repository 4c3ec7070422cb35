package tests

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// beginDraft has the agent answer in version 2 of ACP until it is prompted, which it takes.
func (u *playing) beginDraft() {
	u.t.Helper()
	for _, answer := range []string{
		`{"protocolVersion":2,"info":{"name":"test","version":"1"},"capabilities":{"session":{}}}`, `{"sessionId":"s"}`, `{"messageId":"u"}`,
	} {
		u.answer(string(u.message(u.agent).ID), answer)
	}
	u.update(`{"sessionUpdate":"state_update","state":"running"}`)
}

// idle has the agent end its turn in version 2, and returns the exit status.
func (u *playing) idle(reason string) int {
	u.t.Helper()
	u.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":` + reason + `}`)
	u.end() // or the client gives it a moment to end
	return u.status()
}

func inBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// wrote has the agent tell in version 2 what a terminal of its own has written.
func (u *playing) wrote(id, s string) {
	u.t.Helper()
	u.update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"` + id + `","data":"` + inBase64(s) + `"}`)
}

// TestClientDraft has an agent of version 2 say and show what it can.
func TestClientDraft(t *testing.T) {
	u := prompted(t)
	// Neither side knows what the other speaks: both versions find what they need.
	both := u.gets(u.agent)
	for _, member := range []string{
		`"protocolVersion":2`, `"clientCapabilities":{"fs":`, `"clientInfo":{"name":"terrarium"`, `"info":{"name":"terrarium"`, `"capabilities":{}`,
	} {
		if !strings.Contains(both, member) {
			t.Errorf("got %s, want it to have %s", both, member)
		}
	}
	wantDraft(t, "InitializeRequest", both)
	u.answer("1", `{"protocolVersion":2,"info":{"name":"test","version":"1"},"capabilities":{"session":{}}}`)
	u.answer(string(u.message(u.agent).ID), `{"sessionId":"s"}`)
	if m := u.message(u.agent); m.Method != "session/prompt" {
		t.Fatalf("the agent got %+v, want the prompt", m)
	}
	u.update(`{"sessionUpdate":"state_update","state":"idle"}`) // which is where it stands
	u.answer("3", `{"messageId":"u"}`)
	u.update(`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi"}]}`)
	u.update(`{"sessionUpdate":"state_update","state":"running"}`)
	u.update(`{"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"text","text":"Hel"}}`)
	u.update(`{"sessionUpdate":"agent_message","messageId":"1","content":[{"type":"text","text":"Hello"},{"type":"text","text":" you"}]}`)
	u.update(`{"sessionUpdate":"agent_message","messageId":"1","content":[{"type":"text","text":"Hello you"}]}`)
	u.update(`{"sessionUpdate":"agent_message_chunk","messageId":"2","content":{"type":"text","text":"Next ` + hostile + `"}}`)
	u.update(`{"sessionUpdate":"agent_message","messageId":"2","content":[{"type":"text","text":"Rather"}]}`)
	u.update(`{"sessionUpdate":"agent_thought","messageId":"1","content":[{"type":"text","text":"hm"}]}`)
	u.update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"one","priority":"low","status":"completed"}]}}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"edit","kind":"edit","status":"in_progress","content":[` +
		`{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b` + hostile + `"}],"patch":{"format":"git_patch","text":"-1\n+2\n"}}]}`)
	u.update(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"more"}}}`)
	u.update(`{"sessionUpdate":"notice","severity":"warning","title":"Slow","description":"today"}`)

	u.update(`{"sessionUpdate":"terminal_update","terminalId":"nothing more"}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"x"}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"x","command":"make ` + hostile + `","cwd":"/w","size":{"cols":80,"rows":24}}`)
	u.wrote("x", "caf\xc3")
	u.wrote("x", "\xa9 \x1b[1mbold\r\n")
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"` + inBase64("café \x1b[1mbold\r\nmore\r\n") + `"}}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"` + inBase64("another\n") + `"}}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"signal":"SIGTERM"}}`)
	u.wrote("x", "late\n")
	u.wrote("never heard of", "no end")
	for _, method := range []string{"terminal/create", "fs/read_text_file"} {
		if m := u.asks(method, `"command":"true","path":"`+u.dir+`/a"`); m.Error.Code != -32601 {
			t.Errorf("%s: got %+v, want it unknown: version 2 does not have it", method, m)
		}
	}
	if status := u.idle(`"end_turn"`); status != 0 {
		t.Errorf("got status %d", status)
	}
	const shown = `\x1b[2J\u009b2J\u202e`
	if got, want := u.stdout.String(), "Hello you\nNext "+shown+"\nRather\n"; got != want {
		t.Errorf("got %q on standard output, want %q", got, want)
	}
	wantLines(t, u.stderr, "~ hm", "plan:", "  [x] one", "tool: edit (edit): in_progress", "  move /a to /b"+shown, "  -1", "  +2", "  more", "agent: warning: Slow: today",
		"[1] $ make "+shown, "[1] café bold", "[1] more", "[1] [all that it has written:]", "[1] another", "[1] ended: SIGTERM",
		"[2] $ make "+shown, "[2] late", "[2] ended: SIGTERM", "[3] $ (the agent does not say what)", "[3] no end", "[3] ended: unknown")
	if n := strings.Count(u.stderr.String(), "bold"); n != 1 {
		t.Errorf("what was told once is shown %d times", n)
	}
	if !strings.Contains(u.stderr.String(), "version 2 of ACP, a draft") {
		t.Errorf("got %s, want to be told that nothing holds the agent's commands", u.stderr)
	}
}

// TestClientDraftEnds: state_update says how a turn of version 2 ends, before or after the prompt
// is answered.
func TestClientDraftEnds(t *testing.T) {
	for reason, want := range map[string]int{`"end_turn"`: 0, `"refusal"`: 3, `"max_tokens"`: 4, `"cancelled"`: 130, `null`: 0, `"_other"`: 1} {
		u := prompted(t)
		u.beginDraft()
		if status := u.idle(reason); status != want {
			t.Errorf("%s: got status %d, want %d", reason, status, want)
		}
	}
	u := prompted(t)
	u.beginDraft()
	status := u.idle(`"error","error":{"code":-1,"message":"no ` + hostile + ` model"}`)
	if want := `its turn has failed: no \x1b[2J\u009b2J\u202e model`; status != 1 || !strings.Contains(u.stderr.String(), want) {
		t.Errorf("got status %d, want 1 and %s", status, want)
	}

	u = prompted(t)
	for _, answer := range []string{`{"protocolVersion":2,"info":{}}`, `{"sessionId":"s"}`} {
		u.answer(string(u.message(u.agent).ID), answer)
	}
	u.message(u.agent)
	u.update(`{"sessionUpdate":"state_update","state":"running"}`)
	u.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
	u.answer("3", `{"messageId":"u"}`)
	if status := u.status(); status != 0 {
		t.Errorf("got status %d for a turn that is over before its prompt is answered", status)
	}
}

// TestClientDraftCancels: ^C is session/cancel in version 2, too. What runs in the background is
// ended with the turn, where the agent says that it can.
func TestClientDraftCancels(t *testing.T) {
	inTime(t, 20, func() bool { return cancelsDraft(t) })
}

// cancelsDraft reports whether that took less time than a client gives an agent for it, which is as
// long again as it then gives the agent to end.
func cancelsDraft(t *testing.T) (inTime bool) {
	t.Helper()
	const least = 2 * 2 * time.Second // leaveGrace of package client, twice
	u := prompted(t)
	u.beginDraft()
	for _, id := range []string{"can", "ended", "cannot"} {
		u.update(`{"sessionUpdate":"terminal_update","terminalId":"` + id + `","command":"serve","capabilities":{"cancel":` + map[bool]string{true: "{}", false: "null"}[id != "cannot"] + `}}`)
	}
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"ended","exitStatus":{}}`)
	u.asks("_x/all/is/read", `"a":1`) // or the signal may come first
	u.cmd.Process.Signal(syscall.SIGINT)
	if m := u.message(u.agent); m.Method != "session/cancel" || m.Params.SessionID != "s" {
		t.Fatalf("the agent got %+v, want session/cancel", m)
	}
	idle := time.Now()
	u.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}`)
	var m wire
	select {
	case line := <-u.agent:
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	case err := <-u.ended:
		u.ended <- err
		if took := time.Since(idle); took < least {
			t.Fatalf("the client has ended after %v, before the agent was told to cancel", took)
		}
		return false
	}
	if m.Method != "terminal/cancel" || m.Params.SessionID != "s" || m.Params.TerminalID != "can" {
		t.Fatalf("the agent got %+v, want terminal/cancel for what runs", m)
	}
	u.answer(string(m.ID), `{}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"can","exitStatus":{"signal":"SIGTERM"}}`)
	status := u.status()
	if took := time.Since(idle); took >= least {
		return false
	}
	if status != 130 {
		t.Errorf("got status %d, want 130", status)
	}
	wantLines(t, u.stderr, "[1] ended: SIGTERM", "[2] ended: unknown", "[3] ended: unknown")
	return true
}

// TestClientShownJSON has events of terminals that the agent runs itself, whichever way it tells of
// them.
func TestClientShownJSON(t *testing.T) {
	u := prompted(t, "--json")
	u.begin()
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"mine","_meta":{"terminal_info":{"terminal_id":"x","cwd":"/w"}}}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"a"},"terminal_exit":{"terminal_id":"x","exit_code":2}}}`)
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"before","title":"told before"}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"before","_meta":{"terminal_info":{"terminal_id":"z"},"terminal_exit":{"terminal_id":"z","signal":"SIGHUP"}}}`)
	u.wrote("y", "\xc3")
	u.wrote("y", "\xa9")
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"y","command":"make","output":{"data":"` + inBase64("b") + `"}}`)
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	want := []string{
		`{"event":"terminal","terminalId":"agent:x","command":"mine","cwd":"/w"}`,
		`{"event":"output","terminalId":"agent:x","data":"a"}`,
		`{"event":"exit","terminalId":"agent:x","exitCode":2,"signal":null}`,
		`{"event":"terminal","terminalId":"agent:z","command":"told before"}`,
		`{"event":"exit","terminalId":"agent:z","exitCode":null,"signal":"SIGHUP"}`,
		`{"event":"terminal","terminalId":"agent:y","command":"(the agent does not say what)"}`,
		`{"event":"output","terminalId":"agent:y","data":"é"}`,
		`{"event":"terminal","terminalId":"agent:y","command":"make"}`,
		`{"event":"output","terminalId":"agent:y","anew":true}`,
		`{"event":"output","terminalId":"agent:y","data":"b"}`,
		`{"event":"exit","terminalId":"agent:y","exitCode":null,"signal":null}`,
	}
	got := slices.DeleteFunc(strings.Split(strings.TrimSpace(u.stdout.String()), "\n"), func(line string) bool { return !strings.Contains(line, "terminalId\":\"agent:") })
	if !slices.Equal(got, want) {
		t.Errorf("got events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestClientShowsMany: an agent that tells of ten thousand terminals, and of what makes no sense,
// is borne.
func TestClientShowsMany(t *testing.T) {
	u := prompted(t)
	u.begin()
	n := few(10_000)
	for i := range n {
		u.update(`{"sessionUpdate":"terminal_update","terminalId":"` + strconv.Itoa(i) + `","command":"make","size":{"cols":1000000000,"rows":1000000000}}`)
	}
	last := strconv.Itoa(n - 1)
	u.wrote(last, strings.Repeat("x", few(4<<20))+"\nlast\n")
	u.update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"` + last + `","data":"no base64"}`)
	u.update(`{"sessionUpdate":"terminal_update","terminalId":"` + last + `","size":{"cols":0,"rows":-1},"exitStatus":7,"output":[]}`)
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	wantLines(t, u.stderr, "[1] ended: unknown", fmt.Sprintf("[%d] last", n), fmt.Sprintf("[%d] ended: unknown", n))
}

// TestClientDraftPermission has an agent ask in the form of version 2. The command is what rules
// are about.
func TestClientDraftPermission(t *testing.T) {
	const options = `"options":[{"optionId":"a","name":"Yes","kind":"allow_once"},{"optionId":"r","name":"No","kind":"reject_once"}]`
	rules := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(rules, []byte("default = \"ask\"\n[[rule]]\nid = \"echo\"\nargv = [\"echo\", \"**\"]\ndecision = \"allow\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u := prompted(t, "--policy", rules)
	u.beginDraft()
	for _, test := range []struct{ subject, want string }{
		{fmt.Sprintf(`{"type":"command","command":"echo hi","cwd":%q}`, u.dir), "a"},
		{fmt.Sprintf(`{"type":"command","command":"rm -r /","cwd":%q,"toolCallId":"p"}`, u.dir), "r"},
		{`{"type":"tool_call","toolCall":{"toolCallId":"p","kind":"execute","rawInput":{"command":"echo hi"}}}`, "a"},
		{`{"type":"tool_call","toolCall":{"toolCallId":"q","title":"fetch"}}`, "r"},
		{`{"type":"_other","command":"echo hi"}`, "r"},
		{`null`, "r"},
	} {
		m := u.asks("session/request_permission", `"title":"May I","description":"because","subject":`+test.subject+`,`+options)
		outcome, _ := m.Result["outcome"].(map[string]any)
		if outcome["outcome"] != "selected" || outcome["optionId"] != test.want {
			t.Errorf("%s: got %+v, want %s", test.subject, m, test.want)
		}
	}
	u.idle(`"end_turn"`)
	wantLines(t, u.stderr, "permission: May I: Yes (by the rules)")
}
