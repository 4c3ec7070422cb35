package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// A fake is a process in the test: it says what comes from says, until that is closed, and what it
// gets goes to gets.
type fake struct {
	says  chan []byte
	gets  chan []byte
	ended sync.Once
}

func newFake() *fake { return &fake{says: make(chan []byte, 64), gets: make(chan []byte, 64)} }

func (f *fake) Output(sink func(stream uint8, p []byte)) error {
	for p := range f.says {
		sink(1, p)
	}
	return nil
}

func (f *fake) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) { // they come whole
		f.gets <- []byte(line)
	}
	return len(p), nil
}

func (f *fake) end()                  { f.ended.Do(func() { close(f.says) }) }
func (f *fake) CloseInput() error     { return nil }
func (f *fake) Resize(_, _ int) error { return nil }
func (f *fake) Signal(string) error   { f.end(); return nil }
func (f *fake) Close() error          { f.end(); return nil }

// A fakeHost runs fakes by their names.
type fakeHost map[string]*fake

func (h fakeHost) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	if h[c.Command] == nil {
		return core.Exec{}, fs.ErrNotExist
	}
	return core.Exec{Path: "/" + c.Command, Argv: []string{c.Command}, Via: core.ViaFile}, nil
}

func (h fakeHost) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	return fakeProcess{h[e.Path[1:]], make(chan struct{})}, nil
}

// A fakeProcess has ended when its output has.
type fakeProcess struct {
	*fake
	silent chan struct{}
}

func (p fakeProcess) Output(sink func(stream uint8, p []byte)) error {
	defer close(p.silent)
	return p.fake.Output(sink)
}

func (p fakeProcess) Wait() (core.Exit, error) {
	<-p.silent
	return core.Exit{}, nil
}

// A stuckView keeps the kinds of events in order. It takes its time over a Refused: until over is
// closed.
type stuckView struct {
	over chan struct{}

	mu     sync.Mutex
	events []string
}

func (v *stuckView) Show(e Event) {
	name := fmt.Sprintf("%T", e)
	u, _ := e.(Updated)
	if u.Call != nil && u.Call.isOver() {
		name = "the call is over"
		defer close(v.over)
	}
	v.mu.Lock()
	v.events = append(v.events, name)
	v.mu.Unlock()
	if name == "client.Refused" {
		<-v.over
	}
}

// TestEndsBeforeTheCall has an agent end its tool call when it has asked whether its command has
// ended, while the news of that wait behind others that a View takes its time for: a person sees
// the command end first.
func TestEndsBeforeTheCall(t *testing.T) {
	agent, command := newFake(), newFake()
	view := &stuckView{over: make(chan struct{})}
	failed := make(chan error, 1)
	go func() { // ends with the answer to the prompt, or when it gets no more
		failed <- playAgent(agent, command)
		agent.end()
	}()
	stop, err := Run(t.Context(), Config{
		Agent: core.Command{Command: "agent"}, AgentDriver: driver.Config{Host: fakeHost{"agent": agent}},
		Terminals: acpconn.Config{Driver: driver.Config{Host: fakeHost{"command": command}}},
		Workspace: t.TempDir(), Prompt: "hi", View: view,
	})
	if err != nil || stop != EndTurn {
		t.Fatalf("got %q, %v", stop, err)
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	ended, over := slices.Index(view.events, "client.Exited"), slices.Index(view.events, "the call is over")
	if ended < 0 || over < ended {
		t.Errorf("got %v, want the end of the command before that of the call", view.events)
	}
	if n := len(view.events) - len(slices.DeleteFunc(slices.Clone(view.events), func(e string) bool { return e == "client.Exited" })); n != 1 {
		t.Errorf("got %v, want one end", view.events)
	}
}

// playAgent is the agent of TestEndsBeforeTheCall.
func playAgent(agent, command *fake) error {
	var m struct {
		ID     json.RawMessage
		Result struct {
			TerminalID string
			ExitStatus *struct{}
		}
		Error any
	}
	var err error
	next := func() string {
		line := <-agent.gets
		m.Result.ExitStatus, m.Error = nil, nil
		err = errors.Join(err, json.Unmarshal(line, &m))
		return string(m.ID)
	}
	say := func(format string, args ...any) {
		agent.says <- fmt.Appendf(nil, `{"jsonrpc":"2.0",`+format+"}\n", args...)
	}
	say(`"id":%s,"result":{"protocolVersion":1}`, next())
	say(`"id":%s,"result":{"sessionId":"s"}`, next())
	prompt := next()
	say(`"id":"a","method":"terminal/create","params":{"sessionId":"s","command":"command"}`)
	next()
	terminal := m.Result.TerminalID
	say(`"id":"b","method":"terminal/create","params":{"sessionId":"s","command":"missing"}`)
	if next(); m.Error == nil {
		err = errors.Join(err, errors.New("a command was started that is not there"))
	}
	command.end()
	for m.Result.ExitStatus == nil && err == nil {
		say(`"id":"c","method":"terminal/output","params":{"sessionId":"s","terminalId":%q}`, terminal)
		next()
	}
	say(`"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}`)
	say(`"id":%s,"result":{"stopReason":"end_turn"}`, prompt)
	return err
}
