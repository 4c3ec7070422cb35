package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ran is what an evil agent wants an editor to run.
const ran = `"method":"terminal/create","params":{"sessionId":"s","command":"evil"}`

// tricks are lines of an agent. Each is such that some editor would run it, and another reader sees
// nothing in it.
var tricks = map[string]string{
	"plain":              `{"jsonrpc":"2.0","id":1,` + ran + `}`,
	"escaped":            `{"jsonrpc":"2.0","id":1,"m\u0065thod":"terminal\/cr\u0065ate","params":{"sessionId":"s","command":"evil"}}`,
	"notification":       `{"jsonrpc":"2.0",` + ran + `}`,
	"no version":         `{"id":1,` + ran + `}`,
	"first of two":       `{"jsonrpc":"2.0","id":1,` + ran + `,"method":"_x"}`,
	"last of two":        `{"jsonrpc":"2.0","id":1,"method":"_x",` + ran + `}`,
	"escaped twin":       `{"jsonrpc":"2.0","id":1,"method":"_x","params":{},"\u006dethod":"terminal/create"}`,
	"two params":         `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{},"params":{"command":"evil"}}`,
	"two ids":            `{"jsonrpc":"2.0","id":null,"id":1,` + ran + `}`,
	"other case":         `{"jsonrpc":"2.0","id":1,"method":"_x","Method":"terminal/create"}`,
	"other case, alone":  `{"jsonrpc":"2.0","id":1,"METHOD":"terminal/create","params":{}}`,
	"long s":             `{"jsonrpc":"2.0","id":1,"method":"terminal/create","paramſ":{"command":"evil"},"params":{}}`,
	"method's case":      `{"jsonrpc":"2.0","id":1,"method":"Terminal/Create","params":{"command":"evil"}}`,
	"as a response":      `{"jsonrpc":"2.0","id":1,"result":{},` + ran + `}`,
	"as an error":        `{"jsonrpc":"2.0","id":1,"error":null,` + ran + `}`,
	"NUL in a name":      `{"jsonrpc":"2.0","id":1,"method":"_x","method\u0000":"terminal/create"}`,
	"batch":              `[{"jsonrpc":"2.0","id":1,` + ran + `}]`,
	"carriage return":    "{\"a\":\r{\"jsonrpc\":\"2.0\",\"id\":1," + ran + "}\r}",
	"byte order mark":    "\ufeff" + `{"jsonrpc":"2.0","id":1,` + ran + `}`,
	"comment":            `{"jsonrpc":"2.0","id":1,/* */` + ran + `}`,
	"trailing comma":     `{"jsonrpc":"2.0","id":1,` + ran + `,}`,
	"two values":         `{} {"jsonrpc":"2.0","id":1,` + ran + `}`,
	"invalid UTF-8":      "{\"x\":\"\xff\",\"id\":1," + ran + "}",
	"deep":               `{"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `,"id":1,` + ran + `}`,
	"broken method":      `{"jsonrpc":"2.0","id":1,"method":"\ud800terminal/create","params":{}}`,
	"method in an array": `{"jsonrpc":"2.0","id":1,"method":["terminal/create"],"params":{}}`,
	"too long":           `{"jsonrpc":"2.0","id":1,` + ran + `,"x":"` + strings.Repeat("x", 33<<20) + `"}`,
}

var lenientMethod = regexp.MustCompile(`(?i)terminal\\?/create`)

// wouldRun reports whether the most careless editor finds a terminal/create in a line.
func wouldRun(line []byte) bool {
	unescaped := bytes.ReplaceAll(line, []byte(`\u0065`), []byte("e"))
	return lenientMethod.Match(unescaped)
}

// TestProxyAgainstEvilAgent plays tricks on an editor that would run what it gets.
func TestProxyAgainstEvilAgent(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open(`"terminal":true`)
	for name, trick := range tricks {
		t.Run(name, func(t *testing.T) {
			if !wouldRun([]byte(trick)) {
				t.Fatal("no editor would run this")
			}
			go fmt.Fprintf(l.toEditor, "%s\n{\"jsonrpc\":\"2.0\",\"method\":\"_last\"}\n", trick)
			got := l.gets(l.editor)
			if wouldRun([]byte(got)) || !strings.Contains(got, "_last") {
				t.Errorf("the editor got %.200s", got)
			}
			if name == "notification" {
				return // to which nobody answers
			}
			m := l.message(l.agent)
			// It was an honest question after all, and "evil" is no command.
			served := m.Error.Code == 0
			if served && m.Result == nil {
				t.Errorf("the agent got %+v, want an error or its terminal", m)
			}
		})
	}
	eventually(t, func() bool { return strings.Contains(l.stderr.String(), "take differently") })
}

// TestProxyServesOnlyWhatWasOpened has an agent ask for what no session of the editor's hands over.
func TestProxyServesOnlyWhatWasOpened(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.open("")
	for name, ask := range map[string]struct{ session, more, reason string }{
		"a session of its own":   {"mine", "", "unknown_session"},
		"another directory":      {"s", `,"cwd":"/"`, "outside_session"},
		"with two sessions, too": {"mine", `,"sessionId":"other"`, "unknown_session"},
	} {
		l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":%q,"command":"true"%s}}`, ask.session, ask.more))
		if m := l.message(l.agent); m.Error.Data.Reason != ask.reason {
			t.Errorf("%s: got %+v, want %s", name, m, ask.reason)
		}
	}
	// The server has methods for its own client. An agent's go to the editor, as all that is
	// unknown.
	open := `{"jsonrpc":"2.0","id":2,"method":"_terrarium/session_open","params":{"sessionId":"mine","cwd":"/"}}`
	l.says(l.toEditor, open)
	if got := l.gets(l.editor); got != open+"\n" {
		t.Errorf("the editor got %s, want %s", got, open)
	}
	// What the editor closes is closed.
	id := l.create("echo $$ >pid; sleep 1000")
	pid := filepath.Join(l.dir, "pid")
	eventually(t, func() bool { return readPid(pid) > 0 })
	l.says(l.toAgent, `{"jsonrpc":"2.0","id":"close","method":"session/close","params":{"sessionId":"s"}}`)
	l.gets(l.agent)
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":"close","result":{}}`)
	l.gets(l.editor)
	eventually(t, func() bool { return exec.Command("kill", "-0", fmt.Sprint(readPid(pid))).Run() != nil })
	l.onTerminal("o", "output", id)
	if m := l.message(l.agent); m.Error.Code == 0 {
		t.Errorf("got %+v, want an error", m)
	}
}

// TestProxyConfines has commands write where the session is, and nowhere else.
func TestProxyConfines(t *testing.T) {
	nativeHost(t)
	if !hasSandbox() {
		t.Skip("native commands can't be confined here")
	}
	// Its temporary files go there: who runs the tests may have no home.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	outside := t.TempDir()
	l := proxied(t)
	l.open("")
	id := l.create("touch inside; touch " + filepath.Join(outside, "outside"))
	l.onTerminal("w", "wait_for_exit", id)
	l.gets(l.agent)
	if _, err := os.Stat(filepath.Join(l.dir, "inside")); err != nil {
		t.Errorf("in the session: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "outside")); err == nil {
		t.Error("a command has written outside of the session")
	}
}

// TestSessionRootDirectory opens sessions that would hand over everything. Nothing runs in them,
// and whoever asks learns why.
func TestSessionRootDirectory(t *testing.T) {
	nativeHost(t)
	if !hasSandbox() {
		t.Skip("native commands can't be confined here")
	}
	// Its temporary files go there: who runs the tests may have no home.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	everything := filepath.Join(t.TempDir(), "everything")
	if err := os.Symlink("/", everything); err != nil {
		t.Fatal(err)
	}
	l := proxied(t)
	l.open("")
	for i, dirs := range []string{`"/"`, fmt.Sprintf("%q", everything), fmt.Sprintf(`%q,"additionalDirectories":["/"]`, l.dir)} {
		l.says(l.toAgent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":"s%d","cwd":%s,"mcpServers":[]}}`, i, i, dirs))
		l.gets(l.agent)
		l.says(l.toEditor, fmt.Sprintf(`{"jsonrpc":"2.0","id":"create","method":"terminal/create","params":{"sessionId":"s%d","command":"true"}}`, i))
		if m := l.message(l.agent); m.Error.Code != -32602 || m.Error.Data.Reason != "root_directory" {
			t.Errorf("%s: got %+v, want it refused", dirs, m)
		}
	}
	// The person hears of it, too, when the session is opened.
	for _, dir := range []string{"/", everything} {
		want := "session/load: " + dir + ": commands in a sandbox don't get the root directory"
		eventually(t, func() bool { return strings.Contains(l.stderr.String(), want) })
	}
}

// TestProxyMemory passes on a long stream, and more that nobody reads.
func TestProxyMemory(t *testing.T) {
	nativeHost(t)
	size := 64 << 20
	if os.Getenv("TERRARIUM_LONG") != "" {
		size = 1 << 30
	}
	l := proxied(t, "--sandbox", "off")
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"x":"` + strings.Repeat("x", 4<<10) + `"}}` + "\n")
	pass := func(size int) {
		sent := size / len(line)
		go func() { // ends with what is read below
			for range sent {
				l.toEditor.Write(line)
			}
		}()
		for range sent {
			if got := l.gets(l.editor); got != string(line) {
				t.Fatalf("got %.100q", got)
			}
		}
	}
	pass(8 << 20)
	before := peak(t, l.cmd.Process.Pid)
	pass(size)
	if grown := peak(t, l.cmd.Process.Pid) - before; grown > 32<<20 {
		t.Errorf("%d MiB of lines took %d MiB of memory", size>>20, grown>>20)
	}
}

// peak returns how much memory a process has held at most, in bytes.
func peak(t *testing.T, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	fmt.Sscan(rest, &kib)
	return kib << 10
}

// TestProxyRefusesWithTheID has an agent learn which of its lines was refused.
func TestProxyRefusesWithTheID(t *testing.T) {
	nativeHost(t)
	l := proxied(t, "--sandbox", "off")
	l.says(l.toEditor, `{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}`)
	var m struct {
		ID    json.RawMessage
		Error struct {
			Data struct{ Reason string }
		}
	}
	json.Unmarshal([]byte(l.gets(l.agent)), &m)
	if string(m.ID) != "5" || m.Error.Data.Reason != "duplicate_method" {
		t.Errorf("got %s %+v, want 5 and duplicate_method", m.ID, m.Error)
	}
}
