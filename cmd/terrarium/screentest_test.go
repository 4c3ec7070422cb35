package main

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestSilentScript gives up a script that is a pipe on which nothing comes.
func TestSilentScript(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	cancel(ended)
	// This hangs if it waits for the pipe.
	if err := new(testFlags).file(ctx, core.Command{}, name, nil); err != ended {
		t.Errorf("got %v, want %v", err, ended)
	}
}
