package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// showTerminals plays an agent that has "terrarium serve --stdio" run three commands at once. It
// ends those that would never end, releases all, and looks for what is left of them.
func showTerminals(ctx context.Context, binary string, w io.Writer) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	marker := fmt.Sprintf("TERRARIUM_DEMO=%d", os.Getpid())
	p, err := startPeer(ctx, binary, []string{"serve", "--stdio", "--kill-grace", "1s"}, marker)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\nOver ACP it has three terminals at once, on this machine:")
	if err := errors.Join(perform(ctx, p, cast(dir), w), p.close()); err != nil {
		return err
	}
	if err := nothingLeft(ctx, marker); err != nil {
		return err
	}
	fmt.Fprintln(w, "The agent has gone, and none of its processes is left.")
	return nil
}

// cast returns what the agent is going to run in dir.
func cast(dir string) []*terminal {
	return []*terminal{
		{
			dir: dir, ends: true, want: "exit 0",
			command: `find core -name '*.go' -exec cat {} + | wc -l`,
		},
		{
			dir: dir, want: "SIGTERM",
			command: `nohup sleep 1000 >/dev/null 2>&1 & echo "a child is in the background"; wait`,
		},
		{
			dir: dir, want: "SIGKILL", limit: 64,
			command: `trap 'echo SIGTERM does not stop me' TERM; while i=$((i + 1)); do echo tick $i; sleep 0.1; done`,
		},
	}
}

// perform is what the agent does.
func perform(ctx context.Context, p *peer, terminals []*terminal, w io.Writer) error {
	for _, t := range terminals {
		if err := t.create(ctx, p); err != nil {
			return err
		}
	}
	ended := make([]chan error, len(terminals))
	for i, t := range terminals {
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- t.play(ctx, p) }() // ends with ctx at the latest
	}
	for i, t := range terminals {
		if err := <-ended[i]; err != nil {
			return err
		}
		indented(w, "$ "+t.command)
		indented(w, t.outcome())
		if got := t.status.String(); got != t.want {
			return fmt.Errorf("%s: got %s, want %s, after the output\n%s", t.command, got, t.want, t.output)
		}
		if err := p.call(ctx, "terminal/release", t.ref(), nil); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	return nil
}

// A terminal is one of those that the agent asks for.
type terminal struct {
	dir     string
	command string
	limit   int    // outputByteLimit; 0 leaves it to the server
	ends    bool   // by itself: it need not be killed
	want    string // how it must have ended

	id    string
	start time.Time

	// Set by play.
	took      time.Duration
	status    exitStatus
	output    string // all that is kept
	truncated bool
}

// exitStatus is ACP's TerminalExitStatus.
type exitStatus struct {
	ExitCode *uint32
	Signal   *string
}

func (s exitStatus) String() string {
	switch {
	case s.Signal != nil:
		return *s.Signal
	case s.ExitCode != nil:
		return fmt.Sprintf("exit %d", *s.ExitCode)
	}
	return "unknown"
}

// outcome is how it ended, and the last line of its output.
func (t *terminal) outcome() string {
	lines := strings.Split(strings.TrimSpace(t.output), "\n")
	text := fmt.Sprintf("%s after %.1f s: %s", t.status, t.took.Seconds(), strings.TrimSpace(lines[len(lines)-1]))
	if t.truncated {
		text += fmt.Sprintf("; of all it printed the newest %d bytes are kept", len(t.output))
	}
	return text
}

// ref returns the params that name t.
func (t *terminal) ref() map[string]any {
	return map[string]any{"sessionId": "demo", "terminalId": t.id}
}

// create asks for the terminal.
func (t *terminal) create(ctx context.Context, p *peer) error {
	t.start = time.Now()
	params := map[string]any{"sessionId": "demo", "command": t.command, "cwd": t.dir}
	if t.limit > 0 {
		params["outputByteLimit"] = t.limit
	}
	var created struct{ TerminalID string }
	if err := p.call(ctx, "terminal/create", params, &created); err != nil {
		return fmt.Errorf("create %s: %w", t.command, err)
	}
	t.id = created.TerminalID
	return nil
}

// play lets the command be, or kills it once it has filled what is kept of its output, and returns
// when it has ended.
func (t *terminal) play(ctx context.Context, p *peer) error {
	for !t.ends && len(t.output) < max(t.limit-8, 1) {
		if err := t.look(ctx, p); err != nil {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond): // agents poll
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !t.ends {
		if err := p.call(ctx, "terminal/kill", t.ref(), nil); err != nil {
			return fmt.Errorf("kill %s: %w", t.command, err)
		}
	}
	if err := p.call(ctx, "terminal/wait_for_exit", t.ref(), &t.status); err != nil {
		return fmt.Errorf("wait for %s: %w", t.command, err)
	}
	t.took = time.Since(t.start)
	return t.look(ctx, p)
}

// look asks for the output.
func (t *terminal) look(ctx context.Context, p *peer) error {
	var now struct {
		Output    string
		Truncated bool
	}
	if err := p.call(ctx, "terminal/output", t.ref(), &now); err != nil {
		return fmt.Errorf("output of %s: %w", t.command, err)
	}
	t.output, t.truncated = now.Output, now.Truncated
	return nil
}
