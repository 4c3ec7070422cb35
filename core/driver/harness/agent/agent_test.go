package agent_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver/harness/agent"
)

func ExampleServe() {
	requests := strings.NewReader(`{"instruction":"Say hello.","screen":"$\n","step":1,"prompt":"…"}
{"instruction":"Say hello.","screen":"$ echo hello\nhello\n$\n","step":2,"prompt":"…"}
`)
	agent.Serve(requests, os.Stdout, func(r agent.Request) (agent.Answer, error) {
		if strings.Contains(r.Screen, "hello") {
			return agent.Answer{Analysis: "it has been said", Complete: true}, nil
		}
		return agent.Answer{Plan: "say it", Commands: []agent.Command{agent.Type("echo hello\n", 100*time.Millisecond)}}, nil
	})
	// Output:
	// {"analysis":"","plan":"say it","commands":[{"keystrokes":"echo hello\n","duration":0.1}],"task_complete":false}
	// {"analysis":"it has been said","plan":"","commands":[],"task_complete":true}
}

// What Serve writes is without warnings for the strictest of parsers.
func TestAnswers(t *testing.T) {
	for _, a := range []agent.Answer{
		{},
		{Analysis: "a < b & c\u2028\x00\n", Complete: true},
		{Commands: []agent.Command{{"C-c", 0}, {"", time.Minute}, {"cat <<X\n\"<\\\nX\n", 300 * time.Millisecond}}},
	} {
		var out strings.Builder
		if err := agent.Serve(strings.NewReader("{}\n"), &out, func(agent.Request) (agent.Answer, error) { return a, nil }); err != nil {
			t.Fatal(err)
		}
		got := challenge.Parser{}.Parse(out.String())
		if got.Error != "" || got.Warning != "" || got.Complete != a.Complete || got.Analysis != a.Analysis || len(got.Commands) != len(a.Commands) {
			t.Errorf("got %+v of %q, want what is in %+v", got, out.String(), a)
			continue
		}
		for i, c := range got.Commands {
			want := a.Commands[i]
			if want.Wait == 0 {
				want.Wait = time.Second
			}
			if c.Keystrokes != want.Keystrokes || c.Duration != want.Wait.Seconds() {
				t.Errorf("got %q, %v s, want %q, %v", c.Keystrokes, c.Duration, want.Keystrokes, want.Wait)
			}
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestErrors(t *testing.T) {
	answer := func(r agent.Request) (agent.Answer, error) {
		if r.Step == 2 {
			return agent.Answer{}, errors.ErrUnsupported
		}
		return agent.Answer{}, nil
	}
	if err := agent.Serve(strings.NewReader("not JSON\n"), os.Stdout, answer); err == nil || !strings.HasPrefix(err.Error(), "agent: request: ") {
		t.Errorf("got %v, want an error about the request", err)
	}
	var out strings.Builder
	if err := agent.Serve(strings.NewReader(`{"step":2}`), &out, answer); err != errors.ErrUnsupported {
		t.Errorf("got %v, want the error of answer", err)
	}
	if err := agent.Serve(strings.NewReader("{}\n"), brokenWriter{}, answer); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want that of the writer", err)
	}
	if err := agent.Serve(strings.NewReader("{"+strings.Repeat(" ", 70_000_000)), &out, answer); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("got %v, want the limit for a request of 70 MB", err)
	}
}
