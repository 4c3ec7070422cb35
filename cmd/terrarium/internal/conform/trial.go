package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A trial tries one point. Its methods that ask the client don't return where the
// point can't go on: they end it, as testing.T's Fatal does.
type trial struct {
	ctx      context.Context // ends with the time of the point, the turn, or the connection
	round    *round
	peer     *peer
	client   *client
	patience time.Duration // how long an answer may take

	terminals []string // those to release in the end
	pulses    []*pulse // those to close in the end
	seen      string   // the last exchange
	notes     []string
}

// An end is how a trial ends that has not simply passed.
type end struct {
	verdict Verdict
	text    string
}

// fail ends the trial: the client does not do what the point wants.
func (t *trial) fail(format string, args ...any) { panic(end{Failed, fmt.Sprintf(format, args...)}) }

// unclear ends the trial: it depends on how one reads the protocol.
func (t *trial) unclear(format string, args ...any) {
	panic(end{Unclear, fmt.Sprintf(format, args...)})
}

// skip ends the trial: the point can't be tried here.
func (t *trial) skip(format string, args ...any) { panic(end{NotRun, fmt.Sprintf(format, args...)}) }

// note is evidence for a point that may still pass.
func (t *trial) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// fields are the params of a request.
type fields map[string]any

// with returns f with one more member, or one changed.
func (f fields) with(name string, value any) fields {
	g := fields{name: value}
	for k, v := range f {
		if k != name {
			g[k] = v
		}
	}
	return g
}

// without returns f without a member.
func (f fields) without(name string) fields {
	g := f.with(name, nil)
	delete(g, name)
	return g
}

func (f fields) encode() []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // they are ours
	}
	return b
}

// start sends a request and does not wait for its answer.
func (t *trial) start(method string, params fields) *call {
	return t.peer.call(method, params.encode())
}

// answer waits for the answer of a call, but no longer than the patience. The
// answer is a valid response, be it an error.
func (t *trial) answer(c *call) answer {
	a, ok := t.answerWithin(c, t.patience)
	if !ok {
		t.fail("no answer to %s within %v", c.method, t.patience)
	}
	return a
}

// answerWithin is answer with another patience. It returns false if that was over.
func (t *trial) answerWithin(c *call, d time.Duration) (answer, bool) {
	if c.err != nil {
		t.lost(c, c.err)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case a := <-c.answer:
		if a.err != nil {
			t.seen = c.method + ": " + clip(a.line)
			t.lost(c, a.err)
		}
		t.seen = c.method + ": " + a.String()
		return a, true
	case <-timer.C:
		t.peer.forget(c)
		return answer{}, false
	case <-t.ctx.Done():
		t.peer.forget(c)
		if errors.Is(context.Cause(t.ctx), errCancelled) {
			t.skip("%v", errCancelled)
		}
		t.fail("no answer to %s: %v", c.method, context.Cause(t.ctx))
		return answer{}, false
	}
}

func (t *trial) lost(c *call, err error) {
	if errors.Is(err, errInvalid) {
		t.fail("%s: %v: %s", c.method, err, t.seen)
	}
	t.fail("%s: %v", c.method, err)
}

// String returns the answer for people.
func (a answer) String() string {
	if a.failure != nil {
		text := fmt.Sprintf("error %d %q", a.failure.Code, cut(a.failure.Message))
		if len(a.failure.Data) > 0 {
			text += " " + clip(a.failure.Data)
		}
		return text
	}
	return clip(a.result.Raw())
}

// ask sends a request and returns its answer.
func (t *trial) ask(method string, params fields) answer { return t.answer(t.start(method, params)) }

// succeed returns the result, which must be one, and an object.
func (t *trial) succeed(method string, a answer) jsonrpc.Value {
	if a.failure != nil {
		t.fail("%s failed: %v", method, a)
	}
	if a.result.Kind() != jsonrpc.Object {
		t.fail("the result of %s is no object: %v", method, a)
	}
	return a.result
}

// refused wants the request to fail. what says what is wrong with it. An error with
// another code than invalid params is only noted.
func (t *trial) refused(method string, params fields, what string) {
	a := t.ask(method, params)
	if a.failure == nil {
		if id, ok := a.result.Get("terminalId"); ok {
			t.keep(id)
		}
		t.fail("%s with %s succeeds: %v", method, what, a)
	}
	if a.failure.Code != jsonrpc.CodeInvalidParams {
		t.note("%s: %v, where %d is invalid params", what, a, jsonrpc.CodeInvalidParams)
	}
}

// sh returns the params that run a shell script with arguments.
func (t *trial) sh(script string, args ...string) fields {
	return t.exec("sh", append([]string{"-c", script, "sh"}, args...)...)
}

func (t *trial) exec(command string, args ...string) fields {
	f := fields{"sessionId": t.client.session, "command": command}
	if args != nil {
		f["args"] = args
	}
	return f
}

// create creates a terminal, which is released in the end.
func (t *trial) create(params fields) string {
	return t.created(t.ask(acp.MethodCreate, params))
}

func (t *trial) created(a answer) string {
	id, _ := t.succeed(acp.MethodCreate, a).Get("terminalId")
	text := t.keep(id)
	if text == "" {
		t.fail("%s has no terminalId: %v", acp.MethodCreate, a)
	}
	return text
}

// keep notes a terminal to release. It returns "" for what is no id.
func (t *trial) keep(id jsonrpc.Value) string {
	text, err := id.Text()
	if err != nil {
		return ""
	}
	t.terminals = append(t.terminals, text)
	return text
}

// of returns the params that name a terminal.
func (t *trial) of(id string) fields {
	return fields{"sessionId": t.client.session, "terminalId": id}
}

// An output is a result of terminal/output.
type output struct {
	text      string
	truncated bool
	exit      *exit // nil while the command runs
}

// An exit is how a command ended.
type exit struct {
	code   *int64
	signal *string
	raw    string
}

func (e *exit) String() string { return e.raw }

func (t *trial) output(id string) output {
	return t.readOutput(t.ask(acp.MethodOutput, t.of(id)))
}

func (t *trial) readOutput(a answer) output {
	result := t.succeed(acp.MethodOutput, a)
	text, _ := result.Get("output")
	var o output
	var err error
	o.text, err = text.Text()
	if o.text != "" {
		t.client.printed, t.client.mute = true, false
	}
	if err != nil && text.Kind() != jsonrpc.String {
		t.fail("the result of %s has no output: %v", acp.MethodOutput, a)
	} else if err != nil {
		t.fail("the output has half of a surrogate pair, which is no text: %v", a)
	}
	truncated, _ := result.Get("truncated")
	if o.truncated, err = truncated.Bool(); err != nil {
		t.fail("the result of %s has no truncated: %v", acp.MethodOutput, a)
	}
	status, ok := result.Get("exitStatus")
	switch {
	case !ok || status.IsNull():
	case status.Kind() != jsonrpc.Object:
		t.fail("exitStatus is no object: %v", a)
	default:
		o.exit = t.readExit(status)
	}
	return o
}

// readExit reads an exit status. Its members may be absent or null.
func (t *trial) readExit(v jsonrpc.Value) *exit {
	e := &exit{raw: clip(v.Raw())}
	if code, ok := v.Get("exitCode"); ok && !code.IsNull() {
		n, err := code.Int64()
		if err != nil {
			t.fail("exitCode is no integer: %v", e)
		}
		e.code = &n
	}
	if signal, ok := v.Get("signal"); ok && !signal.IsNull() {
		s, err := signal.Text()
		if err != nil {
			t.fail("signal is no string: %v", e)
		}
		e.signal = &s
	}
	return e
}

// wait waits for a command's end and returns what the client says of it.
func (t *trial) wait(id string) *exit {
	return t.waited(t.ask(acp.MethodWaitForExit, t.of(id)))
}

func (t *trial) waited(a answer) *exit {
	return t.readExit(t.succeed(acp.MethodWaitForExit, a))
}

// afterKill is how long what was killed may take to end, and who waits for it to hear
// of that.
func (t *trial) afterKill() time.Duration { return t.patience + t.round.config.KillGrace }

// waitKilled is wait for a command that was killed, to which a client may give a
// time to end by itself.
func (t *trial) waitKilled(c *call) *exit {
	a, ok := t.answerWithin(c, t.afterKill())
	if !ok {
		t.fail("no answer to %s within %v of the kill", c.method, t.afterKill())
	}
	return t.waited(a)
}

func (t *trial) kill(id string) { t.succeed(acp.MethodKill, t.askKill(acp.MethodKill, id)) }

// askKill sends a kill or release: a client may answer once the command has ended.
func (t *trial) askKill(method, id string) answer {
	c := t.start(method, t.of(id))
	a, ok := t.answerWithin(c, t.afterKill())
	if !ok {
		t.fail("no answer to %s within %v", method, t.afterKill())
	}
	return a
}

func (t *trial) release(id string) { t.succeed(acp.MethodRelease, t.askKill(acp.MethodRelease, id)) }

// run runs a command to its end.
func (t *trial) run(params fields) (output, *exit) {
	id := t.create(params)
	e := t.wait(id)
	return t.output(id), e
}

// update sends a session/update.
func (t *trial) update(update fields) {
	if err := t.round.update(update); err != nil {
		t.fail("session/update can't be sent: %v", err)
	}
}

// answers wants the client to answer still. after says what it has just been sent.
func (t *trial) answers(after string) {
	c := t.start(methodUnknown, fields{"sessionId": t.client.session})
	if _, ok := t.answerWithin(c, t.patience); !ok {
		t.fail("no answer to a request within %v after %s", t.patience, after)
	}
}

// methodUnknown is a method that no client has.
const methodUnknown = "_terrarium/conform/unknown"

// evidence says what came, for a point that has passed.
func (t *trial) evidence() string {
	if len(t.notes) > 0 {
		return strings.Join(t.notes, "; ")
	}
	return t.seen
}

// isRunning wants the command to run still.
func (t *trial) isRunning(id string) {
	if o := t.output(id); o.exit != nil {
		t.fail("the command has ended with %v, and should be running", o.exit)
	}
}

// ticking is a script that prints a line three times a second.
const ticking = `while :; do echo tick; sleep 0.3; done`

// goesOn wants a command that is ticking to go on for a second: one that was killed
// just now may not have ended yet.
func (t *trial) goesOn(id string) {
	ticks := func(o output) int { return strings.Count(o.text, "tick") }
	before := ticks(t.output(id))
	t.waitForText(id, func(o output) bool { return ticks(o) >= before+4 }, "more ticks")
}

// waitForText asks for the output until it holds want, and returns it.
func (t *trial) waitForText(id string, want func(output) bool, what string) output {
	patience := t.patienceWith(t.patience)
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		o := t.output(id)
		if want(o) {
			return o
		}
		if o.exit != nil {
			t.fail("the command has ended with %v and the output %q, want %s", o.exit, cut(o.text), what)
		}
		select {
		case <-late.C:
			t.client.mute = !t.client.printed
			t.fail("the output is %q after %v, want %s", cut(o.text), patience, what)
		case <-time.After(pollInterval):
		case <-t.ctx.Done():
			t.fail("the output is %q, want %s: %v", cut(o.text), what, context.Cause(t.ctx))
		}
	}
}

// patienceWith returns how long to wait for a sign of a command, where d is long enough for most
// clients. Those that only answer, and run nothing, would have ten points wait that long.
func (t *trial) patienceWith(d time.Duration) time.Duration {
	if t.client.mute {
		return min(d, time.Second)
	}
	return d
}

// pollInterval is how often is looked at what nobody reports.
const pollInterval = 20 * time.Millisecond

// clean releases what the trial has created. It waits for no answer: what hangs has
// been told already.
func (t *trial) clean() {
	for _, id := range t.terminals {
		t.peer.forget(t.peer.call(acp.MethodRelease, t.of(id).encode()))
	}
	for _, p := range t.pulses {
		p.close()
	}
}
