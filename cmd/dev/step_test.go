package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

func TestRunnerReportsEveryStep(t *testing.T) {
	var w bytes.Buffer
	err := runAll(t.Context(), &w, []step{
		{"first", func(_ context.Context, out io.Writer) error { fmt.Fprintln(out, "quiet"); return nil }},
		{"second", func(_ context.Context, out io.Writer) error {
			fmt.Fprintln(out, "why\nit failed")
			return errors.New("exit status 3")
		}},
		{"third", func(context.Context, io.Writer) error { return nil }},
	})
	if !errors.Is(err, errSteps) {
		t.Errorf("got error %v, want %v", err, errSteps)
	}
	got := w.String()
	for _, want := range []string{"first ", "why\nit failed\nsecond: exit status 3\n", "third ", "failed: second\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "quiet") {
		t.Errorf("got %q, want no output of a step that passed", got)
	}
	if !strings.HasSuffix(got, "\n2 passed, 1 failed\n") {
		t.Errorf("got %q, want the count alone on the last line", got)
	}
}

func TestRunnerCountsWhatAnInterruptLeftOut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var w bytes.Buffer
	err := runAll(ctx, &w, []step{
		{"interrupted", func(context.Context, io.Writer) error { cancel(); return ctx.Err() }},
		{"left out", func(context.Context, io.Writer) error { t.Error("ran after the interrupt"); return nil }},
	})
	if !errors.Is(err, errSteps) {
		t.Errorf("got error %v, want %v", err, errSteps)
	}
	if got := w.String(); !strings.HasSuffix(got, "\n0 passed, 2 failed\n") {
		t.Errorf("got %q, want 2 failed", got)
	}
}

// Steps that run beside others are each reported whole, and one of each lane runs at a time.
func TestRunnerLanes(t *testing.T) {
	var running, most atomic.Int32
	met := make(chan struct{}) // two at a time, or the test hangs
	meet := func(_ context.Context, out io.Writer) error {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		select {
		case met <- struct{}{}:
		case <-met:
		}
		return nil
	}
	steps := []step{{"bad", func(_ context.Context, out io.Writer) error {
		fmt.Fprintln(out, "why")
		return errors.Join(errors.New("exit status 3"), meet(t.Context(), out))
	}}}
	for range 5 {
		steps = append(steps, step{"good", meet})
	}
	var w bytes.Buffer
	r := newRunner(&w)
	r.lanes(t.Context(), steps[:3], steps[3:])
	if err := r.finish(); !errors.Is(err, errSteps) {
		t.Errorf("got error %v, want %v", err, errSteps)
	}
	got := w.String()
	if !strings.Contains(got, "why\nbad: exit status 3\n") || strings.Count(got, "good ") != 5 {
		t.Errorf("got %q, want each step once, and why the first failed", got)
	}
	if !strings.HasSuffix(got, "\n5 passed, 1 failed\n") {
		t.Errorf("got %q, want 5 passed, 1 failed", got)
	}
	if most.Load() != 2 {
		t.Errorf("got %d steps at once, want 2", most.Load())
	}
}

func TestRunKnowsItsCommands(t *testing.T) {
	t.Chdir("../..")
	for _, args := range [][]string{nil, {"nonsense"}, {"build", "extra"}, {"replay"}, {"fuzz", "-nonsense"}, {"bench", "a", "b"}} {
		if err := run(t.Context(), args, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("run(%q): got %v, want %v", args, err, errUsage)
		}
	}
	var w bytes.Buffer
	if err := run(t.Context(), []string{"help"}, &w); err != nil || w.String() != usage {
		t.Errorf("run(help): got %q, %v, want the usage text", w.String(), err)
	}
}
