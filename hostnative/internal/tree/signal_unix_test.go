//go:build linux || darwin

package tree

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestSignalNames(t *testing.T) {
	for sig := unix.Signal(1); sig < 65; sig++ {
		name := SignalName(sig)
		got, ok := SignalNumber(name)
		if !ok || got != sig {
			t.Errorf("%s: got %d, %t, want %d, true", name, got, ok, sig)
		}
	}
}
