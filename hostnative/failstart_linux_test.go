package hostnative_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// What was no program leaves no cgroup, although who tried to execute it may
// be in it for a moment after it was reaped.
func TestStartErrorLeavesNoCgroup(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	parent := ownCgroup(t)
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte{0, 1, 2, 3}, 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := h.Resolve(context.Background(), core.Command{Command: file})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if _, err := h.Start(context.Background(), e); !errors.Is(err, unix.ENOEXEC) {
					t.Errorf("got %v, want %v", err, unix.ENOEXEC)
					return
				}
			}
		})
	}
	all.Wait()
	keeper := keeperOf(t, h)
	h.Close()
	checkNoCgroups(t, parent, keeper)
}
