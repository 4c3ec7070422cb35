package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestProcessMark(t *testing.T) {
	own := processMark(os.Getpid())
	if !isRunning(own) {
		t.Errorf("%q: got that we do not run", own)
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	mark := processMark(cmd.Process.Pid)
	if mark == own || !isRunning(mark) {
		t.Errorf("got %q of a process that runs, and %q for us", mark, own)
	}
	in.Close()
	cmd.Wait()
	number, rest, _ := strings.Cut(own, "-")
	_, rest, _ = strings.Cut(rest, "-")
	for _, other := range []string{mark, number + "-1-" + rest, own + "0", number, "", "-1", "0-0"} {
		if isRunning(other) {
			t.Errorf("%q: got that it runs", other)
		}
	}
}
