package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestOutcome(t *testing.T) {
	killed := "SIGKILL"
	term := terminal{status: exitStatus{Signal: &killed}, output: "ick 1\ntick 2\n", truncated: true, took: 1500 * time.Millisecond}
	if got, want := term.outcome(), "SIGKILL after 1.5 s: tick 2; of all it printed the newest 13 bytes are kept"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIndented(t *testing.T) {
	var b strings.Builder
	indented(&b, strings.Repeat("é", 100))
	if got, want := b.String(), "  "+strings.Repeat("é", 77)+"…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
