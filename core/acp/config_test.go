package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// Point 2 of tests/acp: a client that has not advertised terminals answers
// terminal/* with method not found.
func TestNoTerminal(t *testing.T) {
	p := newPeer(t, acp.Config{NoTerminal: true}, core.Config{})
	for _, method := range []string{
		acp.MethodCreate, acp.MethodOutput, acp.MethodWaitForExit, acp.MethodKill, acp.MethodRelease,
	} {
		got := p.send(call(method, `{"sessionId":"s","command":"a","terminalId":"x"}`))
		want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found",` +
			`"data":{"reason":"unknown_method","method":"` + method + `"}}}`
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := p.send(hello); got != welcome {
		t.Errorf("got %s, want %s", got, welcome)
	}
	if len(p.work) > 0 {
		t.Errorf("the host was told %q, want nothing", p.work)
	}
}

func TestLenient(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{`{"B":"1","A":"x=y","B":"2","":""}`, "empty_name"},
		{`{"B":"1","A":"x=y","B":"2"}`, `env="B=1" env="A=x=y" env="B=2"`},
		{`{}`, `resolve t1 command="a"`},
		{`null`, `resolve t1 command="a"`},
		{`[{"name":"A","value":"b"}]`, `env="A=b"`},
		{`{"A\u0042":"\u0063"}`, `env="AB=c"`},
		{`{"A":1}`, "type"},
		{`{"A":null}`, "type"},
		{`{"A":"\ud800"}`, "lone_surrogate"},
		{`{"\ud800":"a"}`, "lone_surrogate"},
		{`{"A=B":"c"}`, "equals_in_name"},
		{`{"A":"\u0000"}`, "nul_byte"},
		{`"A=b"`, "type"},
	} {
		p := newPeer(t, acp.Config{Lenient: true}, core.Config{})
		answer := p.send(call(acp.MethodCreate, `{"sessionId":"s","command":"a","env":`+c.env+`}`))
		if got := reason(answer) + strings.Join(p.work, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("env %s: got %s, want %s", c.env, got, c.want)
		}
	}
}

// What the request does not say comes from Config.Command.
func TestConfigCommand(t *testing.T) {
	p := newPeer(t, acp.Config{Command: core.Command{
		Command: "not this", Args: []string{"nor", "this"}, Env: []core.EnvVariable{{Name: "TERM", Value: "dumb"}},
		Cwd: "/home", Roots: []string{"/home"}, Pty: true, Rows: 5, Cols: 7,
	}}, core.Config{})
	var got core.Command
	p.resolve = func(c *core.Command) error { got = *c; return nil }
	p.create(`{"sessionId":"s","command":"a","env":[{"name":"TERM","value":"xterm"}]}`)
	want := `resolve t1 command="a" env="TERM=dumb" env="TERM=xterm" cwd="/home" pty`
	if got := p.work[0]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got.Rows != 5 || got.Cols != 7 || len(got.Roots) != 1 {
		t.Errorf("got %+v, want 5 rows, 7 columns and one root", got)
	}
}

func TestMaxPending(t *testing.T) {
	p := newPeer(t, acp.Config{MaxPending: 2}, core.Config{})
	id := p.create(`{"sessionId":"s","command":"a"}`)
	wait := func(requestID, want string) {
		t.Helper()
		if got := reason(p.send(request(requestID, acp.MethodWaitForExit, id))); got != want {
			t.Errorf("wait %s: got reason %q, want %q", requestID, got, want)
		}
	}
	const refused = "limit_pending_requests"
	wait("10", "")
	wait("null", "") // a request like any other
	wait("2", refused)
	wait("null", refused)
	if got := reason(p.send(call(acp.MethodCreate, `{"sessionId":"s","command":"b"}`))); got != refused {
		t.Errorf("create: got reason %q, want %q", got, refused)
	}
	if got := reason(p.send(request("4", acp.MethodOutput, id))); got != "" {
		t.Errorf("output: got reason %q, want a result: it does not wait", got)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":10}}`)
	wait("5", "")
	wait("6", refused)

	p.registry.HandleExit(p.now, id, core.Exit{})
	p.registry.HandleOutputEnd(p.now, id)
	if got := strings.Count(p.take(), `"exitCode":0`); got != 2 {
		t.Errorf("got %d answers at the exit, want 2", got)
	}
	id = p.create(`{"sessionId":"s","command":"a"}`)
	wait("7", "")
	wait("8", "")
	wait("9", refused)
}

func TestMaxSessions(t *testing.T) {
	p := newPeer(t, acp.Config{MaxSessions: 2}, core.Config{})
	open := func(session, want string) {
		t.Helper()
		params := fmt.Sprintf(`{"sessionId":%q,"cwd":"/"}`, session)
		if got := reason(p.send(call(acp.MethodSessionOpen, params))); got != want {
			t.Errorf("open %.20s: got reason %q, want %q", session, got, want)
		}
	}
	open("a", "")
	open("b", "")
	open("c", "limit_sessions")
	open("a", "") // again
	p.send(call(acp.MethodSessionClose, `{"sessionId":"a"}`))
	open("c", "")
	open(strings.Repeat("x", 64<<10), "too_long")
}
