package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
