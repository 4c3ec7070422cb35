//go:build unix

package tests

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An asked is "terrarium serve --stdio" whose peer is a test, and whose terminal has a person. Its
// standard streams are pipes, as an editor's are.
type asked struct {
	*person
	home    string
	dir     string
	in      io.Writer
	answers chan string // lines
}

// serveAsked starts a server that asks. line is how a shell starts "$@".
func serveAsked(t *testing.T, line string, args ...string) *asked {
	t.Helper()
	a := &asked{home: t.TempDir(), dir: t.TempDir(), answers: make(chan string, 100)}
	t.Setenv("HOME", a.home)
	t.Setenv("XDG_CONFIG_HOME", a.home)
	args = append([]string{"-c", line, "sh", terrariumPath(t), "serve", "--stdio", "--pipe", "--cwd", a.dir}, args...)
	cmd := exec.Command("/bin/sh", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ctty: 2} // the others are no terminals
	a.in, a.person = in, sitDown(t, cmd)
	go func() { // ends with the server
		defer close(a.answers)
		for s := bufio.NewScanner(out); s.Scan(); {
			a.answers <- s.Text()
		}
	}()
	return a
}

// create asks for a command, with a variable if name is not empty.
func (a *asked) create(id int, command, name, value string) {
	a.t.Helper()
	params := map[string]any{"sessionId": "s", "command": command}
	if name != "" {
		params["env"] = []any{map[string]any{"name": name, "value": value}}
	}
	a.send(map[string]any{"id": id, "method": "terminal/create", "params": params})
}

func (a *asked) cancel(id int) {
	a.t.Helper()
	a.send(map[string]any{"method": "$/cancel_request", "params": map[string]any{"requestId": id}})
}

func (a *asked) send(m map[string]any) {
	a.t.Helper()
	m["jsonrpc"] = "2.0"
	line, _ := json.Marshal(m)
	if _, err := fmt.Fprintf(a.in, "%s\n", line); err != nil {
		a.t.Fatal(err)
	}
}

// answer waits for the next answer, of which id is -1 where the server has ended.
func (a *asked) answer() (id int, code int, message string) {
	a.t.Helper()
	select {
	case line, ok := <-a.answers:
		if !ok {
			return -1, 0, ""
		}
		var m struct {
			ID    int
			Error struct {
				Code    int
				Message string
				Data    struct{ Reason string }
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			a.t.Fatalf("%v: %s", err, line)
		}
		if m.Error.Code == -32603 && m.Error.Data.Reason != "denied" {
			a.t.Errorf("got an error of the reason %q, want denied", m.Error.Data.Reason)
		}
		return m.ID, m.Error.Code, m.Error.Message
	case <-time.After(patience):
		a.t.Fatalf("no answer; the terminal shows\n%s", a.text())
	}
	panic("unreachable")
}

// wants waits for the answer to a request: a code of 0 is that the command has started.
func (a *asked) wants(id, code int, message string) {
	a.t.Helper()
	gotID, gotCode, got := a.answer()
	if gotID != id || gotCode != code || !strings.Contains(got, message) {
		a.t.Errorf("got the answer %d, %d, %q, want %d, %d, %q; the terminal shows\n%s", gotID, gotCode, got, id, code, message, a.text())
	}
}

const prompt = `n no, or n and why: ?$`

// A person answers at the terminal, while the peer has the standard streams.
func TestPermissionTerminal(t *testing.T) {
	a := serveAsked(t, `exec "$@"`, "--approve", "ask", "--env-inherit")
	a.sees("the starter policy holds")
	a.create(1, "ls", "", "")
	a.wants(1, 0, "")

	a.types("y\n") // to nothing: it answers no later question
	a.create(2, "make 'a\u202e\x1b]0;t\a' >out", "GIT_SSH\x1b[2J", "x")
	a.sees(`make 'a\\u202e\\x1b\]0;t\\a' >out\n(?s:.*)with GIT_SSH\\x1b\[2J\n.*` + prompt)
	a.types("what\ny\n")
	a.wants(2, 0, "")

	a.create(3, "git push", "GIT_SSH_COMMAND", "./x")
	a.sees(`git push\n  - others will see it\n  in ` + a.dir[:20] + `(?s:.*)with GIT_SSH_COMMAND=./x\n.*` + prompt)
	a.types("no use the\x1b[Dpull request\n")
	a.wants(3, -32603, `the person who was asked said no: use the\x1b[Dpull request`)

	a.create(4, "gradle ci && make", "", "")
	a.sees(`"a" allows from now on: gradle ci …, make …\n.*` + prompt)
	a.types("a\n")
	a.wants(4, 0, "")
	a.sees("allowed from now on, by 2 rules at the end of ")
	file, err := os.ReadFile(filepath.Join(a.home, "terrarium", "policy.toml"))
	if err != nil || !strings.Contains(string(file), `"always-gradle-ci"`) || !strings.Contains(string(file), `"git-read"`) {
		t.Errorf("got the file %q, %v, want the starter policy and a rule", file, err)
	}
	for id, line := range []string{"gradle ci --x | cat", "make y && ls", "ls"} {
		a.create(10+id, line, "", "")
		a.wants(10+id, 0, "")
	}

	a.create(5, "bundle generate", "", "")
	a.sees("bundle generate\n(?s:.*)" + prompt)
	a.types("s\n")
	a.wants(5, 0, "")
	a.create(6, "bundle generate", "", "")
	a.wants(6, 0, "")
}

// A person sees each line of a command, and what a question leaves out of a long one, and no line
// of a command looks like one of ours.
func TestPermissionLines(t *testing.T) {
	a := serveAsked(t, `exec "$@"`, "--approve", "ask")
	a.sees("the starter policy holds")
	a.create(1, "cat <<EOF >b.py\nprint(1)\x1b\nEOF\n", "", "")
	a.sees(`wants to run\n  \| cat <<EOF >b.py\n  \| print\(1\)\\x1b\n  \| EOF\n  - (?s:.*)y yes, s this line all session, (a always, )?` + prompt)
	a.types("n\n")
	a.wants(1, -32603, "said no")

	a.create(2, "gradle "+strings.Repeat("x", 400)+" && touch hidden && echo "+strings.Repeat("y", 400), "", "")
	a.sees(`bytes more …\](?s:.*)v show all, ` + prompt)
	a.types("v\n")
	a.sees(`x && touch hidden && echo *\n? *y+\n    y+\n(?s:.*)v show all, ` + prompt)
	a.types("n\n")
	a.wants(2, -32603, "said no")

	a.create(3, "gradle "+strings.Repeat("z", 60)+"- ls: no rule forbids it", "", "")
	a.sees(`\n    \S*.*no rule forbids it\n(?s:.*)` + prompt)
	a.types("n\n")
	a.wants(3, -32603, "said no")
}

// One question shows at a time. One that is given up is removed, and the answer to it too.
func TestPermissionRaces(t *testing.T) {
	a := serveAsked(t, `exec "$@"`, "--approve", "ask")
	a.sees("the starter policy holds")
	a.create(1, "make one", "", "")
	a.sees("make one\n(?s:.*)" + prompt)
	a.create(2, "make two", "", "")
	a.cancel(1)
	a.wants(1, -32800, "")
	a.sees(`input and output\nterrarium: no answer is needed any more: make one\n\nterrarium: an agent wants to run\n  make two\n(?s:.*)` + prompt)
	a.cancel(2)
	a.wants(2, -32800, "")

	// The person and the peer decide at the same time, also about two that are equal.
	for id := 10; id < 30; id += 2 {
		a.create(id, fmt.Sprint("make ", id), "", "")
		a.create(id+1, fmt.Sprint("make ", id), "", "")
		a.sees(fmt.Sprintf("make %d\n(?s:.*)", id) + prompt)
		typed := make(chan struct{})
		go func() { // ends when it is typed
			defer close(typed)
			a.tty.WriteString("y\n")
		}()
		a.cancel(id)
		first, code, message := a.answer()
		if first != id && first != id+1 || code != 0 && code != -32800 {
			t.Fatalf("got the answer %d, %d, %q, want one of %d or %d", first, code, message, id, id+1)
		}
		a.cancel(id + 1)
		second, code, message := a.answer()
		if first+second != 2*id+1 || code != 0 && code != -32800 {
			t.Fatalf("got the answer %d, %d, %q after one to %d", second, code, message, first)
		}
		<-typed // or it is the answer to a later question
	}
	a.create(3, "make three", "", "")
	a.sees("make three\n(?s:.*)" + prompt)
	a.types("n\n")
	a.wants(3, -32603, "said no")
}

// Where the person has gone, the answer is no, and nobody waits.
func TestPermissionGone(t *testing.T) {
	a := serveAsked(t, `trap "" HUP; exec 3<&0; "$@" <&3 & wait`, "--approve", "ask")
	a.sees("the starter policy holds")
	a.create(1, "make", "", "")
	a.sees(prompt)
	a.cmd.Process.Kill() // the terminal hangs up when its session's leader ends
	a.wants(1, -32603, "asking has failed, which is a no")
	a.create(2, "gradle ci", "", "")
	a.wants(2, -32603, "no rule allows gradle ci …. Nobody can be asked, so asking again is useless.")
}

// A terminal that another program reads keys from is not asked at.
func TestPermissionRaw(t *testing.T) {
	a := serveAsked(t, `stty -icanon -echo <&2; exec "$@"`, "--approve", "ask")
	a.sees("the starter policy holds")
	a.create(1, "make", "", "")
	a.wants(1, -32603, "Nobody can be asked")
}

// A program is asked. What is given up ends it, with all that it has started.
func TestPermissionProgram(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	a := serveAsked(t, `exec "$@"`, "--ask-command", fmt.Sprintf("sh -c 'echo $$ >%[1]s.new; mv %[1]s.new %[1]s; setsid sleep 1000 & sleep 1000'", pid))
	a.sees("the starter policy holds")
	a.create(1, "make", "", "")
	var number []byte
	for late := time.Now().Add(patience); len(number) == 0; time.Sleep(time.Millisecond) {
		if number, _ = os.ReadFile(pid); time.Now().After(late) {
			t.Fatal("the program was not asked")
		}
	}
	a.cancel(1)
	a.wants(1, -32800, "")
	for late := time.Now().Add(patience); alive(strings.TrimSpace(string(number))); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the program lives on")
		}
	}
}

// TestPermissionOfSession: a session that is opened has the rules of its directory, also where
// nothing else is judged.
func TestPermissionOfSession(t *testing.T) {
	a := serveAsked(t, `exec "$@"`, "--env-inherit")
	project := t.TempDir()
	if err := os.Mkdir(filepath.Join(project, ".terrarium"), 0o755); err != nil {
		t.Fatal(err)
	}
	rule := "[[rule]]\nid = 'no-true'\nargv = ['true']\ndecision = 'deny'\n"
	if err := os.WriteFile(filepath.Join(project, ".terrarium", "policy.toml"), []byte(rule), 0o644); err != nil {
		t.Fatal(err)
	}
	a.create(1, "true", "", "")
	a.wants(1, 0, "")
	a.send(map[string]any{"id": 2, "method": "_terrarium/session_open", "params": map[string]any{"sessionId": "p", "cwd": project}})
	a.wants(2, 0, "")
	a.send(map[string]any{"id": 3, "method": "terminal/create", "params": map[string]any{"sessionId": "p", "command": "true"}})
	a.wants(3, -32603, "no-true")
}

// TestPermissionRoots: where no session was opened, the server's directory is what rules are about,
// and not one that the agent names.
func TestPermissionRoots(t *testing.T) {
	a := serveAsked(t, `exec "$@"`, "--approve", "none")
	create := func(id int, cwd string) {
		a.send(map[string]any{"id": id, "method": "terminal/create", "params": map[string]any{"sessionId": "s", "command": "touch probe", "cwd": cwd}})
	}
	// The file is there already: touch may still run while the test's directory is removed, which
	// fails where a new file comes meanwhile.
	if err := os.WriteFile(filepath.Join(a.dir, "probe"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	create(1, a.dir)
	a.wants(1, 0, "")
	create(2, "/var")
	a.wants(2, -32603, "no rule allows it")
	// Nor do the rules of the server's directory end below it.
	if err := errors.Join(os.Mkdir(filepath.Join(a.dir, ".terrarium"), 0o755), os.Mkdir(filepath.Join(a.dir, "below"), 0o755),
		os.WriteFile(filepath.Join(a.dir, ".terrarium", "policy.toml"), []byte("[[rule]]\nid = 'no-touch'\nargv = ['touch']\ndecision = 'deny'\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	create(3, filepath.Join(a.dir, "below"))
	a.wants(3, -32603, "no-touch")
}

// TestPermissionSandbox: who is asked is told that a command runs in the sandbox.
func TestPermissionSandbox(t *testing.T) {
	needBox(t)
	a := serveAsked(t, `exec "$@"`, "--host", "wasm", "--ask-command", `cat >&2; echo '{"answer":"no"}'`)
	a.create(1, "rm x", "", "")
	a.wants(1, -32603, "said no")
	a.sees(`"sandbox":"wasm"`)
}
