package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAdded(t *testing.T) {
	for _, test := range []struct{ before, now, want string }{
		{"", "", ""},
		{"", "a\n", "a\n"},
		{"a\n", "a\n", ""},
		{"a\n", "a\nb\n", "b\n"},
		{"tick 1\ntick 2\n", "k 1\ntick 2\ntick 3\n", "tick 3\n"}, // the beginning was dropped
		{"tick 1\n", "tick 8\n", "tick 8\n"},                      // all of it
	} {
		if got := added(test.before, test.now); got != test.want {
			t.Errorf("added(%q, %q): got %q, want %q", test.before, test.now, got, test.want)
		}
	}
}

func TestPrinter(t *testing.T) {
	var b strings.Builder
	p := newPrinter(&b)
	p.line("build", strings.Repeat("é", 100))
	p.lines("count", []string{"a", "b"})
	p.lines("count", []string{"a", "b", "c", "d"})
	for i, want := range []string{strings.Repeat("é", 61) + "…", "a", "b", "(3 lines, then) d"} {
		got := strings.Split(b.String(), "\n")[i]
		if !strings.HasSuffix(got, " "+want) || strings.Contains(got, "\x1b") {
			t.Errorf("line %d: got %q, want %q at its end and no colour", i, got, want)
		}
	}
}

func TestNothingLeft(t *testing.T) {
	marker := fmt.Sprintf("TERRARIUM_DEMO_TEST=%d", os.Getpid())
	cmd := exec.Command("cat")
	cmd.Env = append(os.Environ(), marker)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	left, err := processesWith(t.Context(), marker)
	if err != nil {
		t.Skip(err)
	}
	if len(left) != 1 || left[0] != fmt.Sprint(cmd.Process.Pid) {
		t.Errorf("got processes %v, want %d", left, cmd.Process.Pid)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := nothingLeft(ended, marker); err == nil {
		t.Error("nothingLeft: got no error while a process lives")
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := nothingLeft(t.Context(), marker); err != nil {
		t.Error(err)
	}
}
