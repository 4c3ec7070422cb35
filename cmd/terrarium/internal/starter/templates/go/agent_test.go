package main

import (
	"strings"
	"testing"
)

// The agent types, looks until it sees what it wants, and says twice that it is done.
func TestAgent(t *testing.T) {
	var a Agent
	for i, turn := range []struct {
		screen   string
		typed    string
		complete bool
	}{
		{"$\n", "echo hello >hello.txt && cat hello.txt\n", false},
		{"$ echo hello >hello.txt && cat hello.txt\n", "", false},
		{"$ echo hello >hello.txt && cat hello.txt\nhello\n$\n", "", true},
		{"", "", true},
	} {
		got := a.Decide(Request{Screen: turn.screen, Step: i + 1})
		typed := ""
		for _, c := range got.Commands {
			typed += c.Keystrokes
		}
		if typed != turn.typed || got.Complete != turn.complete {
			t.Errorf("turn %d: got %+v, want %q typed and complete %v", i+1, got, turn.typed, turn.complete)
		}
	}
}

// A line comes in, a line goes out.
func TestServe(t *testing.T) {
	in := `{"instruction":"Say \"hello\".","screen":"$\n","step":1,"prompt":"","more":[{}]}` + "\n"
	var out strings.Builder
	err := Serve(strings.NewReader(in), &out, func(r Request) Answer {
		return Answer{Analysis: r.Instruction, Plan: r.Screen, Complete: r.Step == 1}
	})
	want := `{"analysis":"Say \"hello\".","plan":"$\n","commands":[],"task_complete":true}` + "\n"
	if err != nil || out.String() != want {
		t.Errorf("got %v and %q, want %q", err, out.String(), want)
	}
	if err := Serve(strings.NewReader("no JSON\n"), &out, new(Agent).Decide); err == nil {
		t.Error("got no error, want one for what is no JSON")
	}
}
