//go:build linux || darwin

package worker_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A host that is closed while a worker has a module compiled leaves nothing of
// that in the cache: what was begun is removed before Close returns.
func TestCloseWaitsForStages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	began, closed := make(chan struct{}), make(chan struct{})
	h, err := worker.New(worker.Config{
		Commands: commands(), CacheDir: dir, TmpDir: t.TempDir(), Pool: -1,
		Compiling: func(string, int) func() {
			close(began)
			return func() { // before the directory is removed
				select {
				case <-closed: // too early
				case <-time.After(200 * time.Millisecond):
				}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Resolve(t.Context(), core.Command{Command: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	go func() { // ends with the host
		defer close(started)
		if p, err := h.Start(t.Context(), e); err == nil {
			p.Close()
		}
	}()
	<-began
	err = h.Close()
	left, _ := filepath.Glob(filepath.Join(dir, "entries", "stage-*"))
	close(closed)
	<-started
	if err != nil || len(left) > 0 {
		t.Errorf("got %v and %q in the cache, want nothing", err, left)
	}
}
