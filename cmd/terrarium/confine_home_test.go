//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory has the home also where that is reached by a link that leads into it.
func TestHasHome(t *testing.T) {
	top := t.TempDir()
	home := filepath.Join(top, "var/home/u")
	for _, dir := range []string{home, filepath.Join(top, "links"), filepath.Join(top, "other")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../var/home", filepath.Join(top, "links/home")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(top, "links/home/u"))
	for dir, want := range map[string]bool{
		"var/home/u": true, "var/home": true, "var": true, "links/home": true, "links": true, ".": true,
		"other": false, "missing": false,
	} {
		if got := hasHome(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: got %v, want %v", dir, got, want)
		}
	}
}
