//go:build linux || darwin

package hostnative

import (
	"errors"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// If the program around us reaps our child, how it ended is lost, and nobody
// who may have its number by now is signalled.
func TestReapedByAnother(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	p := newProcess(child{pid: cmd.Process.Pid}, newContainment(Config{}).newTree(), new(stdio))
	exit, err := p.Wait()
	if !exit.Status.Unknown || exit.Reason != core.ReasonLost || !errors.Is(err, unix.ECHILD) {
		t.Errorf("Wait: got %+v, %v, want unknown and lost, %v", exit, err, unix.ECHILD)
	}
	if !p.gone {
		t.Error("its number still counts as ours")
	}
	if err := p.Signal("SIGKILL"); err != nil {
		t.Errorf("Signal: got %v, want nil", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}
