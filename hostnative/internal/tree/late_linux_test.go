package tree

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A signal reaches who is there, also when this process stood still until its time was over.
func TestSignalLate(t *testing.T) {
	cmd := startTagged(t, "late")
	rest := &offspring{containment: &Containment{}, tag: "late"}
	rest.signal(0, unix.SIGTERM, time.Now())
	if err := cmd.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("got %v, want it terminated", err)
	}
}
