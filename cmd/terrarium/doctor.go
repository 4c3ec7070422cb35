package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const doctorHelp = `usage: terrarium doctor [--json]

Tries what terrarium needs of this machine and says what works, what does not
and why, and which limits commands have. Exits with 1 if nothing can run.
`

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "doctor [--json]",
		Short:                 "say what can run here",
		Long:                  doctorHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := examine()
			write := d.print
			if asJSON {
				write = func(w io.Writer) error { return printJSON(w, d) }
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return err
			}
			if !d.Hosts[0].Available {
				return exitStatus(statusFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

// A diagnosis is what doctor finds.
type diagnosis struct {
	Build  build        `json:"build"`
	Hosts  []hostReport `json:"hosts"` // native first
	Limits limits       `json:"limits"`
}

// A hostReport is what a host can do, and what it can't.
type hostReport struct {
	Name      string   `json:"name"`
	Available bool     `json:"available"`
	Checks    []check  `json:"checks"`
	Holds     []hold   `json:"holds"`
	Lacks     []string `json:"lacks"`
	// Limits are those that only this host has.
	Limits []namedLimit `json:"limits,omitempty"`
}

// A namedLimit is a limit in words.
type namedLimit struct {
	Name string `json:"name"`
	Max  string `json:"max"`
}

// A hold is a way to find what commands start, and to end it.
type hold struct {
	Name   string `json:"name"`
	Used   bool   `json:"used"`
	Detail string `json:"detail"` // where, or why not
}

// A check is one thing that was tried.
type check struct {
	Name  string `json:"name"`
	Found string `json:"found"` // empty if it failed
	Error string `json:"error"` // empty if it did not
}

// limits are what commands get that are given none; 0 is no limit.
type limits struct {
	TimeoutMs       int64  `json:"timeoutMs"`
	KillGraceMs     int64  `json:"killGraceMs"`
	OutputByteLimit int64  `json:"outputByteLimit"`
	OpenFiles       uint64 `json:"openFiles"` // of ours, and so of all terminals together
}

func examine() diagnosis {
	return diagnosis{
		Build: readBuild(),
		Hosts: []hostReport{
			examineNative(),
			examineWasm(),
		},
		Limits: limits{
			KillGraceMs:     defaultKillGrace.Milliseconds(),
			OutputByteLimit: int64(defaultLimit),
			OpenFiles:       openFiles(),
		},
	}
}

func examineNative() hostReport {
	r := hostReport{Name: "native", Checks: []check{}, Holds: []hold{}, Lacks: []string{
		"a sandbox, unless --sandbox says so: commands may do whatever you may",
	}}
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		r.Checks = append(r.Checks, check{Name: "system", Error: message(err)})
		return r
	}
	defer host.Close()
	try := func(name string, f func(ctx context.Context) (found string, err error)) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		c := check{Name: name}
		if c.Found, err = f(ctx); err != nil {
			c.Found, c.Error = "", message(err)
		}
		r.Checks = append(r.Checks, c)
	}
	try("shell", func(ctx context.Context) (string, error) {
		exec, err := host.Resolve(ctx, core.Command{Command: "exit 0"})
		return exec.Path, err
	})
	try("terminals", func(ctx context.Context) (string, error) { return "ok", prove(ctx, host, "test -t 1", true) })
	try("pipes", func(ctx context.Context) (string, error) { return "ok", prove(ctx, host, "test ! -t 1", false) })
	for _, m := range host.Report() {
		r.Holds = append(r.Holds, hold(m))
	}
	for _, c := range r.Checks {
		r.Available = r.Available || c.Name != "shell" && c.Error == ""
	}
	try("sandbox caches", func(context.Context) (string, error) {
		dir, err := hostnative.PrivateDir()
		return dir + ": each workspace's until 30 days after its use", err
	})
	return r
}

// prove runs a shell line that must succeed.
func prove(ctx context.Context, host *hostnative.Host, line string, pty bool) error {
	exec, err := host.Resolve(ctx, core.Command{Command: line, Pty: pty})
	if err != nil {
		return err
	}
	process, err := host.Start(ctx, exec)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { process.Close() })()
	defer process.Close()
	if err := process.Output(func(uint8, []byte) {}); err != nil {
		return err
	}
	exit, err := process.Wait()
	if err == nil && exit.Status != (core.ExitStatus{}) {
		err = errors.New(line + ": " + exit.Status.String())
	}
	return err
}

// print prints the diagnosis for people.
func (d diagnosis) print(w io.Writer) error {
	var b strings.Builder
	row := func(name, text string) { fmt.Fprintf(&b, "  %-18s %s\n", name, printable.Text(text)) }
	fmt.Fprintln(&b, d.Build)
	for _, h := range d.Hosts {
		fmt.Fprintf(&b, "\nhost %s: %s\n", h.Name, map[bool]string{true: "available", false: "not available"}[h.Available])
		for _, c := range h.Checks {
			if c.Error != "" {
				row(c.Name, "no: "+c.Error)
				continue
			}
			row(c.Name, c.Found)
		}
		for _, m := range h.Holds {
			if !m.Used {
				row(m.Name, "not used: "+m.Detail)
				continue
			}
			row(m.Name, m.Detail)
		}
		for _, l := range h.Lacks {
			row("lacks", l)
		}
	}
	limit := byteSize(d.Limits.OutputByteLimit)
	fmt.Fprint(&b, "\nlimits, where flags and requests set none:\n")
	row("time", "none")
	row("kill grace", defaultKillGrace.String())
	row("output kept", limit.String())
	if d.Limits.OpenFiles > 0 {
		row("open files", fmt.Sprint(d.Limits.OpenFiles, " of ours; a terminal takes 1 to 3"))
	}
	for _, h := range d.Hosts {
		for _, l := range h.Limits {
			row(h.Name+" "+l.Name, l.Max)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
