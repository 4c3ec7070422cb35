//go:build linux || darwin

package tree

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// If the program around us reaps our child, how it ended is lost, and nobody
// who may have its number by now is signalled.
func TestReapedByAnother(t *testing.T) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	fd := uintptr(null)
	command, err := New(Config{}).Start(Spec{Path: "/bin/true", Argv: []string{"true"}, Files: [3]uintptr{fd, fd, fd}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Wait4(command.Pid(), nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	exit, err := command.Wait()
	if !exit.Status.Unknown || exit.Reason != core.ReasonLost || !errors.Is(err, unix.ECHILD) {
		t.Errorf("Wait: got %+v, %v, want unknown and lost, %v", exit, err, unix.ECHILD)
	}
	if !command.gone {
		t.Error("its number still counts as ours")
	}
	if err := command.Signal(unix.SIGKILL); err != nil {
		t.Errorf("Signal: got %v, want nil", err)
	}
	if err := command.End(func() {}); err != nil {
		t.Errorf("End: got %v, want nil", err)
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
			command := &Tree{child: child{pid: pid}}
			command.SignalGroup(0) // which would not do harm
		}()
	}
}
