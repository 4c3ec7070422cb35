//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What is no state is passed over, and no pipe is waited for.
func TestPlaces(t *testing.T) {
	state := filepath.Join(t.TempDir(), "st[1]")
	t.Setenv("XDG_STATE_HOME", state)
	const dir = "/home/u/project"
	for _, of := range []struct{ dir, place string }{{dir, "ssh:b"}, {dir, "exec:a"}, {"/elsewhere", "exec:c"}} {
		s, _, err := LoadState(of.dir, of.place)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Read(); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	}
	base := filepath.Join(state, nearFolder)
	for _, name := range []string{"near-pipe", "near-long"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"near-pipe/state", "pipe"} {
		if err := syscall.Mkfifo(filepath.Join(base, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "near-long/state"), []byte(strings.Repeat("x", 2*maxHead)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Places(dir), []string{"exec:a", "ssh:b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
