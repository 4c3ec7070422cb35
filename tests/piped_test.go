package tests

import (
	"io"
	"os/exec"
	"testing"
)

// startPiped starts a program with pipes of ours for its standard input and output. Who calls it
// waits for its end, and not before all that is wanted of its output was read: Wait closes both.
func startPiped(t testing.TB, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}
