package strays

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// A sweep that has no time to see what it looks for dead says so.
func TestSweepComplete(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Skip(err)
	}
	id := self
	id.Namespace++ // nobody's host, and not one that a keeper of another test knows to be dead
	cmd := exec.Command("sleep", "1000")
	cmd.Env = append(os.Environ(), Env+"="+id.String()+"-x")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	if SweepHost(id, 0) {
		t.Error("it was complete in no time")
	}
	select {
	case err := <-ended:
		t.Fatal("killed by no sweep: ", err)
	default:
	}
	if !SweepHost(id, time.Minute) {
		t.Error("it was not complete")
	}
	<-ended
}
