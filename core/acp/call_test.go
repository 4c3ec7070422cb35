package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// params are those of a request that can be made in two ways.
type params interface{ AppendJSON(dst []byte) []byte }

// inGo makes a request with Go values and returns the answer as a line has it, or nothing yet.
func (p *peer) inGo(method string, r params) func() string {
	answer := ""
	answered := func(result params, err error) {
		p.t.Helper()
		if answer != "" {
			p.t.Errorf("%s: answered twice", method)
		}
		refused, ok := errors.AsType[*acp.RequestError](err)
		switch {
		case ok:
			e := &jsonrpc.Error{Code: refused.Code, Message: refused.Message, Data: refused.Data}
			answer = strings.TrimSpace(string(jsonrpc.AppendError(nil, jsonrpc.ID{}, e)))
		case err != nil:
			p.t.Errorf("%s: got %v, want a *RequestError", method, err)
		default:
			line := jsonrpc.AppendResponse(nil, jsonrpc.ID{}, result.AppendJSON(nil))
			answer = strings.TrimSpace(string(line))
		}
	}
	terminal, _ := r.(*acp.TerminalRequest)
	switch method {
	case acp.MethodCreate:
		p.conn.CreateTerminal(p.now, r.(*acp.CreateTerminalRequest), func(r acp.CreateTerminalResponse, err error) { answered(&r, err) })
	case acp.MethodWaitForExit:
		p.conn.WaitForTerminalExit(terminal, func(r acp.WaitForTerminalExitResponse, err error) { answered(&r, err) })
	case acp.MethodOutput:
		r, err := p.conn.TerminalOutput(terminal)
		answered(&r, err)
	case acp.MethodKill:
		r, err := p.conn.KillTerminal(p.now, terminal)
		answered(&r, err)
	case acp.MethodRelease:
		r, err := p.conn.ReleaseTerminal(p.now, terminal)
		answered(&r, err)
	case acp.MethodSessionOpen:
		answered(new(acp.EmptyResponse), p.conn.OpenSession(r.(*acp.SessionOpenRequest)))
	case acp.MethodSessionClose:
		answered(new(acp.EmptyResponse), p.conn.CloseSession(p.now, r.(*acp.SessionRequest)))
	}
	if more := p.take(); more != "" {
		p.t.Errorf("%s: got the line %s, want none", method, more)
	}
	return func() string { return answer }
}

// Whether a request comes in a line or as Go values, the answer and what it does are the same.
func TestCalls(t *testing.T) {
	config := acp.Config{Command: core.Command{Cwd: "/home"}, Bounds: true, MaxPending: 2, MaxSessions: 2, MaxResponse: 4 << 10}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	newOne := func() *peer {
		p := newPeer(t, config, core.Config{Seed: [16]byte{1}, MaxSessionTerminals: 4})
		acp.NewAsker(p.conn)
		p.resolve = func(c *core.Command) error {
			if c.Command == "nothing" {
				return fs.ErrNotExist
			}
			return nil
		}
		return p
	}
	line, goes := newOne(), newOne()
	var waits []func() string // answers in Go that are still to come
	both := func(method string, r params) {
		t.Helper()
		// The id is null, of which many can wait.
		want := line.send(strings.Replace(call(method, string(r.AppendJSON(nil))), `"id":1`, `"id":null`, 1))
		answer := goes.inGo(method, r)
		if got := answer(); got != want {
			t.Errorf("%s %s: got\n%.300s\nwant\n%.300s", method, r.AppendJSON(nil), got, want)
		}
		if want == "" {
			waits = append(waits, answer)
		}
	}
	host := func(do func(p *peer)) {
		t.Helper()
		do(line)
		do(goes)
		want, more := line.take(), goes.take()
		var got []string
		for _, answer := range waits {
			got = append(got, answer())
		}
		waits = nil
		if got := strings.Join(got, "\n"); got != want || more != "" {
			t.Errorf("got\n%s\n%s\nwant\n%s", got, more, want)
		}
	}
	create := func(r acp.CreateTerminalRequest) { t.Helper(); both(acp.MethodCreate, &r) }
	id := func(n int) acp.TerminalRequest {
		return acp.TerminalRequest{SessionID: "s", TerminalID: string(goes.ids[n])}
	}
	ask := func(r acp.TerminalRequest) {
		t.Helper()
		for _, method := range []string{acp.MethodOutput, acp.MethodKill, acp.MethodWaitForExit, acp.MethodRelease} {
			both(method, &r)
		}
	}

	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "s", Cwd: "relative"})
	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "s", Cwd: "/a", AdditionalDirectories: []string{"/b\x00"}})
	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "s", Cwd: "/" + strings.Repeat("x", 64<<10)})
	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "s", Cwd: "/a", AdditionalDirectories: []string{"/b"}})
	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "t", Cwd: "/a"})
	both(acp.MethodSessionOpen, &acp.SessionOpenRequest{SessionID: "u", Cwd: "/a"}) // one too many

	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make", Args: []string{"test"}, Cwd: new("/b/c"), OutputByteLimit: new(uint64(3000)),
		Env: []acp.EnvVariable{{Name: "A", Value: "b"}}, Meta: []byte(`{"traceparent":"` + parent + `","terrarium":{"sandbox":"strict","toolCallId":"t"}}`)})
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make", Cwd: new("/c")})
	create(acp.CreateTerminalRequest{SessionID: "s", Command: ""})
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make", Env: []acp.EnvVariable{{Name: "A=B"}}})
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make", Meta: []byte(`{"terrarium":{"sandbox":""}}`)})
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "nothing"})
	create(acp.CreateTerminalRequest{SessionID: "other", Command: "pwd", OutputByteLimit: new(uint64(0))})
	ask(acp.TerminalRequest{SessionID: "other", TerminalID: id(0).TerminalID})
	ask(acp.TerminalRequest{SessionID: "s", TerminalID: "nonsense"})

	host(func(p *peer) { p.registry.HandleOutput(p.now, p.ids[0], 1, []byte(strings.Repeat("\x01", 5000)+"end")) })
	running := id(0)
	both(acp.MethodOutput, &running)
	both(acp.MethodWaitForExit, &running)
	both(acp.MethodKill, &running)
	both(acp.MethodWaitForExit, &running)
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make"}) // too many wait
	host(func(p *peer) {
		p.registry.HandleExit(p.now, p.ids[0], core.Exit{Status: core.ExitStatus{Signal: "SIGTERM"}, Reason: core.ReasonKilled})
		p.registry.HandleOutputEnd(p.now, p.ids[0])
	})
	ask(id(0))
	ask(id(0)) // released
	both(acp.MethodSessionClose, &acp.SessionRequest{SessionID: "s"})
	// The session is not opened any more.
	create(acp.CreateTerminalRequest{SessionID: "s", Command: "make", Cwd: new("/c")})

	if !reflect.DeepEqual(goes.work, line.work) {
		t.Errorf("got %v, want %v", goes.work, line.work)
	}
}

// A call that nobody waits for any more is answered with that, and its command never runs.
func TestCancelCall(t *testing.T) {
	r := core.NewRegistry(core.Config{})
	conn := acp.NewConn(acp.Config{MaxPending: 1}, acp.OnRegistry(r))
	var got error
	call := conn.CreateTerminal(epoch, &acp.CreateTerminalRequest{SessionID: "s", Command: "a"}, func(_ acp.CreateTerminalResponse, err error) { got = err })
	conn.Cancel(epoch, call, context.Canceled)
	refused, ok := errors.AsType[*acp.RequestError](got)
	if !ok || refused.Code != jsonrpc.CodeRequestCancelled || refused.Reason() != "cancelled" || !errors.Is(got, context.Canceled) {
		t.Errorf("got %v, want it cancelled", got)
	}
	got = nil
	conn.Cancel(epoch, call, context.Canceled)
	for e, ok := r.NextEffect(); ok; e, ok = r.NextEffect() {
		if conn.HandleEffect(epoch, &e); e.Kind == core.Resolve {
			r.HandleResolved(epoch, e.ID, core.Exec{Path: "/bin/a", Argv: []string{"a"}}, nil)
		} else if e.Kind == core.Start {
			t.Error("the command is started")
		}
	}
	if got != nil {
		t.Errorf("answered twice: %v", got)
	}
	// Its place is free.
	conn.CreateTerminal(epoch, &acp.CreateTerminalRequest{SessionID: "s", Command: "a"}, func(_ acp.CreateTerminalResponse, err error) { got = err })
	if got != nil {
		t.Error(got)
	}
}

// Of _meta that can't be read nothing is taken for granted.
func TestCallMeta(t *testing.T) {
	for _, meta := range []string{"{", "[]", "5", `{"a":1}x`} {
		p := newPeer(t, acp.Config{}, core.Config{})
		r := acp.CreateTerminalRequest{SessionID: "s", Command: "a", Meta: []byte(meta)}
		var m struct {
			Error struct {
				Data struct{ Reason, Param string }
			}
		}
		if err := json.Unmarshal([]byte(p.inGo(acp.MethodCreate, &r)()), &m); err != nil || m.Error.Data.Reason != "type" || m.Error.Data.Param != "_meta" {
			t.Errorf("%s: got %+v, %v", meta, m, err)
		}
	}
}
