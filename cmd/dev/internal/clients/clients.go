// Package clients has ACP clients start terrarium conform, and writes down what it finds:
// CONFORMANCE.md.
package clients

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A client is one that is tried.
type client struct {
	name    string
	version func(ctx context.Context, t *tools) (string, error)
	command string // as a person would type it, with "terrarium" on PATH
	// run has the client start agent and prompt it once, in the folder dir.
	run func(ctx context.Context, t *tools, agent []string, dir string) error
	// missing says why the client can't be run. If empty, it can.
	missing string
}

// tools are the programs that it takes, by their absolute paths.
type tools struct {
	terrarium string
	modules   string // node_modules of the clients from npm
	temporary string
	limit     time.Duration // of the time that each client has
	log       io.Writer     // what the client prints
}

// patience is how long conform waits for an answer: long, for the machine may be busy.
const patience = time.Minute

// limit is the time that each client has. They run side by side, so all of them take no longer.
const limit = 10 * time.Minute

var all = []client{
	{
		name: "terrarium serve", command: "terrarium serve --stdio, by a client that hands its terminals over",
		version: ownVersion,
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			conform := exec.CommandContext(ctx, agent[0], agent[1:]...)
			serve := exec.CommandContext(ctx, t.terrarium, "serve", "--stdio", "--cwd", dir)
			conform.Stderr, serve.Stderr = t.log, t.log
			return bridge(ctx, conform, serve, dir)
		},
	},
	{
		name: "acpx", command: `acpx --approve-all --agent "terrarium conform" exec go`,
		version: func(ctx context.Context, t *tools) (string, error) { return output(ctx, t.acpx(), "--version") },
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			return t.start(ctx, dir, "", t.acpx(), "--approve-all", "--timeout", "1200", "--agent", strings.Join(agent, " "), "exec", "go")
		},
	},
	{
		name: "example client of the Go SDK", command: "client terrarium conform",
		version: func(ctx context.Context, t *tools) (string, error) {
			return output(ctx, "go", "list", "-m", "-f", "{{.Version}}", sdk)
		},
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			program := filepath.Join(t.temporary, "client")
			build := exec.CommandContext(ctx, "go", "build", "-o", program, sdk+"/example/client")
			build.Stderr = t.log
			if err := build.Run(); err != nil {
				return err
			}
			// It asks on its input, for ever.
			return t.start(ctx, dir, "1\n", program, agent...)
		},
	},
	{
		name: "terrarium client", command: "terrarium client --prompt go --approve all -- terrarium conform", version: ownVersion,
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			return t.start(ctx, dir, "", t.terrarium, append([]string{"client", "--prompt", "go", "--approve", "all", "--"}, agent...)...)
		},
	},
	{
		name: "terrarium proxy with terrarium client", command: "terrarium client --prompt go --approve all -- terrarium proxy -- terrarium conform",
		version: ownVersion,
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			args := []string{"client", "--prompt", "go", "--approve", "all", "--", t.terrarium, "proxy", "--"}
			return t.start(ctx, dir, "", t.terrarium, append(args, agent...)...)
		},
	},
	{
		name: "terrarium proxy with acpx", command: `acpx --approve-all --agent "terrarium proxy -- terrarium conform" exec go`,
		version: func(ctx context.Context, t *tools) (string, error) {
			theirs, err := output(ctx, t.acpx(), "--version")
			if err != nil {
				return "", err
			}
			ours, err := ownVersion(ctx, t)
			return ours + " with " + theirs, err
		},
		run: func(ctx context.Context, t *tools, agent []string, dir string) error {
			behind := append([]string{t.terrarium, "proxy", "--"}, agent...)
			return t.start(ctx, dir, "", t.acpx(), "--approve-all", "--timeout", "1200", "--agent", strings.Join(behind, " "), "exec", "go")
		},
	},
	{name: "Zed, Toad, editors' extensions", missing: "they need a display and a person: set `terrarium conform --report FILE.md` as their agent"},
}

func ownVersion(ctx context.Context, t *tools) (string, error) {
	version, err := output(ctx, t.terrarium, "--version")
	return strings.TrimPrefix(version, "terrarium "), err
}

const sdk = "github.com/coder/acp-go-sdk"

func (t *tools) acpx() string { return filepath.Join(t.modules, ".bin", "acpx") }

// start runs a client. What it exits with says nothing: the report does.
func (t *tools) start(ctx context.Context, dir, input, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(input), t.log, t.log
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); exited {
		return nil
	}
	return err
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	return strings.TrimSpace(string(out)), err
}

// Run tries all clients with the binary terrarium, and those from npm in modules, and
// returns the document. What goes on is printed to w.
func Run(ctx context.Context, w io.Writer, terrarium, modules string) ([]byte, error) {
	temporary, err := os.MkdirTemp("", "terrarium-clients-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	rows := make([]row, len(all))
	var running sync.WaitGroup
	for i, c := range all {
		r := &rows[i]
		*r = row{name: c.name, command: c.command, notRun: c.missing}
		if c.missing != "" {
			continue
		}
		fmt.Fprintf(w, "%s …\n", c.name)
		running.Go(func() { // they mostly wait
			t := &tools{terrarium: terrarium, modules: modules, temporary: temporary, limit: limit}
			if err := t.try(ctx, &c, r, filepath.Join(temporary, fmt.Sprint(i))); err != nil {
				r.report, r.notRun = nil, err.Error()
			}
		})
	}
	running.Wait()
	for _, r := range rows {
		if r.report == nil {
			fmt.Fprintf(w, "%s: NOT RUN: %s\n%s", r.name, r.notRun, r.said)
			continue
		}
		fmt.Fprintf(w, "%s %s: %+v\n", r.name, r.version, r.report.Summary)
	}
	return document(rows), nil
}

// try fills in the row of one client, which it lets work in the new folder dir.
func (t *tools) try(ctx context.Context, c *client, r *row, dir string) (err error) {
	if r.version, err = c.version(ctx, t); err != nil {
		return fmt.Errorf("its version: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	log, err := os.Create(dir + ".log")
	if err != nil {
		return err
	}
	defer log.Close()
	t.log = log
	defer func() {
		if err != nil {
			r.said = lastLines(log)
		}
	}()

	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	name := dir + ".json"
	err = c.run(limited, t, []string{t.terrarium, "conform", "--timeout", patience.String(), "--report", name}, dir)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil: // what it has reported until now is not all that there is to find
		return fmt.Errorf("it had not ended after %v, and was ended then", t.limit)
	case err != nil:
		return err
	}
	r.report, err = readReport(name)
	if err != nil {
		return fmt.Errorf("it leaves no report: %w", err)
	}
	for i := range r.report.Points {
		p := &r.report.Points[i]
		p.Evidence = strings.ReplaceAll(p.Evidence, dir, "CWD")
	}
	return nil
}

// lastLines returns what a log ends with, for a person who looks for the reason.
func lastLines(log *os.File) string {
	const most = 2 << 10
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	end := make([]byte, min(info.Size(), most))
	n, _ := log.ReadAt(end, info.Size()-int64(len(end)))
	var b strings.Builder
	for line := range strings.Lines(string(end[:n])) {
		fmt.Fprintf(&b, "\t%s\n", strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}
