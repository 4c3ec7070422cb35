package tests

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestConformUnread: a client that reads nothing, standard error neither, holds up no signal.
func TestConformUnread(t *testing.T) {
	cmd := exec.Command("terrarium", "conform")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close() // until then it is there, and nobody reads it
	in, out := startPiped(t, cmd)
	defer out.Close()
	defer cmd.Process.Kill()
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	written := make(chan struct{})
	go func() { // ends with the command
		defer close(written)
		// Answers and notices to these are more than pipes hold.
		in.Write([]byte(strings.Repeat(hello, 4000)))
	}()
	select {
	case <-written:
	case <-time.After(2 * time.Second): // it reads no more, or soon
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { // ends with the command
		_, err := cmd.Process.Wait()
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("it is still there")
	}
}
