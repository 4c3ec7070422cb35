// Package demo runs Terrarium's main job on real input, for "make demo".
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

// patience bounds the demo. It takes about 10 s on two cores.
const patience = 2 * time.Minute

// Run shows the sandbox, and then plays an agent that hands three commands to "terrarium serve
// --stdio" at once, watches them, kills the one that never ends, and releases all. What happens
// goes to w. It runs in the root of the module, which is what the commands work on. The error says
// what was not as it should be.
func Run(ctx context.Context, binary string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out := newPrinter(w)
	if err := runSandbox(ctx, binary, out); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	marker := fmt.Sprintf("TERRARIUM_DEMO=%d", os.Getpid())
	args := []string{"serve", "--stdio", "--kill-grace", "1s"}
	p, err := startPeer(ctx, binary, args, marker)
	if err != nil {
		return err
	}
	out.text("\nterrarium %s, and an agent that wants three terminals at once\n\n", strings.Join(args, " "))
	terminals := cast(dir)
	err = perform(ctx, p, terminals, out)
	if err == nil {
		out.table(terminals)
	}
	if err := errors.Join(err, p.close()); err != nil {
		return err
	}
	if err := nothingLeft(ctx, marker); err != nil {
		return err
	}
	out.text("\nThe agent has gone, and none of its processes is left.\n")
	return nil
}

// cast returns what the agent is going to run in dir.
func cast(dir string) []*terminal {
	return []*terminal{
		{
			name: "build", dir: dir,
			command: "go", args: []string{"build", "-a", "-v", "./core/driver"},
			check: func(t *terminal) bool {
				return t.status.String() == "exit 0" && strings.Contains(t.output, "core/ring\n")
			},
		},
		{
			name: "count", dir: dir,
			command: `find . \( -name .git -o -name node_modules \) -prune -o -type f \( -name '*.go' -o -name '*.txtar' \) ` +
				`-exec wc -l {} + | awk '$2 != "total" { n = split($2, p, "."); lines[p[n]] += $1 } ` +
				`END { for (e in lines) print lines[e], "lines of", e }' | sort -rn`,
			check: func(t *terminal) bool {
				return t.status.String() == "exit 0" && strings.Contains(t.output, " lines of go\n")
			},
		},
		{
			name: "endless", dir: dir, limit: 80,
			command: `trap 'echo SIGTERM does not stop me' TERM; while i=$((i + 1)); do echo tick $i; sleep 0.2; done`,
			check:   func(t *terminal) bool { return t.status.String() == "SIGKILL" && t.truncated },
		},
	}
}

// How often the agent looks at its terminals, as agents do, and how long it
// lets the endless one be.
const (
	pollEvery = 250 * time.Millisecond
	killAfter = 2 * time.Second
)

// perform is what the agent does.
func perform(ctx context.Context, p *peer, terminals []*terminal, out *printer) error {
	ended := make(chan error, len(terminals))
	for _, t := range terminals {
		if err := t.create(ctx, p); err != nil {
			return err
		}
		out.line(t.name, "$ "+t.line())
		go func() { ended <- t.watch(ctx, p, out) }() // ends with ctx at the latest
	}
	kill := time.After(killAfter)
	endless := terminals[len(terminals)-1]
	for left := len(terminals); left > 0; {
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			left--
		case <-kill:
			out.line(endless.name, "kill: SIGTERM now, SIGKILL in a second")
			if err := p.call(ctx, "terminal/kill", endless.ref(), nil); err != nil {
				return fmt.Errorf("kill: %w", err)
			}
		}
	}

	for _, t := range terminals {
		if !t.check(t) {
			return fmt.Errorf("%s: got %v, truncated %v, and the output\n%s", t.name, t.status, t.truncated, t.output)
		}
		if err := p.call(ctx, "terminal/release", t.ref(), nil); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	out.line("", "all released")
	err := p.call(ctx, "terminal/output", endless.ref(), nil)
	refusal, ok := errors.AsType[*rpcError](err)
	if !ok || refusal.Data.Reason != "released" {
		return fmt.Errorf("output after release: got %v, want a refusal", err)
	}
	out.line(endless.name, "output after release: "+refusal.Error())
	return nil
}
