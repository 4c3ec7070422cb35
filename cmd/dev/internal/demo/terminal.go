package demo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A terminal is one of those that the agent asks for.
type terminal struct {
	name    string
	dir     string
	command string
	args    []string
	limit   int // outputByteLimit; 0 leaves it to the server
	check   func(*terminal) bool

	id    string
	start time.Time

	// Set by watch.
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

// ref returns the params that name t.
func (t *terminal) ref() map[string]any {
	return map[string]any{"sessionId": "demo", "terminalId": t.id}
}

// line is the command as a person would type it.
func (t *terminal) line() string {
	return strings.Join(append([]string{t.command}, t.args...), " ")
}

// create asks for the terminal.
func (t *terminal) create(ctx context.Context, p *peer) error {
	t.start = time.Now()
	params := map[string]any{"sessionId": "demo", "command": t.command, "args": t.args, "cwd": t.dir}
	if t.limit > 0 {
		params["outputByteLimit"] = t.limit
	}
	var created struct{ TerminalID string }
	if err := p.call(ctx, "terminal/create", params, &created); err != nil {
		return fmt.Errorf("create %s: %w", t.name, err)
	}
	t.id = created.TerminalID
	return nil
}

// watch prints the terminal's output until its command ends.
func (t *terminal) watch(ctx context.Context, p *peer, out *printer) error {
	exited := make(chan error, 1)
	// It ends with ctx at the latest.
	go func() { exited <- p.call(ctx, "terminal/wait_for_exit", t.ref(), &t.status) }()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for running := true; running; {
		select {
		case err := <-exited:
			if err != nil {
				return fmt.Errorf("wait for %s: %w", t.name, err)
			}
			t.took = time.Since(t.start)
			running = false
		case <-poll.C:
		}
		if err := t.look(ctx, p, out, running); err != nil {
			return err
		}
	}
	out.line(t.name, "ended: "+t.status.String())
	return nil
}

// look asks for the output and prints what is new: whole lines, as long as
// more may come.
func (t *terminal) look(ctx context.Context, p *peer, out *printer, running bool) error {
	var now struct {
		Output    string
		Truncated bool
	}
	if err := p.call(ctx, "terminal/output", t.ref(), &now); err != nil {
		return fmt.Errorf("output of %s: %w", t.name, err)
	}
	seen := now.Output
	if running {
		seen = seen[:strings.LastIndex(seen, "\n")+1]
	}
	if fresh := strings.TrimSuffix(added(t.output, seen), "\n"); fresh != "" {
		out.lines(t.name, strings.Split(fresh, "\n"))
	}
	t.output, t.truncated = seen, now.Truncated
	return nil
}

// added returns what now has that before had not, where the beginning of
// before may have been dropped.
func added(before, now string) string {
	for drop := range len(before) {
		if rest, ok := strings.CutPrefix(now, before[drop:]); ok {
			return rest
		}
	}
	return now
}
