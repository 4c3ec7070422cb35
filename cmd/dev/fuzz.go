package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// fuzz runs each fuzz target for a while; the go command fuzzes one target at a time.
func fuzz(ctx context.Context, args []string, w io.Writer) error {
	flags := newFlags("fuzz")
	each := flags.Duration("time", 30*time.Second, "")
	if flags.Parse(args) != nil || flags.NArg() > 1 {
		return errUsage
	}
	pattern, err := regexp.Compile(flags.Arg(0))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	targets, err := fuzzTargets(ctx, &out)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, &out)
	}
	var chosen []fuzzTarget
	for _, t := range targets {
		if pattern.MatchString(t.String()) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no fuzz target matches %q", pattern)
	}
	return runAll(ctx, w, fuzzSteps(chosen, *each))
}

// A fuzzTarget is a function like FuzzParser in a package of ours.
type fuzzTarget struct {
	pkg  string // import path
	name string
}

func (t fuzzTarget) String() string {
	return shortPackage(t.pkg) + "." + t.name
}

// fuzzTargets lists the targets of the module; out gets what the go command says.
func fuzzTargets(ctx context.Context, out io.Writer) ([]fuzzTarget, error) {
	var list bytes.Buffer
	err := command(ctx, io.MultiWriter(out, &list), nil, "go", "test", "-list=^Fuzz", "./...")
	return parseFuzzList(list.String()), err
}

// parseFuzzList reads the output of "go test -list": the names of a package's targets, each on
// a line, then a line "ok", the package and a duration. Other words for "ok" are "?" and "FAIL".
func parseFuzzList(list string) []fuzzTarget {
	var targets []fuzzTarget
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz") {
			names = append(names, fields[0])
		}
		if len(fields) < 2 {
			continue
		}
		if fields[0] == "ok" {
			for _, name := range names {
				targets = append(targets, fuzzTarget{fields[1], name})
			}
		}
		names = nil
	}
	return targets
}

func fuzzSteps(targets []fuzzTarget, each time.Duration) []step {
	var steps []step
	for _, t := range targets {
		steps = append(steps, step{"fuzz " + t.String(), func(ctx context.Context, out io.Writer) error {
			return t.run(ctx, out, each)
		}})
	}
	return steps
}

// run fuzzes the target, a second time if the first ended like https://go.dev/issue/75804:
// up to Go 1.26 the end of -fuzztime itself is sometimes reported as a failure.
//
// What is new is hardly made smaller, for which go test would take a minute each
// time: in 30 s FuzzSame of core/meter then ran 25 inputs, and not 1,700.
func (t fuzzTarget) run(ctx context.Context, out io.Writer, each time.Duration) error {
	for try := 1; ; try++ {
		var log bytes.Buffer
		err := command(ctx, io.MultiWriter(out, &log), nil, "go", "test", "-run=^$",
			"-fuzz=^"+t.name+"$", "-fuzztime="+each.String(), "-fuzzminimizetime=5x", "-parallel=1", t.pkg)
		if err == nil || try == 2 || !onlyDeadline(log.String()) {
			return err
		}
	}
}

// onlyDeadline reports whether a fuzz run failed with nothing but the end of its time.
func onlyDeadline(log string) bool {
	return strings.Contains(log, "\n    context deadline exceeded\n") &&
		!strings.Contains(log, "Failing input written to") && !strings.Contains(log, "panic:")
}
