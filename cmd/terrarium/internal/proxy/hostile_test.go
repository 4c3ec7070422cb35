package proxy

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/lossy"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// TestLook: what readers take differently is a doubt.
func TestLook(t *testing.T) {
	for line, want := range map[string]doubt{
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`:            "",
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1}}`:    "",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}`:      "ambiguous",
		`{"jsonrpc":"2.0","id":1,"method":"a","method\u0000":"b"}`:     "nul_in_name",
		`{"jsonrpc":"2.0","id":1,"method":"a","x":{"method\u0000":1}}`: "",
	} {
		if _, got := look([]byte(line)); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// TestNonceStaysHere: an agent that knew how our questions are called could have a person answer
// one of its own.
func TestNonceStaysHere(t *testing.T) {
	p := &proxy{nonce: "NONCE", stderr: lossy.New(io.Discard, "")}
	p.config.Warn = func(io.Writer, error) {}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"ask_1_NONCE","result":{},"result":{}}`,
		"{\"jsonrpc\":\"2.0\",\r\"id\":\"ask_1_NONCE\",\"result\":{}}",
		`{"id":"ask_1_NONCE"`,
	} {
		if got := p.editorLine([]byte(line + "\n")); got != nil {
			t.Errorf("%s: the agent got %s", line, got)
		}
	}
	if other := []byte("{}{}\n"); string(p.editorLine(other)) != string(other) {
		t.Error("another line that readers take differently did not go to the agent")
	}
}

// showing returns the display of a proxy whose one terminal has ended, and has printed a lot.
func showing(t *testing.T) (*display, core.TerminalID) {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { host.Close() })
	d := (&proxy{}).newDisplay()
	c := driver.Config{Host: host}
	d.watch(&c)
	d.driver = driver.New(c)
	t.Cleanup(func() { d.driver.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	term, err := d.driver.Create(ctx, "s", core.Command{Command: `head -c 40000 /dev/zero | tr '\0' x`})
	if err == nil {
		_, err = term.Wait(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, term.ID()
}

// embed has a tool call embed content, and returns what the editor gets.
func (d *display) embed(t *testing.T, call, content string) []byte {
	t.Helper()
	line := []byte(fmt.Sprintf(`{"update":{"content":[%s]}}`, content))
	v, err := jsonrpc.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	update, _ := v.Get("update")
	items, _ := update.Get("content")
	splices, after := d.embedded(line, callID{"s", call}, update, items)
	line = apply(line, splices)
	if after != nil {
		after()
	}
	return line
}

// TestEmbeddedOften: a line that names a terminal thousands of times grows by a few texts only. It
// takes for ever where the line is searched from its beginning for each.
func TestEmbeddedOften(t *testing.T) {
	d, id := showing(t)
	const times = 100_000
	embedding := fmt.Sprintf(`{"type":"terminal","terminalId":%q}`, id)
	line := d.embed(t, "call", strings.TrimSuffix(strings.Repeat(embedding+",", times), ","))
	if most := times*len(notShown+",") + 2*maxShown*maxText; len(line) > most {
		t.Errorf("got %d bytes, want at most %d", len(line), most)
	}
	if n := strings.Count(string(line), string(id)); n != 0 {
		t.Errorf("the editor got a terminal that it does not know, %d times", n)
	}
	if _, err := jsonrpc.Parse(line); err != nil {
		t.Error(err)
	}
}

// TestLongCall: a tool call with a long id is not told of its terminals again and again.
func TestLongCall(t *testing.T) {
	d, id := showing(t)
	for _, call := range []string{"", strings.Repeat("x", 1<<20)} {
		d.embed(t, call, fmt.Sprintf(`{"type":"terminal","terminalId":%q}`, id))
		if len(d.calls) != 0 {
			t.Errorf("a call with an id of %d bytes is kept", len(call))
		}
	}
}

// TestChangesAreFew: what has changed waits where it is, and not as lines, until the editor has
// room for it.
func TestChangesAreFew(t *testing.T) {
	d, id := showing(t)
	const calls = 200
	for i := range calls {
		d.embed(t, fmt.Sprint(i), fmt.Sprintf(`{"type":"terminal","terminalId":%q}`, id))
	}
	d.mu.Lock()
	for _, e := range d.calls {
		e.items[0].seen = state{} // as if it had printed all since
	}
	d.mu.Unlock()
	told := 0
	for range calls {
		size := 0
		for _, line := range d.changes() {
			size += len(line)
			told++
		}
		if size > maxWaiting+2*maxText {
			t.Errorf("got %d bytes of lines at once", size)
		}
	}
	if told != calls {
		t.Errorf("%d of %d tool calls were told", told, calls)
	}
}

// TestForgotten: nothing is kept of terminals that no tool call has embedded, once their session
// has ended.
func TestForgotten(t *testing.T) {
	d, id := showing(t)
	if err := d.driver.CloseSession("s"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); d.driver.Terminal(id).Look(func(*core.Terminal) {}); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the driver keeps the terminal")
		}
	}
	d.forget("another")
	if len(d.terminals) != 0 {
		t.Errorf("%d terminals are kept", len(d.terminals))
	}
}

// TestLentIsNotTheirs: an agent that tells of a terminal of our tools as if it was its own changes
// nothing of what is shown of it, and does no harm when it goes.
func TestLentIsNotTheirs(t *testing.T) {
	d, _ := showing(t)
	const id = "term_1"
	d.lentNews("s", &core.Effect{Kind: core.Started, ID: id, Exec: &core.Exec{}})
	d.lentOutput("s", id, []byte("ours\n"))
	tell := func(meta string) {
		t.Helper()
		params, err := jsonrpc.Parse([]byte(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","_meta":{` + meta + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		d.toldOf(params)
	}
	tell(`"terminal_info":{"terminal_id":"` + id + `"},"terminal_output":{"terminal_id":"` + id + `","data":"theirs\n"}`)
	if got := string(d.embed(t, "c", `{"type":"terminal","terminalId":"`+id+`"}`)); !strings.Contains(got, "ours") || strings.Contains(got, "theirs") {
		t.Errorf("got %s, want what the command has written", got)
	}
	d.forget("s")
	tell(`"terminal_output":{"terminal_id":"` + id + `","data":"theirs\n"},"terminal_exit":{"terminal_id":"` + id + `","exit_code":0}`)
}

// TestEditorLeavesDeafAgent: an agent that does not read what the editor says does not outlive it.
func TestEditorLeavesDeafAgent(t *testing.T) {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		t.Skip(err)
	}
	defer host.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { // ends with the agent
		ended <- Run(t.Context(), Config{
			In: r, Out: io.Discard, Stderr: io.Discard, Warn: func(io.Writer, error) {}, Pass: true,
			Agent: core.Command{Command: "sleep", Args: []string{"1000"}}, AgentDriver: driver.Config{Host: host},
		})
	}()
	written := make(chan struct{})
	go func() { // ends with Close below
		defer close(written)
		for line := []byte(strings.Repeat("x", 4<<10) + "\n"); ; {
			w.SetWriteDeadline(time.Now().Add(time.Second)) // it is full
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}()
	<-written
	w.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the agent is still there")
	}
}

// TestLongIDs: what is known of the requests that an agent leaves open is bounded in bytes, too.
func TestLongIDs(t *testing.T) {
	r, w := io.Pipe()
	go io.Copy(io.Discard, r) // ends with w
	defer w.Close()
	p := &proxy{stderr: lossy.New(io.Discard, ""), toAgent: newLineWriter(io.Discard)}
	defer p.toAgent.close()
	p.config.Warn = func(io.Writer, error) {}
	p.served = &served{proxy: p, in: w, pending: make(map[jsonrpc.ID]bool)}
	for i := range 300 {
		p.agentLine(fmt.Appendf(nil, `{"id":"%d%s","method":"terminal/output","params":{}}`+"\n", i, strings.Repeat("x", 60<<10)))
	}
	kept := 0
	for id := range p.served.pending {
		kept += len(id.String())
	}
	if most := 300 << 10; kept > most {
		t.Errorf("%d ids take %d KiB, want at most %d", len(p.served.pending), kept>>10, most>>10)
	}
}

// TestMadeUpSessions: what an agent tells of sessions that nobody has opened is not kept.
func TestMadeUpSessions(t *testing.T) {
	p := &proxy{toEditor: newLineWriter(io.Discard)}
	p.served = &served{display: p.newDisplay()}
	defer p.toEditor.close()
	p.sessions.add("open")
	for _, session := range []string{"open", "1", "2"} {
		line := fmt.Appendf(nil, `{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call","toolCallId":"x"}}}`, session)
		m, _ := look(line)
		p.updated(&m, append(line, '\n'))
	}
	if len(p.running.calls) != 1 || p.running.only("open") != "x" {
		t.Errorf("got %v, want the call of the open session", p.running.calls)
	}
}

// TestForgedTerminal: what a terminal of our tools does, an agent can't tell an editor of version
// 2, which takes it from us. It hears of the agent's own.
func TestForgedTerminal(t *testing.T) {
	var warned []error
	p := &proxy{stderr: lossy.New(io.Discard, leftOut), config: Config{Warn: func(_ io.Writer, err error) { warned = append(warned, err) }}}
	defer p.stderr.Close()
	d := p.newDisplay()
	p.served = &served{display: d}
	d.initialized(draftDialect{})
	d.lent["ours"] = new(lent)
	for _, line := range []string{
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"ours","data":"eA=="}}}`,
		`{"method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"terminal_update","terminalId":"\u006furs","command":"true","exitStatus":{"exitCode":0}}}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"its own"}}}`,
	} {
		m, why := look([]byte(line))
		if why != "" {
			t.Fatal(why)
		}
		p.updated(&m, []byte(line+"\n"))
	}
	if passed := string(p.batch); strings.Count(passed, "\n") != 1 || !strings.Contains(passed, "its own") {
		t.Errorf("passed on %q, want what is told of the agent's own only", passed)
	}
	if len(warned) != 1 {
		t.Errorf("got the warnings %v, want one", warned)
	}
}

// TestForgedMeta: neither can it in version 1, where a tool call's _meta would say it. All else of
// the update is passed on.
func TestForgedMeta(t *testing.T) {
	var warned []error
	p := &proxy{
		toEditor: newLineWriter(io.Discard), stderr: lossy.New(io.Discard, leftOut),
		config: Config{Warn: func(_ io.Writer, err error) { warned = append(warned, err) }},
	}
	defer p.stderr.Close()
	defer p.toEditor.close()
	d := p.newDisplay()
	p.served = &served{display: d}
	d.driver = driver.New(driver.Config{})
	defer d.driver.Close()
	d.initialized(metaDialect(metaOutput))
	d.lent["ours"] = new(lent)
	d.terminal("served")
	update := func(rest string) string {
		return `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c"` + rest + "}}}\n"
	}
	for _, test := range []struct{ says, want string }{
		{`,"_meta":{"terminal_output":{"terminal_id":"ours","data":"x"},"a":1},"status":"failed"`, `,"_meta":{"a":1},"status":"failed"`},
		{`,"_meta":{"a":1,"terminal_output_delta":{"terminal_id":"s\u0065rved","data":"x"}}`, `,"_meta":{"a":1}`},
		{`,"_meta":{"terminal_exit":{"terminal_id":"other","terminal_id":"ours"}},"_meta":{}`, `,"_meta":{},"_meta":{}`},
		{`,"_meta":{},"_meta":{"\u0074erminal_exit":{"terminal_id":"ours"}}`, `,"_meta":{},"_meta":{}`},
		{`,"_meta":{"terminal_info":{"terminal_id":"ours"}}`, ""},
		{`,"_meta":{"terminal_output":{"terminal_id":"its own","data":"x"}}`, ""},
		{`,"_meta":{"terminal_output":["ours"]}`, ""},
	} {
		line, want := []byte(update(test.says)), update(test.want)
		if test.want == "" {
			want = string(line)
		}
		m, why := look(line[:len(line)-1])
		if why != "" {
			t.Fatal(why)
		}
		p.batch = p.batch[:0]
		p.updated(&m, line)
		if got := string(p.batch); got != want {
			t.Errorf("%s was passed on as %s", line, got)
		}
	}
	if len(warned) != 1 {
		t.Errorf("got the warnings %v, want one", warned)
	}
}
