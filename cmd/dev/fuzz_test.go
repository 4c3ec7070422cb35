package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestFuzzFunctions(t *testing.T) {
	const source = `package p

import "testing"

type s struct{}

func (s) FuzzMethod(f *testing.F) {}
func Fuzzy(f *testing.F)          {}
func TestFuzz(t *testing.T)       {}
func FuzzParser(f *testing.F)     {}
func Fuzz_2(f *testing.F)         {}
func Fuzz(f *testing.F)           {}
`
	file := filepath.Join(t.TempDir(), "p_test.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := fuzzFunctions(file)
	if want := []string{"FuzzParser", "Fuzz_2", "Fuzz"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestOnlyDeadline(t *testing.T) {
	const deadline = "fuzz: elapsed: 3s, execs: 40304 (0/sec)\n--- FAIL: FuzzRing (3.20s)\n    context deadline exceeded\nFAIL\n"
	for _, c := range []struct {
		log  string
		want bool
	}{
		{deadline, true},
		{deadline + "    Failing input written to testdata/fuzz/FuzzRing/771e938e4458e983\n", false},
		{"panic: boom\n" + deadline, false},
		{"--- FAIL: FuzzRing (0.02s)\n    ring_test.go:9: got 1, want 2\n", false},
	} {
		if got := onlyDeadline(c.log); got != c.want {
			t.Errorf("onlyDeadline(%q): got %v, want %v", c.log, got, c.want)
		}
	}
}

// A commit has whole packages: each target of one, or none.
func TestTurnTargets(t *testing.T) {
	targets := []fuzzTarget{{"p/a", "", "FuzzA"}, {"p/b", "", "FuzzB"}, {"p/b", "", "FuzzC"}, {"p/c", "", "FuzzD"}, {"p/d", "", "FuzzE"}}
	got := turnTargets(&turn{number: 5}, targets)
	if want := targets[1:3]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := turnTargets(nil, targets); !slices.Equal(got, targets) {
		t.Errorf("without a turn: got %v, want %v", got, targets)
	}
}

// What go test says at the end of the time, however often it does, fails no target; a crash does.
func TestEndOfTime(t *testing.T) {
	root := t.TempDir()
	target := fuzzTarget{module + "/p", root, "FuzzRing"}
	if err := os.MkdirAll(filepath.Dir(target.binary(root)), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		said   string
		failed bool
	}{
		{"    context deadline exceeded", false},
		{"    ring_test.go:9: got 1, want 2", true},
	} {
		script := "#!/bin/sh\necho '--- FAIL: FuzzRing (0.3s)'\necho '" + c.said + "'\nexit 1\n"
		if err := os.WriteFile(target.binary(root), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		err := target.run(t.Context(), io.Discard, root, time.Second)
		if failed := err != nil; failed != c.failed {
			t.Errorf("said %q: got %v, want an error: %v", c.said, err, c.failed)
		}
	}
}
