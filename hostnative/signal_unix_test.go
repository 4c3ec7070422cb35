//go:build linux || darwin

package hostnative

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestSignalNames(t *testing.T) {
	for sig := unix.Signal(1); sig < 65; sig++ {
		name := signalName(sig)
		got, ok := signalNumber(name)
		if !ok || got != sig {
			t.Errorf("%s: got %d, %t, want %d, true", name, got, ok, sig)
		}
	}
}

// A mistake of ours must not become kill(-1) or the end of our own group.
func TestNoSignalToOthers(t *testing.T) {
	for _, pid := range []int{-1, 0, 1, unix.Getpgrp()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("signal to group %d: got no panic", pid)
				}
			}()
			p := &process{child: child{pid: pid}}
			p.signalGroup(0) // which would not do harm
		}()
	}
}
