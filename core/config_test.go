package core_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestNegativeLimits: a limit below zero allows nothing, and breaks nothing.
func TestNegativeLimits(t *testing.T) {
	r, terminal := running(t, core.Config{
		KeepTerminals: -1, KeepBytes: -5, MaxKeptTerminals: -1, MaxKeptBytes: -1,
		MaxOutputByteLimit: -5, MaxInput: -1, LiveBytes: -3,
	}, core.Command{Pty: true, Interactive: true})
	id := terminal.ID()
	r.HandleOutput(epoch, id, 1, []byte("abc"))
	if out, truncated := terminal.AppendOutput(nil); len(out) > 0 || !truncated {
		t.Errorf("got %q, %v, want nothing, truncated", out, truncated)
	}
	if err := r.Write(epoch, id, []byte("x")); err != core.ErrInputFull {
		t.Errorf("Write: got %v, want %v", err, core.ErrInputFull)
	}
	r.HandleExit(epoch, id, core.Exit{})
	r.HandleOutputEnd(epoch, id)
	r.Release(epoch, id)
	r.HandleClosed(epoch, id)
	drain(r)
	if _, ok := r.Status(id); ok {
		t.Error("the output of a released terminal is kept")
	}
}
