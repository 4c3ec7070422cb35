package tests

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A moreTest is a client of a server whose commands are confined, with a record.
type moreTest struct {
	*permitting
	record string
}

func newMore(t *testing.T, flags ...string) *moreTest {
	t.Helper()
	if !hasSandbox() {
		t.Skip("NOT RUN: no Landlock, or no seccomp")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	record := filepath.Join(t.TempDir(), "record")
	return &moreTest{permittingServer(t, append([]string{"--audit", record}, flags...)...), record}
}

// more sends a terminal/create that asks for more, and returns what comes.
func (m *moreTest) more(line, meta string) (id int, answer acpMessage) {
	m.t.Helper()
	id = m.call("terminal/create", fmt.Sprintf(`{"sessionId":"s","command":%q,"_meta":{"terrarium":%s}}`, line, meta))
	return id, m.next()
}

// invalid expects that a create is refused as a bad parameter.
func (m *moreTest) invalid(meta, says string) {
	m.t.Helper()
	id, answer := m.more("true", meta)
	if answer.ID != float64(id) || answer.Error.Code != -32602 || !strings.Contains(answer.Error.Message, says) {
		m.t.Errorf("%s: got %+v, want it invalid: %s", meta, answer, says)
	}
}

// asked expects a question whose title begins so.
func (m *moreTest) asked(line, meta, title string) (id int, question acpMessage) {
	m.t.Helper()
	id, question = m.more(line, meta)
	if want := title + ": `" + line + "`"; question.Method != "session/request_permission" || question.Params.ToolCall.Title != want {
		m.t.Fatalf("%s: got %+v, want a question %s", meta, question, want)
	}
	for _, o := range question.Params.Options {
		if o.OptionID != "once" && o.OptionID != "no" {
			m.t.Errorf("%s: it can be answered %s", meta, o.OptionID)
		}
	}
	return id, question
}

// TestMoreWithoutSandbox: a command runs without the sandbox if a person says so, each time anew.
func TestMoreWithoutSandbox(t *testing.T) {
	m := newMore(t, "--sandbox", "workspace")
	m.agree()
	os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)
	outside := filepath.Join(t.TempDir(), "new")
	line := "touch " + outside
	for range 2 {
		id, q := m.asked(line, `{"sandbox":"off"}`, "without a sandbox")
		m.say(q, chosen("once"))
		m.ran(id)
		if err := os.Remove(outside); err != nil {
			t.Error(err)
		}
	}
	id, q := m.asked(line, `{"sandbox":"off"}`, "without a sandbox")
	m.say(q, chosen("no"))
	m.refused(id, "said no")
	// Others are confined as before.
	m.ran(m.call("terminal/create", fmt.Sprintf(`{"sessionId":"s","command":"! %s"}`, line)))
	id, q = m.asked("true", `{"sandbox":"off","net":["example.org"]}`, "without a sandbox")
	m.say(q, chosen("session")) // which was not offered
	m.refused(id, "optionId")

	record, err := os.ReadFile(m.record)
	if err != nil {
		t.Fatal(err)
	}
	for event, want := range map[string]int{
		`"event":"create".*"more":["sandbox off"]`:                   3,
		`"event":"create".*"more":["sandbox off","net example.org"]`: 1,
		`"event":"ask".*"more":["without a sandbox"]`:                4,
		`"event":"allow".*"by":"acp".*"more":["without a sandbox"]`:  2,
		`"event":"start".*"more":["without a sandbox"]`:              2,
		`"event":"deny".*"more":`:                                    0,
		`"event":"start".*"sandbox":"workspace"`:                     1,
	} {
		if got := countLines(string(record), strings.Split(event, ".*")); got != want {
			t.Errorf("the record has %d of %s, want %d:\n%s", got, event, want, record)
		}
	}
}

// countLines counts the lines that have all parts in their order.
func countLines(text string, parts []string) (n int) {
	for line := range strings.Lines(text) {
		found := true
		for _, part := range parts {
			_, rest, ok := strings.Cut(line, part)
			line, found = rest, found && ok
		}
		if found {
			n++
		}
	}
	return n
}

// TestMoreNet: what one command may connect to is no other's.
func TestMoreNet(t *testing.T) {
	m := newMore(t, "--sandbox", "workspace", "--net", "10.1.2.3:80")
	m.agree()
	os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to := l.Addr().String()
	host, port, _ := net.SplitHostPort(to)
	line := fmt.Sprintf(`bash -c "exec 3<>/dev/tcp/%s/%s"`, host, port)
	id, q := m.asked(line, fmt.Sprintf(`{"net":["10.1.2.3:80",%q,%q]}`, to, to), "connecting to "+to)
	m.say(q, chosen("once"))
	m.ran(id)
	m.ran(m.call("terminal/create", fmt.Sprintf(`{"sessionId":"s","command":%q}`, "! "+line)))
	id, q = m.asked(line, fmt.Sprintf(`{"net":[%q],"sandbox":"strict"}`, to), "connecting to "+to)
	m.say(q, chosen("once"))
	m.ran(id)
	// All commands have that.
	m.ran(m.call("terminal/create", `{"sessionId":"s","command":"true","_meta":{"terrarium":{"net":["10.1.2.3:80"]}}}`))
	id, q = m.asked("true", `{"net":["example.org"]}`, "connecting to example.org")
	m.say(q, chosen("once"))
	m.ran(id)
}

// TestMoreRefused: what can't be had is an error, and not less than was asked for.
func TestMoreRefused(t *testing.T) {
	m := newMore(t, "--sandbox", "workspace", "--sandbox-required")
	m.agree()
	os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)
	m.invalid(`{"sandbox":"off"}`, "sandbox_required: off: no command may run without one here")
	m.invalid(`{"sandbox":"loose"}`, "unknown_level: loose: use off, workspace or strict")
	m.invalid(`{"sandbox":5}`, "wrong type")
	m.invalid(`{"net":["https://example.org/"]}`, "not_a_host: \"https://example.org/\": it is a URL: write example.org:443")
	m.invalid(`{"net":"example.org"}`, "wrong type")
	// To have less needs no question.
	m.ran(m.call("terminal/create", `{"sessionId":"s","command":"true","_meta":{"terrarium":{"sandbox":"strict"}}}`))
}

// TestMoreNobody: where nobody can be asked, nothing more is given; nor by --approve all.
func TestMoreNobody(t *testing.T) {
	for says, flags := range map[string][]string{
		"Nobody can be asked": nil,
		"--approve all":       {"--approve", "all"},
		"--approve none":      {"--approve", "none"},
	} {
		m := newMore(t, append([]string{"--sandbox", "strict"}, flags...)...)
		os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)
		id, answer := m.more("true", `{"sandbox":"workspace"}`)
		if answer.ID != float64(id) || answer.Error.Code != -32603 || !strings.Contains(answer.Error.Message, says) {
			t.Errorf("%q: got %+v, want it denied: %s", flags, answer, says)
		}
	}
}

// TestMoreNoSandbox: where there is no sandbox none can be asked for, and off is what all have.
func TestMoreNoSandbox(t *testing.T) {
	m := newMore(t)
	m.agree()
	os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)
	m.invalid(`{"sandbox":"strict"}`, "no_sandbox: strict: commands run without one here")
	m.ran(m.call("terminal/create", `{"sessionId":"s","command":"true","_meta":{"terrarium":{"sandbox":"off","net":["example.org"]}}}`))
}
