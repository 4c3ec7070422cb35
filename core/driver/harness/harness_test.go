package harness_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// An agent gives answers one after the other, and the last for ever. It keeps
// what it was asked, and when.
type agent struct {
	answers []string
	err     error // with the first answer
	asked   []harness.Request
	times   []time.Time
}

func (a *agent) Ask(_ context.Context, r harness.Request) (string, error) {
	a.asked, a.times = append(a.asked, r), append(a.times, time.Now())
	answer, err := a.answers[min(len(a.asked), len(a.answers))-1], a.err
	a.err = nil
	return answer, err
}

const complete = `{"analysis":"a","plan":"p","commands":[],"task_complete":true}`

func typing(seconds float64, keys string) string {
	return fmt.Sprintf(`{"analysis":"a","plan":"p","commands":[{"keystrokes":%q,"duration":%v}]}`, keys, seconds)
}

func run(t *testing.T, h *host, a *agent, c challenge.Config) harness.Result {
	t.Helper()
	if h.name == "" {
		h.name = "bash"
	}
	c.Instruction = "Do it."
	r, err := harness.Run(t.Context(), harness.Config{Host: h, Agent: a, Challenge: c})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEarly measures how long keystrokes take that come with a duration.
func TestEarly(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	strict := challenge.Config{Parser: challenge.Parser{Strict: true}}
	for _, test := range []struct {
		name      string
		host      host
		config    challenge.Config
		seconds   float64
		keys      string
		from, til time.Duration
	}{
		{name: "nothing to wait for", seconds: 5, keys: "echo\n", from: 20 * ms, til: 30 * ms},
		{name: "keystrokes on their way", host: host{late: s}, seconds: 5, keys: "echo\n", from: s + 20*ms, til: s + 50*ms},
		{name: "keystrokes on their way for long", host: host{late: 4 * s, count: true}, seconds: 10, keys: "echo\n", from: 4*s + 20*ms, til: 4*s + 50*ms},
		{name: "and output, too", host: host{late: 4 * s, lag: 10 * ms, count: true}, seconds: 10, keys: "echo\n", from: 4*s + 30*ms, til: 4*s + 60*ms},
		{name: "keystrokes that never come", host: host{late: 20 * s, count: true}, seconds: 5, keys: "echo\n", from: 5 * s, til: 5 * s},
		{name: "counted", host: host{count: true}, seconds: 5, keys: "echo\n", from: 20 * ms, til: 30 * ms},
		{name: "a job", seconds: 10, keys: "job 2s\n", from: 2*s + 20*ms, til: 2*s + 50*ms},
		{name: "several", seconds: 10, keys: "job 2s\njob 1s\n", from: 3*s + 20*ms, til: 3*s + 50*ms},
		{name: "a command of several lines", seconds: 10, keys: "more 3\na\nb\nc\njob 1s\n", from: s + 20*ms, til: s + 50*ms},
		{name: "a line too few", seconds: 3, keys: "more 3\na\nb\n", from: 20 * ms, til: 50 * ms},
		{name: "a job that reads", seconds: 10, keys: "ask\na\njob 1s\n", from: s + 20*ms, til: s + 50*ms},
		{name: "a job that asks", seconds: 3, keys: "ask\n", from: 3 * s, til: 3 * s},
		{name: "a long job", seconds: 3, keys: "job 20s\n", from: 3 * s, til: 3 * s},
		{name: "the shell itself", seconds: 10, keys: "builtin 2s\n", from: 2*s + 20*ms, til: 2*s + 50*ms},
		{name: "chatter", seconds: 3, keys: "chatter 10s\n", from: 3 * s, til: 3 * s},
		{name: "chatter that ends", seconds: 3, keys: "chatter 1s\n", from: s + 20*ms, til: s + 50*ms},
		{name: "no echo", seconds: 3, keys: "mute\nbuiltin 0s\n", from: 20 * ms, til: 300 * ms},
		{name: "no keystrokes", seconds: 3, keys: "", from: 3 * s, til: 3 * s},
		{name: "strict", config: strict, seconds: 3, keys: "echo\n", from: 3 * s, til: 3 * s},
		{name: "blind", host: host{blind: true}, seconds: 3, keys: "echo\n", from: 250 * ms, til: 280 * ms},
		{name: "blind, a job", host: host{blind: true}, seconds: 10, keys: "job 2s\n", from: 2*s + 250*ms, til: 2*s + 280*ms},
		{name: "no kernel", host: host{plain: true}, seconds: 3, keys: "echo\n", from: 3 * s, til: 3 * s},
		{name: "marks of two lines", host: host{plain: true, marks: true}, seconds: 10, keys: "job 1s\njob 1s\n", from: 2*s + 20*ms, til: 2*s + 50*ms},
		{name: "marks of several lines", host: host{plain: true, marks: true}, seconds: 10, keys: "more 3\na\nb\nc\njob 1s\n", from: s + 20*ms, til: s + 50*ms},
		{name: "marks, a job that reads", host: host{plain: true, marks: true}, seconds: 3, keys: "ask\na\n", from: 3 * s, til: 3 * s},
		{name: "marks, blind", host: host{blind: true, marks: true}, seconds: 10, keys: "builtin 2s\n", from: 2*s + 20*ms, til: 2*s + 50*ms},
		{name: "no kernel but marks", host: host{plain: true, marks: true}, seconds: 10, keys: "job 2s\n", from: 2*s + 20*ms, til: 2*s + 50*ms},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &agent{answers: []string{typing(test.seconds, test.keys), complete}}
				r := run(t, &test.host, a, test.config)
				if r.Outcome != challenge.Completed || r.Turns != 3 || r.Commands != 1 {
					t.Errorf("got %v in %d turns with %d commands, want it completed in 3 with 1", r.Outcome, r.Turns, r.Commands)
				}
				if took := a.times[1].Sub(a.times[0]); took < test.from || took > test.til {
					t.Errorf("got a wait of %v, want %v to %v", took, test.from, test.til)
				}
			})
		})
	}
}

// The first look waits for the prompt, and not for ever.
func TestStart(t *testing.T) {
	for _, test := range []struct {
		host host
		til  time.Duration
		want string
	}{
		{host{}, 100 * time.Millisecond, "Current Terminal Screen:\n$\n"},
		{host{name: "sh"}, 100 * time.Millisecond, "Current Terminal Screen:\n$\n"},
		{host{stuck: true, raw: true}, 3 * time.Second, "Current Terminal Screen:\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			a := &agent{answers: []string{complete}}
			run(t, &test.host, a, challenge.Config{})
			if took := a.times[0].Sub(began); took > test.til || a.asked[0].Screen != test.want {
				t.Errorf("%+v: got asked after %v with %q, want within %v with %q", test.host, took, a.asked[0].Screen, test.til, test.want)
			}
		})
	}
}

// Enter is a carriage return to a program in raw mode, but for terminus-2.
func TestRaw(t *testing.T) {
	for _, test := range []struct {
		raw, strict bool
		want        string
	}{
		{false, false, "a\nb\n"}, {true, false, "a\rb\r"}, {true, true, "a\nb\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &host{raw: test.raw}
			run(t, h, &agent{answers: []string{typing(1, "a\nb\n"), complete}}, challenge.Config{Parser: challenge.Parser{Strict: test.strict}})
			if got := h.shell.typed(); got != test.want {
				t.Errorf("raw %v, strict %v: got %q typed, want %q", test.raw, test.strict, got, test.want)
			}
		})
	}
}

// How a task ends, besides being completed; and nothing of the shell is left.
func TestEnds(t *testing.T) {
	gone := errors.New("gone")
	for _, test := range []struct {
		name   string
		agent  agent
		config challenge.Config
		want   harness.Result
	}{
		{"turns", agent{answers: []string{"{}"}}, challenge.Config{MaxTurns: 3}, harness.Result{Outcome: challenge.TurnsOver, Turns: 3}},
		{"time", agent{answers: []string{typing(50, "")}}, challenge.Config{Timeout: time.Minute},
			harness.Result{Outcome: challenge.TimeOver, Turns: 2, Commands: 2}},
		{"the agent", agent{answers: []string{""}, err: gone}, challenge.Config{}, harness.Result{Outcome: challenge.AgentEnded, Err: gone, Turns: 1}},
		{"the shell", agent{answers: []string{typing(10, "exit\n")}}, challenge.Config{},
			harness.Result{Outcome: challenge.TerminalEnded, Turns: 1, Commands: 1}},
		{"a cut answer", agent{answers: []string{"{", complete}, err: harness.ErrTruncated}, challenge.Config{},
			harness.Result{Outcome: challenge.Completed, Turns: 3}},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := new(host)
			got := run(t, h, &test.agent, test.config)
			if got.Screen = ""; got != test.want {
				t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
			}
			select {
			case <-h.shell.ended:
			default:
				t.Errorf("%s: the shell lives", test.name)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		h := &host{name: "bash"}
		_, err := harness.Run(ctx, harness.Config{Host: h, Agent: &agent{answers: []string{typing(60, "")}}})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want that the time was over", err)
		}
		<-h.shell.ended
	})
	_, err := harness.Run(t.Context(), harness.Config{Host: &host{name: "fish"}, Agent: new(agent)})
	if err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("got %v, want that there is no shell", err)
	}
}

// What is told of a turn is what was asked and answered.
func TestOnTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns []harness.Turn
		var output strings.Builder
		a := &agent{answers: []string{"{", typing(1, "job 0s\n"), complete}, err: harness.ErrTruncated}
		_, err := harness.Run(t.Context(), harness.Config{
			Host: &host{name: "bash"}, Agent: a,
			OnTurn:   func(turn harness.Turn) { turns = append(turns, turn) },
			OnOutput: func(p []byte) { output.Write(p) },
		})
		if err != nil || len(turns) != 4 || len(a.asked) != 4 {
			t.Fatalf("got %d turns of %d, %v, want 4", len(turns), len(a.asked), err)
		}
		for i, turn := range turns {
			if turn.Request != a.asked[i] || turn.Answer != a.answers[min(i, 2)] || turn.Truncated != (i == 0) || turn.Result.Complete != (i > 1) {
				t.Errorf("got %+v, want what turn %d was", turn, i+1)
			}
			if turn.Answered.Before(turn.Asked) || turn.Step != i+1 {
				t.Errorf("turn %d: got %d, asked at %v and answered at %v", i+1, turn.Step, turn.Asked, turn.Answered)
			}
		}
		if !strings.Contains(output.String(), "job 0s\r\n") {
			t.Errorf("got output %q, want what was typed in it", output.String())
		}
	})
}
