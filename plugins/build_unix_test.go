//go:build unix

package plugins_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

// Who no longer waits ends the go command with all that it has started.
func TestBuildEnds(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		b := plugins.Builder{Dir: tree(t, "hangs "+begun)}
		ended <- b.Build(ctx, dir)
	}()
	pid, err := os.ReadFile(begun)
	if err != nil || len(pid) == 0 {
		t.Fatalf("got %q, %v", pid, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	empty(t, dir)
}
