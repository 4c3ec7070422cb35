package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A runner runs /bin/true n times, from create over exit and output to release, and says how long
// each took.
type runner struct {
	name string
	aim  string // at the most, of the first runner's time
	// start returns run, or why there is none here.
	start func(b *testing.B, pty bool) (run func(n int) ([]time.Duration, error), err error)
}

var runners = []runner{
	{"C, posix_spawn", "", startFloor},
	{"driver", "pipe 1.3x, pty 1.5x", startDriver},
	{"driver, no keeper", "", startUnkept},
	{"driver, sandbox", "", startSandboxed},
	{"acpconn", "pipe 1.6x, pty 1.8x", startHere},
	{"terrarium serve", "pipe 1.6x, pty 1.8x", startServe},
	{"node", "", startNode},
	{"tmux -C", "", startTmux},
}

// BenchmarkCommand takes turns of 50 commands each. The time told is the median.
func BenchmarkCommand(b *testing.B) {
	for _, mode := range []string{"pipe", "pty"} {
		b.Run(mode, func(b *testing.B) { benchmarkCommand(b, mode) })
	}
}

func benchmarkCommand(b *testing.B, mode string) {
	const turns, each = 8, 50
	t := &table{
		title:  fmt.Sprintf("/bin/true on a %s: create, exit, output, release; median of %d, in turns of %d", mode, turns*each, each),
		header: []string{"", "ms", "p90", "", "aim"},
	}
	took := make([][]time.Duration, len(runners))
	runs := make([]func(int) ([]time.Duration, error), len(runners))
	skipped := make([]error, len(runners))
	for i, r := range runners {
		runs[i], skipped[i] = r.start(b, mode == "pty")
		if skipped[i] == nil {
			_, skipped[i] = runs[i](5) // what is done once
		}
	}
	for range turns {
		for i, run := range runs {
			if skipped[i] != nil {
				continue
			}
			times, err := run(each)
			if err != nil {
				b.Fatalf("%s: %v", runners[i].name, err)
			}
			took[i] = append(took[i], times...)
		}
	}
	tables = append(tables, t)
	first := 0.0
	for i, r := range runners {
		if skipped[i] != nil {
			t.row(r.name, "-", "", "", "skipped: "+skipped[i].Error())
			continue
		}
		median := percentile(took[i], 50)
		ratio := "?"
		if i == 0 {
			first = median.Seconds()
		}
		if first > 0 {
			ratio = times(median.Seconds(), first)
		}
		t.row(r.name, milliseconds(median), milliseconds(percentile(took[i], 90)), ratio, r.aim)
		b.Run(r.name, func(b *testing.B) { b.ReportMetric(float64(median), "ns/op") })
	}
}

func startFloor(_ *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	path, err := floor()
	return program(path, "run", modeName(pty)), err
}

func startNode(_ *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	node, err := exec.LookPath("node")
	return program(node, "testdata/node.mjs", modeName(pty)), err
}

// program is a run by another program, whose last argument is how often.
func program(name string, args ...string) func(int) ([]time.Duration, error) {
	return func(n int) ([]time.Duration, error) {
		out, err := exec.Command(name, append(args, fmt.Sprint(n))...).Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("%w: %s", err, lastLine(failed.Stderr))
		}
		if err != nil {
			return nil, err
		}
		return parseTimes(out)
	}
}

func startDriver(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	return startDriverWith(b, driver.Config{Host: nativeHost(b)}, pty), nil
}

// startUnkept has this program keep its commands itself: what a keeper costs is the
// difference.
func startUnkept(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	host, err := hostnative.New(hostnative.Config{NoKeeper: true})
	coretest.Supported(b, err)
	b.Cleanup(func() { host.Close() })
	return startDriverWith(b, driver.Config{Host: host}, pty), nil
}

// startSandboxed confines commands to a workspace, each in the keeper of its session.
func startSandboxed(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	host, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{b.TempDir()}, Private: b.TempDir(),
	}})
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { host.Close() })
	return startDriverWith(b, driver.Config{Host: host}, pty), nil
}

func startDriverWith(b *testing.B, c driver.Config, pty bool) func(int) ([]time.Duration, error) {
	d := driver.New(c)
	b.Cleanup(func() { d.Close() })
	var output []byte
	return timed(func() error {
		term, err := d.Create(context.Background(), "", core.Command{Command: "/bin/true", Pty: pty})
		if err != nil {
			return err
		}
		exit, err := term.Wait(context.Background())
		if err != nil {
			return err
		}
		if exit.Status != (core.ExitStatus{}) {
			return fmt.Errorf("true ended with %v", exit.Status)
		}
		output, _ = term.AppendOutput(output[:0])
		return term.Release()
	})
}

// timed makes a run of n calls of f.
func timed(f func() error) func(n int) ([]time.Duration, error) {
	return func(n int) (times []time.Duration, err error) {
		for range n {
			begin := time.Now()
			if err := f(); err != nil {
				return nil, err
			}
			times = append(times, time.Since(begin))
		}
		return times, nil
	}
}

func modeName(pty bool) string {
	if pty {
		return "pty"
	}
	return "pipe"
}
