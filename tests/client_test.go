package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A playing is a run of "terminal client" with an agent that is the test.
type playing struct {
	*link  // without an editor
	stdout *syncBuffer
	ended  chan error
}

// prompted starts "terrarium client --prompt hi FLAG...".
func prompted(t testing.TB, flags ...string) *playing {
	t.Helper()
	stdout, stderr := new(syncBuffer), new(syncBuffer)
	u := promptedTo(t, stdout, stderr, flags...)
	u.stdout, u.stderr = stdout, stderr
	return u
}

// promptedTo is prompted for a client that writes elsewhere.
func promptedTo(t testing.TB, stdout, stderr io.Writer, flags ...string) *playing {
	t.Helper()
	nativeHost(t)
	u := &playing{link: &link{t: t, dir: t.TempDir(), stderr: new(syncBuffer)}, stdout: new(syncBuffer), ended: make(chan error, 1)}
	pipes := t.TempDir()
	gets, says := fifo(t, filepath.Join(pipes, "gets")), fifo(t, filepath.Join(pipes, "says"))
	args := append(append([]string{"client", "--prompt", "hi"}, flags...), "--", "sh", "-c", agentScript, pipes)
	u.cmd = exec.Command("terrarium", args...)
	u.cmd.Dir = u.dir
	u.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
	u.cmd.Stdout, u.cmd.Stderr = stdout, stderr
	if err := u.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	u.toEditor, u.agent = says, lines(gets)
	u.end = sync.OnceFunc(func() { says.Close() })
	go func() { u.ended <- u.cmd.Wait() }() // ends with the command
	t.Cleanup(func() {
		u.cmd.Process.Kill()
		u.end()
		<-u.ended
		gets.Close()
		if t.Failed() {
			t.Logf("standard output of the client:\n%s\nstandard error:\n%s", u.stdout, u.stderr)
		}
	})
	return u
}

// begin has the agent answer until it is prompted, in the session "s".
func (u *playing) begin() {
	u.t.Helper()
	for _, answer := range []string{`{"protocolVersion":1,"agentInfo":{"name":"test","version":"1"}}`, `{"sessionId":"s"}`} {
		u.answer(string(u.message(u.agent).ID), answer)
	}
	if m := u.message(u.agent); m.Method != "session/prompt" || m.Params.SessionID != "s" {
		u.t.Fatalf("the agent got %+v, want the prompt", m)
	}
}

func (u *playing) answer(id, result string) {
	u.t.Helper()
	u.says(u.toEditor, `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`)
}

// update has the agent tell something.
func (u *playing) update(update string) {
	u.t.Helper()
	u.says(u.toEditor, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+update+`}}`)
}

// asks has the agent ask for something, and returns the answer.
func (u *playing) asks(method, params string) wire {
	u.t.Helper()
	u.says(u.toEditor, `{"jsonrpc":"2.0","id":"q","method":"`+method+`","params":{"sessionId":"s",`+params+`}}`)
	m := u.message(u.agent)
	if string(m.ID) != `"q"` {
		u.t.Fatalf("the agent got %+v, want an answer", m)
	}
	return m
}

// stop has the agent end its turn, and returns the exit status.
func (u *playing) stop(reason string) int {
	u.t.Helper()
	u.answer("3", `{"stopReason":"`+reason+`"}`)
	u.end() // or the client gives it a moment to end
	return u.status()
}

// status waits until the client has ended.
func (u *playing) status() int {
	err := <-u.ended
	u.ended <- err
	exit, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return 0
	case exit != nil:
		return exit.ExitCode()
	}
	u.t.Fatal(err)
	return 0
}

func wantLines(t *testing.T, what fmt.Stringer, want ...string) {
	t.Helper()
	got := strings.Split(what.String(), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("got no line %q", line)
		}
	}
}

// hostile is what an agent may say to obey no more: an escape, CSI in one character, and an
// override of direction.
const hostile = `\u001b[2J\u009b2J\u202e`

// TestClientTurn has an agent say and show what it can. What it says goes to standard output, all
// else to standard error, and nothing of it to the terminal.
func TestClientTurn(t *testing.T) {
	t.Parallel()
	u := prompted(t)
	for i, want := range []struct{ method, params, answer string }{
		{"initialize", `{"protocolVersion":2,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"_meta":{"terminal_output":true}}}`,
			`{"protocolVersion":1,"agentInfo":{"name":"test","version":"1"}}`},
		{"session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, u.dir), `{"sessionId":"s"}`},
		{"session/prompt", `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`, ""},
	} {
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
		}
		if err := json.Unmarshal([]byte(u.gets(u.agent)), &m); err != nil || m.ID != i+1 || m.Method != want.method {
			t.Fatalf("the agent got %+v, %v, want %s", m, err, want.method)
		}
		if err := matchJSON(m.Params, []byte(want.params), nil); err != nil {
			t.Errorf("%s: %v", m.Method, err)
		}
		if want.answer != "" {
			u.answer(strconv.Itoa(m.ID), want.answer)
		}
	}
	u.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"first\nsec"}}`)
	u.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"ond ` + hostile + `"}}`)
	u.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hel"}}`)
	u.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"lo ` + hostile + `"}}`)
	u.update(`{"sessionUpdate":"plan","entries":[{"content":"one` + hostile + `","status":"completed"},{"content":"two","status":"in_progress"},{"content":"three","status":"pending"}]}`)
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"edit ` + hostile + `","kind":"edit","status":"pending",` +
		`"content":[{"type":"diff","path":"/a` + hostile + `","oldText":"1\n2\n3\n","newText":"1\n` + hostile + `\n3\n"}]}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done ` + hostile + `"}}]}`)
	u.update(`{"sessionUpdate":"never heard of"}`)
	u.says(u.toEditor, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"another session"}}}}`)
	u.says(u.toEditor, `{"jsonrpc":"2.0","method":"_x/y","params":{}}`)
	u.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Bye"}}`)
	if m := u.asks("_x/z", `"a":1`); m.Error.Code != -32601 {
		t.Errorf("got %+v for a method that nobody knows", m)
	}
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	const shown = `\x1b[2J\u009b2J\u202e`
	if got, want := u.stdout.String(), "Hello "+shown+"\nBye\n"; got != want {
		t.Errorf("got %q on standard output, want %q", got, want)
	}
	wantLines(t, u.stderr, "~ first", "~ second "+shown, "plan:", "  [x] one"+shown, "  [>] two", "  [ ] three",
		"tool: edit "+shown+" (edit): pending", "  /a"+shown+": -1 +1", "  - 2", "  + "+shown,
		"tool: edit "+shown+" (edit): completed", "  done "+shown)
}

// TestClientTerminals has an agent run commands, and show some that it runs itself.
func TestClientTerminals(t *testing.T) {
	t.Parallel()
	u := prompted(t, "--sandbox", "off")
	u.begin()
	id := u.create(`printf 'a\033[31mred\033[m\033]0;title\007\rb\n'; echo $((6*7)); exit 3`)
	if m := u.asks("terminal/wait_for_exit", `"terminalId":"`+id+`"`); m.Result["exitCode"] != 3.0 {
		t.Errorf("got %v, want exit 3", m.Result)
	}
	if m := u.asks("terminal/output", `"terminalId":"`+id+`"`); m.Result["output"] != "bred\n42\n" {
		t.Errorf("got %v", m.Result)
	}
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"mine","kind":"execute","_meta":{"terminal_info":{"terminal_id":"x"}}}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output_delta":{"terminal_id":"x","data":"by \u001b[1mmyself\n"}}}`)
	u.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":0,"signal":null}}}`)
	u.says(u.toEditor, `{"jsonrpc":"2.0","id":"q","method":"terminal/create","params":{"sessionId":"other","command":"true"}}`)
	if m := u.message(u.agent); m.Error.Data.Reason != "unknown_session" {
		t.Errorf("got %+v for another session", m)
	}
	if m := u.asks("terminal/create", `"command":"true","cwd":"/"`); m.Error.Data.Reason != "outside_session" {
		t.Errorf("got %+v for a directory that is not the session's", m)
	}
	running := u.create(`sleep 1000 & echo $!; wait`)
	var pid int
	eventually(t, func() bool {
		output, _ := u.asks("terminal/output", `"terminalId":"`+running+`"`).Result["output"].(string)
		pid, _ = strconv.Atoi(strings.TrimSpace(output))
		return pid > 0
	})
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	wantLines(t, u.stderr, "[1] bred", "[1] 42", "[1] ended: exit 3", "tool: mine (execute)", "[2] $ mine", "[2] by myself", "[2] ended: exit 0",
		"[3] $ sleep 1000 & echo $!; wait", "[3] "+strconv.Itoa(pid))
	if strings.ContainsRune(u.stderr.String(), '\x1b') {
		t.Error("an escape sequence came through")
	}
}

// TestClientJSON has an event on each line, and no other byte.
func TestClientJSON(t *testing.T) {
	t.Parallel()
	u := prompted(t, "--sandbox", "off", "--json")
	u.begin()
	u.update(`{"sessionUpdate":"never heard of","x":"\u009b"}`)
	id := u.create(`printf '\377\033[1m'; exit 7`)
	u.asks("terminal/wait_for_exit", `"terminalId":"`+id+`"`)
	u.asks("terminal/create", `"command":"not-there","args":["it's"]`)
	// What is told of terminals, and of all else, comes by different ways: the agent may go on
	// before.
	eventually(t, func() bool { return strings.Contains(u.stdout.String(), `"event":"refused"`) })
	u.asks("fs/read_text_file", `"path":"/etc/passwd"`)
	u.asks("session/request_permission", `"toolCall":{"toolCallId":"p","title":"may I"},"options":[{"optionId":"n","name":"No","kind":"reject_once"}]`)
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	want := []string{
		`{"event":"ready","agent":"test","version":"1","sessionId":"s"}`,
		`{"event":"update","update":{"sessionUpdate":"never heard of","x":"\u009b"}}`,
		fmt.Sprintf(`{"event":"terminal","terminalId":%q,"command":"printf '\\377\\033[1m'; exit 7","cwd":%q}`, id, u.dir),
		fmt.Sprintf(`{"event":"output","terminalId":%q,"data":"�\u001b[1m"}`, id),
		fmt.Sprintf(`{"event":"exit","terminalId":%q,"exitCode":7,"signal":null}`, id),
		`{"event":"refused","terminalId":"ID","command":"not-there 'it'\\''s'","error":"not-there: not found in PATH"}`,
		`{"event":"file","path":"/etc/passwd","write":false,"bytes":0,"error":"path is outside of the session's directory"}`,
		`{"event":"permission","title":"may I","option":"No","allow":false,"by":"none","why":"nobody can be asked: use --approve all, or a policy file, or run it at a terminal"}`,
		`{"event":"stop","stopReason":"end_turn"}`,
	}
	// Nobody else is told that id.
	events := refusedID.ReplaceAllString(u.stdout.String(), `$1"ID"`)
	if got := strings.Split(strings.TrimSpace(events), "\n"); !slices.Equal(got, want) {
		t.Errorf("got events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var refusedID = regexp.MustCompile(`("event":"refused","terminalId":)"[^"]+"`)

// TestClientFiles has an agent read and write files, and try to leave the directory of the session.
func TestClientFiles(t *testing.T) {
	t.Parallel()
	u := prompted(t)
	u.begin()
	outside := filepath.Join(t.TempDir(), "outside")
	for name, text := range map[string]string{outside: "secret", u.dir + "/a": "1\n2\n3\nno end", u.dir + "/binary": "\xff"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": outside, "up": filepath.Dir(outside), "inside": "a"} {
		if err := os.Symlink(to, filepath.Join(u.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	reader := fifo(t, filepath.Join(u.dir, "fifo"))
	defer reader.Close() // without one there would be another error
	for _, test := range []struct{ path, more, want, reason string }{
		{path: "/a", want: "1\n2\n3\nno end"},
		{path: "/inside", want: "1\n2\n3\nno end"},
		{path: "/./b/../a", more: `,"line":2,"limit":2`, want: "2\n3\n"},
		{path: "/a", more: `,"line":4,"limit":9`, want: "no end"},
		{path: "/a", more: `,"line":null,"limit":null`, want: "1\n2\n3\nno end"},
		{path: "/a", more: `,"line":5`, want: ""},
		{path: "/a", more: `,"limit":0`, want: ""},
		{path: "/a", more: `,"line":-1`, reason: "type"},
		{path: "/nothing", reason: "not_found"},
		{path: "/binary", reason: "not_text"},
		{path: "/fifo", reason: "not_a_file"},
		{path: "", reason: "not_a_file"},
		{path: "/../outside", reason: "outside_session"},
		{path: "/link", reason: "outside_session"},
		{path: "/up/outside", reason: "outside_session"},
		{path: "/a\\u0000", reason: "io"},
	} {
		m := u.asks("fs/read_text_file", fmt.Sprintf(`"path":"%s%s"%s`, u.dir, test.path, test.more))
		if got, _ := m.Result["content"].(string); got != test.want || m.Error.Data.Reason != test.reason || (m.Result == nil) != (test.reason != "") {
			t.Errorf("read %q%s: got %+v, want %q and reason %q", test.path, test.more, m, test.want, test.reason)
		}
	}
	if m := u.asks("fs/read_text_file", `"path":"a"`); m.Error.Data.Reason != "not_absolute" {
		t.Errorf("got %+v for a relative path", m)
	}
	for _, test := range []struct{ path, reason string }{
		{"/a", ""}, {"/new/deep/b", ""}, {"/link", "outside_session"}, {"/up/c", "outside_session"}, {"/../d", "outside_session"}, {"/fifo", "not_a_file"}, {"/new", "io"},
	} {
		m := u.asks("fs/write_text_file", fmt.Sprintf(`"path":"%s%s","content":"é\n"`, u.dir, test.path))
		if m.Error.Data.Reason != test.reason || (m.Result == nil) != (test.reason != "") {
			t.Errorf("write %s: got %+v, want reason %q", test.path, m, test.reason)
		}
		if test.reason != "" {
			continue
		}
		if text, err := os.ReadFile(u.dir + test.path); string(text) != "é\n" {
			t.Errorf("%s: got %q, %v", test.path, text, err)
		}
	}
	if text, _ := os.ReadFile(outside); string(text) != "secret" {
		t.Errorf("got %q outside", text)
	}
	if m := u.asks("fs/write_text_file", fmt.Sprintf(`"path":"%s/a"`, u.dir)); m.Error.Code != -32602 {
		t.Errorf("got %+v without content", m)
	}
	if status := u.stop("end_turn"); status != 0 {
		t.Errorf("got status %d", status)
	}
	wantLines(t, u.stderr, "file: read "+u.dir+"/a, 12 bytes", "file: wrote "+u.dir+"/a, 3 bytes")
}

// TestClientPermission has an agent ask whether it may. Rules come first, then --approve.
func TestClientPermission(t *testing.T) {
	t.Parallel()
	const options = `"options":[{"optionId":"A","name":"Always","kind":"allow_always"},{"optionId":"a","name":"Yes","kind":"allow_once"},` +
		`{"optionId":"R","name":"Never","kind":"reject_always"},{"optionId":"r","name":"No","kind":"reject_once"}]`
	rules := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(rules, []byte(`default = "ask"
[[rule]]
id = "echo"
argv = ["echo", "**"]
decision = "allow"
[[rule]]
id = "false"
argv = ["false", "**"]
decision = "deny"
reason = "never that"
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags []string
		want  map[string]string // by the members of the tool call
	}{
		{[]string{"--approve", "all"}, map[string]string{`"kind":"edit"`: "a"}},
		{[]string{"--approve", "none"}, map[string]string{`"kind":"edit"`: "r"}},
		{nil, map[string]string{`"kind":"edit"`: "r", `"kind":"execute","rawInput":{"command":"echo hi"}`: "r"}},
		{[]string{"--policy", rules}, map[string]string{
			`"kind":"execute","rawInput":{"command":"echo hi"}`:            "a",
			`"kind":"execute","rawInput":{"command":["echo","hi"]}`:        "a",
			`"kind":"execute","rawInput":{"command":"echo","args":["hi"]}`: "a",
			`"kind":"execute","rawInput":{"command":"false"}`:              "r",
			`"kind":"execute","rawInput":{"command":"echo hi && false"}`:   "r",
			`"kind":"execute","rawInput":{"command":"echo hi && date"}`:    "r",
			`"kind":"edit","rawInput":{"command":"echo hi"}`:               "r",
		}},
		{[]string{"--policy", rules, "--approve", "all"}, map[string]string{
			`"kind":"execute","rawInput":{"command":"false"}`: "r",
			`"kind":"execute","rawInput":{"command":"date"}`:  "a",
			`"kind":"edit"`: "a",
		}},
	} {
		t.Run(strings.Join(test.flags, " "), func(t *testing.T) {
			u := prompted(t, test.flags...)
			u.begin()
			for call, want := range test.want {
				m := u.asks("session/request_permission", `"toolCall":{"toolCallId":"p","title":"may I",`+call+`},`+options)
				outcome, _ := m.Result["outcome"].(map[string]any)
				if outcome["outcome"] != "selected" || outcome["optionId"] != want {
					t.Errorf("%s: got %+v, want %s", call, m, want)
				}
			}
			if m := u.asks("session/request_permission", `"toolCall":{"toolCallId":"p"},"options":[]`); m.Error.Code != -32602 {
				t.Errorf("got %+v without options", m)
			}
			u.stop("end_turn")
		})
	}
}

// TestClientCancels has a first ^C cancel the turn, and a second one end an agent that does not
// care.
func TestClientCancels(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprint(again), func(t *testing.T) {
			u := prompted(t, "--sandbox", "off", "--kill-grace", "100ms")
			u.begin()
			id := u.create("sleep 1000")
			u.cmd.Process.Signal(syscall.SIGINT)
			if m := u.message(u.agent); m.Method != "session/cancel" || m.Params.SessionID != "s" {
				t.Fatalf("the agent got %+v, want session/cancel", m)
			}
			// Who cancels does not kill terminals: the agent does.
			if m := u.asks("terminal/output", `"terminalId":"`+id+`"`); m.Result["exitStatus"] != nil {
				t.Errorf("got %v, want it running", m.Result)
			}
			m := u.asks("session/request_permission", `"toolCall":{"toolCallId":"p","title":"may I"},"options":[{"optionId":"a","name":"Yes","kind":"allow_once"}]`)
			if outcome, _ := m.Result["outcome"].(map[string]any); outcome["outcome"] != "cancelled" {
				t.Errorf("got %+v for a question after that, want it cancelled", m)
			}
			var status int
			if again {
				u.cmd.Process.Signal(syscall.SIGINT)
				status = u.status()
			} else {
				status = u.stop("cancelled")
			}
			if status != 130 {
				t.Errorf("got status %d, want 130", status)
			}
		})
	}
}

// TestClientIsKilled has nothing be left of the agent and its terminals.
func TestClientIsKilled(t *testing.T) {
	u := prompted(t, "--sandbox", "off")
	u.begin()
	id := u.create("echo $$; exec sleep 1000")
	var pids [2]int
	eventually(t, func() bool {
		output, _ := u.asks("terminal/output", `"terminalId":"`+id+`"`).Result["output"].(string)
		pids[0], _ = strconv.Atoi(strings.TrimSpace(output))
		return pids[0] > 0
	})
	pids[1] = readPid(filepath.Join(u.cmd.Args[len(u.cmd.Args)-1], "pid"))
	if pids[1] <= 0 {
		t.Fatal("the agent has no process")
	}
	u.cmd.Process.Kill()
	for _, pid := range pids {
		eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	}
}

// TestClientProtects: what runs later is written for an agent no more than for its commands, by
// whatever name.
func TestClientProtects(t *testing.T) {
	if !hasSandbox() {
		t.Skip("native commands can't be confined here")
	}
	// Its temporary files go there: who runs the tests may have no home.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	u := prompted(t)
	u.begin()
	if err := os.MkdirAll(filepath.Join(u.dir, ".git/hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(u.dir, ".git/config")
	if err := os.WriteFile(config, []byte("[core]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": ".git/config", "to-nothing": ".git/hooks/post-commit", "git": ".git"} {
		if err := os.Symlink(to, filepath.Join(u.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(config, filepath.Join(u.dir, "name")); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		".git/config": "protected", ".git/hooks/pre-commit": "protected", "link": "protected", "to-nothing": "protected", "git/hooks/x": "protected",
		"name": "protected", ".vscode/tasks.json": "protected", "sub/.envrc": "protected", ".git/description": "", "sub/main.c": "",
	} {
		m := u.asks("fs/write_text_file", fmt.Sprintf(`"path":"%s/%s","content":"evil"`, u.dir, path))
		if m.Error.Data.Reason != reason || (m.Result == nil) != (reason != "") {
			t.Errorf("%s: got %+v, want reason %q", path, m, reason)
		}
	}
	if text, _ := os.ReadFile(config); string(text) != "[core]\n" {
		t.Errorf("got %q in git's configuration", text)
	}
	if hooks, _ := os.ReadDir(filepath.Join(u.dir, ".git/hooks")); len(hooks) > 0 {
		t.Errorf("got hooks: %v", hooks)
	}
	u.stop("end_turn")
}

// TestClientSpoofs has an agent ask so that the person, or a rule, would say yes to something else.
func TestClientSpoofs(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(rules, []byte(`[[rule]]
id = "false"
argv = ["false", "**"]
decision = "deny"
`), 0o600); err != nil {
		t.Fatal(err)
	}
	u := prompted(t, "--sandbox", "off", "--policy", rules, "--approve", "all")
	u.begin()
	const options = `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"told","title":"x","kind":"execute","rawInput":{"command":"false"}}`)
	u.update(`{"sessionUpdate":"tool_call","toolCallId":"other","title":"x","kind":"execute","rawInput":{"command":"true"}}`)
	for _, test := range []struct{ params, option, reason string }{
		{`"toolCall":{"toolCallId":"told"},` + options, "n", ""}, // what it has told before counts
		{`"toolCall":{"toolCallId":"other"},` + options, "y", ""},
		{`"toolCall":{"toolCallId":"told","rawInput":{"command":"true"}},` + options, "y", ""},
		{`"toolCall":{"toolCallId":"long","rawInput":{"command":"false ` + strings.Repeat("x", 64<<10) + `"}},` + options, "", "too_long"},
		// The long text is no part of the answer.
		{`"toolCall":{"toolCallId":"big","rawInput":{"command":"true","about":"` + strings.Repeat("x", 64<<10) + `"}},` + options, "y", ""},
		// An editing tool has commands of its own.
		{`"toolCall":{"toolCallId":"edit","kind":"edit","rawInput":{"command":"false"}},` + options, "y", ""},
		{`"toolCall":{"toolCallId":"other"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"y","name":"No","kind":"reject_once"}]`, "", "type"},
	} {
		m := u.asks("session/request_permission", test.params)
		outcome, _ := m.Result["outcome"].(map[string]any)
		if got, _ := outcome["optionId"].(string); got != test.option || m.Error.Data.Reason != test.reason {
			t.Errorf("%.150s: got %+v, want %s%s", test.params, m, test.option, test.reason)
		}
	}
	u.stop("end_turn")
}

// TestClientUnread has nobody read what the client writes: a signal ends it all the same, also when
// the turn is over.
func TestClientUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := w.Write(make([]byte, 4<<20)); err == nil { // what the client writes has no room
		t.Fatalf("the pipe has taken %d bytes", n)
	}
	u := promptedTo(t, w, w, "--sandbox", "off")
	u.begin()
	u.create("yes")
	u.answer("3", `{"stopReason":"end_turn"}`)
	u.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-u.ended: // as one whose turn was over, or not
		u.ended <- err
	case <-time.After(patience):
		t.Fatal("it is still there")
	}
}

// deafAgent asks for more than it may leave unread, and reads nothing of it: each output takes 1.35
// MB in an answer, where a line break is two bytes. Who serves it takes its requests one after the
// other, so a command among them shows how far that came: one is written, 12 wait, and one more
// makes 16 MiB full.
const deafAgent = `
say() { printf '%s\n' '{"jsonrpc":"2.0",'"$1"'}'; }
read line; say '"id":1,"result":{"protocolVersion":1}'
read line; say '"id":2,"result":{"sessionId":"s"}'
read line; say '"id":"c","method":"terminal/create","params":{"sessionId":"s","command":"yes | head -c 900000"}'
read line; id=${line##*\"terminalId\":\"}; id=${id%%\"*}
say '"id":"w","method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"'$id'"}'
read line
echo $$ >pid
n=0
while test $n -lt 60; do
	n=$((n+1))
	say '"id":"'$n'","method":"terminal/output","params":{"sessionId":"s","terminalId":"'$id'"}'
	case $n in 13|60) say '"id":"c'$n'","method":"terminal/create","params":{"sessionId":"s","command":"echo >came'$n'"}' ;; esac
done
exec sleep 1000
`

// TestClientDeafAgent has an agent ask and not listen: a signal ends the client, and the agent.
func TestClientDeafAgent(t *testing.T) {
	nativeHost(t)
	cmd := exec.Command("terrarium", "client", "--prompt", "hi", "--sandbox", "off", "--kill-grace", "100ms", "--", "sh", "-c", deafAgent)
	cmd.Dir = t.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	agent := filepath.Join(cmd.Dir, "pid")
	came := func(n string) bool { _, err := os.Stat(filepath.Join(cmd.Dir, "came"+n)); return err == nil }
	eventually(t, func() bool { return came("13") })
	cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the command
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("it is still there")
	}
	if status := cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("got status %d, want 143", status)
	}
	if came("60") {
		t.Error("the client has answered all that nobody read")
	}
	eventually(t, func() bool { return syscall.Kill(readPid(agent), 0) == syscall.ESRCH })
}
