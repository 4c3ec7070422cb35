//go:build linux || darwin

package guard

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A directory is not read again as long as it is the same, and whoever sets its time back hides
// nothing.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	var l listing
	var want []string
	for _, name := range []string{"a", "b"} {
		before, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		// This goes on until it would not be read again.
		for first := true; first || l.of == (dirVersion{}); first = false {
			if got, err := l.names(dir); err != nil || !slices.Equal(got, want) {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	l.list = []string{"kept"}
	if got, err := l.names(dir); err != nil || !slices.Equal(got, l.list) {
		t.Errorf("got %q, %v: it was read again", got, err)
	}
}
