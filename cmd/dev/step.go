package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// errSteps is returned by a command that has printed which of its steps failed.
var errSteps = errors.New("a step failed")

// A step is one named piece of work. What it writes to out is kept, and shown only if it fails.
type step struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

// A runner runs steps one after the other, prints a line for each, and remembers how they went.
type runner struct {
	w      io.Writer
	start  time.Time
	passed int
	failed []string // the names of the steps that failed
}

func newRunner(w io.Writer) *runner {
	return &runner{w: w, start: time.Now()}
}

// run runs the steps, also those after a failed one: a reader wants to see all that is wrong at
// once. Only the end of ctx stops it early, and what did not run then counts as failed.
func (r *runner) run(ctx context.Context, steps []step) {
	for _, s := range steps {
		r.step(ctx, s)
	}
}

// lanes runs several lists of steps side by side, each like run. What runs at the same time must
// not need one another, nor a machine that does nothing else. Each step is reported when it ends.
func (r *runner) lanes(ctx context.Context, lanes ...[]step) {
	ended := make(chan *result)
	steps := 0
	for _, lane := range lanes {
		steps += len(lane)
		go func() { // ends with its steps, all of which are received below
			for _, s := range lane {
				ended <- s.execute(ctx)
			}
		}()
	}
	for range steps {
		r.report(<-ended)
	}
}

func (r *runner) step(ctx context.Context, s step) {
	fmt.Fprintf(r.w, "%-36s ", s.name) // before it runs: it may take minutes
	r.verdict(s.execute(ctx))
}

// A result is how a step went.
type result struct {
	name string
	out  bytes.Buffer
	took time.Duration
	cpu  atomic.Int64 // nanoseconds of processor time: see countTime
	err  error
}

// cpuKey is the key of a step's context under which its count of processor time is.
type cpuKey struct{}

// countTime adds what a program has used that a step ran, with all that it has waited for. What
// nobody waited for, such as a browser's processes, is missing. A nil state counts nothing.
func countTime(ctx context.Context, p *os.ProcessState) {
	if cpu, ok := ctx.Value(cpuKey{}).(*atomic.Int64); ok && p != nil {
		cpu.Add(int64(p.UserTime() + p.SystemTime()))
	}
}

// execute runs the step, unless ctx has ended.
func (s step) execute(ctx context.Context) *result {
	res := &result{name: s.name, err: ctx.Err()}
	start := time.Now()
	if res.err == nil {
		res.err = s.run(context.WithValue(ctx, cpuKey{}, &res.cpu), &res.out)
	}
	res.took = time.Since(start)
	return res
}

// report prints the whole line of a step that has ended.
func (r *runner) report(res *result) {
	fmt.Fprintf(r.w, "%-36s ", res.name)
	r.verdict(res)
}

// verdict prints and counts how the step went whose name has been printed.
func (r *runner) verdict(res *result) {
	word := "ok"
	if res.err != nil {
		word = "FAIL"
	}
	fmt.Fprintf(r.w, "%-4s %6.1fs  cpu %6.1fs\n", word, res.took.Seconds(), time.Duration(res.cpu.Load()).Seconds())
	if res.err == nil {
		r.passed++
		return
	}
	r.failed = append(r.failed, res.name)
	r.w.Write(res.out.Bytes())
	fmt.Fprintf(r.w, "%s: %v\n\n", res.name, res.err)
}

// finish prints the summary and returns errSteps if a step failed.
// The last line is alone and always has the same form, for programs that read it.
func (r *runner) finish() error {
	fmt.Fprintf(r.w, "\ntotal %v\n", time.Since(r.start).Round(time.Second))
	if len(r.failed) > 0 {
		fmt.Fprintf(r.w, "failed: %s\n", strings.Join(r.failed, ", "))
	}
	fmt.Fprintf(r.w, "%d passed, %d failed\n", r.passed, len(r.failed))
	if len(r.failed) > 0 {
		return errSteps
	}
	return nil
}

// runAll runs steps with a runner of their own.
func runAll(ctx context.Context, w io.Writer, steps []step) error {
	r := newRunner(w)
	r.run(ctx, steps)
	return r.finish()
}
