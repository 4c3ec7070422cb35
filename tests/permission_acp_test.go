package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A permitting client is an ACP client of serve that has said that it answers
// session/request_permission. Its commands run in dir.
type permitting struct {
	t        *testing.T
	dir      string
	policy   string
	send     func(line string)
	leave    func()
	messages chan acpMessage // closed with the connection
	id       int
}

// An acpMessage is one of any kind.
type acpMessage struct {
	ID     any
	Method string
	Params struct {
		SessionID string
		RequestID any
		ToolCall  struct {
			Title    string
			RawInput struct {
				Command, Cwd string
				Args         []string
			}
		}
		Options []struct{ OptionID, Name, Kind string }
	}
	Result map[string]any
	Error  struct {
		Code    int
		Message string
	}
}

// permittingClients connect to "serve --stdio" and "serve --listen" where all is asked about.
var permittingClients = map[string]func(t *testing.T) *permitting{
	"stdio": func(t *testing.T) *permitting { return permittingServer(t) },
	"listen": func(t *testing.T) *permitting {
		p := newPermitting(t)
		p.connect(listening(t, "--policy", p.policy, "--cwd", p.dir))
		return p
	},
}

// permittingServer is a client of "serve --stdio" with flags.
func permittingServer(t *testing.T, flags ...string) *permitting {
	p := newPermitting(t)
	cmd := exec.Command("terrarium", append([]string{"serve", "--stdio", "--policy", p.policy, "--cwd", p.dir}, flags...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // or who runs the tests is asked
	in, out := startPiped(t, cmd)
	p.send = func(line string) { io.WriteString(in, line+"\n") }
	p.leave = func() { in.Close() }
	go func() { // ends with the server
		defer close(p.messages)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.take(lines.Bytes())
		}
	}()
	t.Cleanup(func() {
		in.Close()
		for range p.messages {
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return p
}

func newPermitting(t *testing.T) *permitting {
	p := &permitting{t: t, dir: t.TempDir(), policy: filepath.Join(t.TempDir(), "policy.toml"), messages: make(chan acpMessage, 64)}
	if err := os.WriteFile(p.policy, []byte("default = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// connect connects to a URL of "serve --listen".
func (p *permitting) connect(url string) {
	conn, _ := dial(p.t, url, &websocket.DialOptions{HTTPHeader: header("Authorization", "Bearer "+listenToken)})
	ctx := p.t.Context()
	p.send = func(line string) { conn.Write(ctx, websocket.MessageText, []byte(line)) }
	p.leave = func() { conn.CloseNow() }
	go func() { // ends with the connection
		defer close(p.messages)
		for {
			_, line, err := conn.Read(ctx)
			if err != nil {
				return
			}
			p.take(line)
		}
	}()
}

func (p *permitting) take(line []byte) {
	var m acpMessage
	if err := json.Unmarshal(line, &m); err != nil {
		p.t.Errorf("%s: %v", line, err)
	}
	p.messages <- m
}

// next returns the next message.
func (p *permitting) next() acpMessage {
	p.t.Helper()
	select {
	case m, ok := <-p.messages:
		if !ok {
			p.t.Fatal("the connection has ended")
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("no message comes")
	}
	panic("not reached")
}

// call sends a request.
func (p *permitting) call(method, params string) (id int) {
	p.id++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.id, method, params))
	return p.id
}

// agree says that the client answers questions.
func (p *permitting) agree() {
	p.t.Helper()
	id := p.call("initialize", `{"protocolVersion":1,"clientCapabilities":{"_meta":{"terrarium":{"requestPermission":true}}}}`)
	if m := p.next(); m.ID != float64(id) {
		p.t.Fatalf("got %+v, want the answer to initialize", m)
	}
}

// create wants to run a command, and expects to be asked.
func (p *permitting) create(line string) (id int, question acpMessage) {
	p.t.Helper()
	id = p.call("terminal/create", fmt.Sprintf(`{"sessionId":"s","command":%q}`, line))
	question = p.next()
	if question.Method != "session/request_permission" || question.Params.SessionID != "s" || question.Params.ToolCall.Title != "`"+line+"`" {
		p.t.Fatalf("got %+v, want a question about %s", question, line)
	}
	return id, question
}

// say answers a question with an outcome.
func (p *permitting) say(question acpMessage, outcome string) {
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":%s}}`, question.ID, outcome))
}

func chosen(option string) string { return fmt.Sprintf(`{"outcome":"selected","optionId":%q}`, option) }

// ran waits until the command of the create id has ended.
func (p *permitting) ran(id int) {
	p.t.Helper()
	m := p.next()
	terminal, _ := m.Result["terminalId"].(string)
	if m.ID != float64(id) || terminal == "" {
		p.t.Fatalf("got %+v, want the terminal of request %d", m, id)
	}
	p.call("terminal/wait_for_exit", fmt.Sprintf(`{"sessionId":"s","terminalId":%q}`, terminal))
	if m := p.next(); m.Result["exitCode"] != 0.0 {
		p.t.Errorf("got %+v, want exit code 0", m)
	}
}

// refused expects that the create id is denied, for a reason that has says in it.
func (p *permitting) refused(id int, says string) {
	p.t.Helper()
	if m := p.next(); m.ID != float64(id) || m.Error.Code != -32603 || !strings.Contains(m.Error.Message, says) {
		p.t.Errorf("got %+v, want request %d denied: %s", m, id, says)
	}
}

// files expects that names are all that commands have made.
func (p *permitting) files(names ...string) {
	p.t.Helper()
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		p.t.Errorf("got files %q, want %q", got, names)
	}
}

func eachPermitting(t *testing.T, test func(t *testing.T, p *permitting)) {
	for name, connect := range permittingClients {
		t.Run(name, func(t *testing.T) { test(t, connect(t)) })
	}
}

// TestPermissionAnswers: a client that answers is asked, and its answer holds for as long as it
// says.
func TestPermissionAnswers(t *testing.T) {
	eachPermitting(t, func(t *testing.T, p *permitting) {
		p.agree()
		for range 2 { // once is for one
			id, q := p.create("touch 1")
			p.say(q, chosen("once"))
			p.ran(id)
		}
		id, q := p.create("touch 2")
		p.say(q, chosen("session"))
		p.ran(id)
		p.ran(p.call("terminal/create", `{"sessionId":"s","command":"touch 2"}`))

		id, q = p.create("mkdir 3")
		p.say(q, chosen("always"))
		p.ran(id)
		p.ran(p.call("terminal/create", `{"sessionId":"s","command":"mkdir 4"}`))
		// The peer may be the agent itself: what it says holds for its session, and is in no file.
		if rules, _ := os.ReadFile(p.policy); strings.Contains(string(rules), "[[rule]]") {
			t.Errorf("got rules %s that a peer has made", rules)
		}
		id = p.call("terminal/create", `{"sessionId":"other","command":"mkdir 6"}`)
		p.say(p.next(), chosen("no"))
		p.refused(id, "said no")

		id, q = p.create("touch 5")
		p.say(q, chosen("no"))
		p.refused(id, "said no")
		id, q = p.create("touch 5")
		p.say(q, `{"outcome":"selected","optionId":"no","_meta":{"terrarium":{"reason":"write \u202e files"}}}`)
		p.refused(id, `said no: write \u202e files`)
		id, q = p.create("touch 5")
		p.say(q, `{"outcome":"cancelled"}`)
		p.refused(id, "the turn was cancelled")
		id, q = p.create("touch 5")
		p.say(q, chosen("whatever"))
		p.refused(id, "optionId")
		id, q = p.create("touch 5")
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"error":{"code":-32603,"message":"no window"}}`, q.ID))
		p.refused(id, "no window")
		p.files("1", "2", "3", "4")
	})
}

// TestPermissionOptions: "always" is offered where a rule can be made, and "no" always.
func TestPermissionOptions(t *testing.T) {
	p := permittingClients["stdio"](t)
	p.agree()
	for line, want := range map[string]string{
		"touch 1":  "once=allow_once session=allow_always always=allow_always no=reject_once",
		"$SHELL 1": "once=allow_once session=allow_always no=reject_once",
	} {
		_, q := p.create(line)
		var got []string
		for _, o := range q.Params.Options {
			got = append(got, o.OptionID+"="+o.Kind)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
		p.say(q, chosen("no"))
		p.next()
	}
}

// TestPermissionNotAgreed: a client that has not said that it answers is not asked.
func TestPermissionNotAgreed(t *testing.T) {
	p := permittingClients["stdio"](t)
	p.refused(p.call("terminal/create", `{"sessionId":"s","command":"touch 1"}`), "Nobody can be asked")
	p.files()
}

// TestPermissionCancelled: when the create is cancelled while its client is asked, so is the
// question, and a late yes starts nothing.
func TestPermissionCancelled(t *testing.T) {
	eachPermitting(t, func(t *testing.T, p *permitting) {
		p.agree()
		id, q := p.create("touch 1")
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, id))
		cancelled, withdrawn := false, false
		for range 2 { // in any order
			m := p.next()
			cancelled = cancelled || m.ID == float64(id) && m.Error.Code == -32800
			withdrawn = withdrawn || m.Method == "$/cancel_request" && m.Params.RequestID == q.ID
		}
		if !cancelled || !withdrawn {
			t.Errorf("got cancelled %v, withdrawn %v, want both", cancelled, withdrawn)
		}
		p.say(q, chosen("once"))
		id, q = p.create("touch 2")
		p.say(q, chosen("once"))
		p.ran(id)
		p.files("2")
	})
}

// TestPermissionPeerGone: nothing starts, and nobody waits, when the client vanishes while it is
// asked.
func TestPermissionPeerGone(t *testing.T) {
	eachPermitting(t, func(t *testing.T, p *permitting) {
		p.agree()
		p.create("touch 1")
		p.leave()
		for range p.messages { // until the server has hung up
		}
		p.files()
	})
}

// TestPermissionPeersApart: what one client grants for its session "s" holds for no other's.
func TestPermissionPeersApart(t *testing.T) {
	a := newPermitting(t)
	url := listening(t, "--policy", a.policy, "--cwd", a.dir)
	b := &permitting{t: t, dir: a.dir, messages: make(chan acpMessage, 64)}
	for _, p := range []*permitting{a, b} {
		p.connect(url)
		p.agree()
		id, q := p.create("touch 1")
		p.say(q, chosen("session"))
		p.ran(id)
	}
}

// TestPermissionShown: no part of a question that clients show has characters that a person can't
// see, or that have the line read otherwise than it runs.
func TestPermissionShown(t *testing.T) {
	nativeHost(t)
	p := permittingServer(t)
	p.agree()
	for command, want := range map[string][2]string{
		`"command":"echo safe #\u202egniht lufmrah\u2066\u001b[2J\n\tid"`: {`echo safe #\u202egniht lufmrah\u2066\x1b[2J` + "\n\tid", ""},
		`"command":"echo","args":["a\u202eb"]`:                            {"echo", `a\u202eb`},
	} {
		id := p.call("terminal/create", `{"sessionId":"s",`+command+`}`)
		q := p.next()
		shown := q.Params.ToolCall.RawInput
		if got := strings.Join(shown.Args, " "); shown.Command != want[0] || got != want[1] {
			t.Errorf("%s: a client is to show %q %q, want %q", command, shown.Command, got, want)
		}
		p.say(q, chosen("no"))
		p.refused(id, "")
	}
}
