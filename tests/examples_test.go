package tests

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestExampleTimeout runs the agent of the timeout recipe against the command.
func TestExampleTimeout(t *testing.T) {
	t.Parallel()
	agent, server := build(t, "tests/examples/timeout"), terrariumPath(t)
	for _, test := range []struct {
		name   string
		args   []string
		stderr string
		exit   int
	}{
		{name: "in time", args: []string{"1m", "echo", "done"}, stderr: "done\n"},
		{name: "too late", args: []string{"1ms", "sleep", "1000"}, stderr: "timeout: killed after 1ms\n", exit: 124},
		{name: "no such command", args: []string{"1m", "no-such-command", "x"}, stderr: "not found", exit: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stderr, exit := runAgent(t, server, agent, test.args...)
			if !strings.Contains(stderr, test.stderr) || exit != test.exit {
				t.Errorf("got exit %d and %q, want %d and %q", exit, stderr, test.exit, test.stderr)
			}
		})
	}
}

// TestExampleBackground runs the agent that starts a server and uses it.
func TestExampleBackground(t *testing.T) {
	t.Parallel()
	stderr, exit := runAgent(t, terrariumPath(t), build(t, "tests/examples/background"))
	if want := "hello\nbackground: the server was ended by SIGTERM\n"; exit != 0 || stderr != want {
		t.Errorf("got exit %d and %q, want 0 and %q", exit, stderr, want)
	}
}

// runAgent connects an agent with "terrarium serve --stdio" and returns what it says and how it
// exits. When it is gone the server must exit with 0.
func runAgent(t *testing.T, server, agent string, args ...string) (stderr string, exit int) {
	t.Helper()
	ctx := limited(t)
	requests, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, toAgent, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	a, s := exec.CommandContext(ctx, agent, args...), exec.CommandContext(ctx, server, "serve", "--stdio")
	a.Stdin, a.Stdout, a.Stderr = answers, toServer, &said
	s.Stdin, s.Stdout, s.Stderr = requests, toAgent, os.Stderr
	startErr := errors.Join(s.Start(), a.Start())
	for _, f := range []*os.File{requests, toServer, answers, toAgent} {
		f.Close() // they have theirs
	}
	if startErr != nil {
		t.Fatal(startErr)
	}
	if err := a.Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			t.Fatal(err)
		}
	}
	if err := s.Wait(); err != nil {
		t.Errorf("%v: %v", s, err)
	}
	return said.String(), a.ProcessState.ExitCode()
}
