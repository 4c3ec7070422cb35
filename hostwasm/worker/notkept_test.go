//go:build linux || darwin

package worker_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// Where the cache can't be written to any longer, commands run all the same, and the log says why
// the next program has to compile again.
func TestNotKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var logged bytes.Buffer // read once the host is closed
	h, err := worker.New(worker.Config{
		Commands: commands(), CacheDir: dir, TmpDir: t.TempDir(), Pool: -1,
		Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	entries := filepath.Join(dir, "entries")
	if err := os.RemoveAll(entries); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(entries, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := h.Resolve(t.Context(), core.Command{Command: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if got := logged.String(); !strings.Contains(got, `level=WARN msg="what was compiled is not kept" module=guest err=`) {
		t.Errorf("got %q, want that it is not kept", got)
	}
}
