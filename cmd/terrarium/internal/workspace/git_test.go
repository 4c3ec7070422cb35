package workspace

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a repository's own configuration allows starts no program, however git comes to ask for it.
func TestGitStartsNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	dir := t.TempDir()
	g := &gitRunner{dir: dir}
	for _, args := range [][]string{{"init", "--quiet"}, {"config", "protocol.ext.allow", "always"}} {
		if err := g.run(t.Context(), nil, io.Discard, args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.run(t.Context(), nil, io.Discard, "ls-remote", "ext::touch started"); err == nil {
		t.Error("git has asked a program for its refs")
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("git has started a program")
	}
}
