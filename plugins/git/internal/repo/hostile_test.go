package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v6/plumbing/filemode"
	"github.com/go-git/go-git/v6/plumbing/format/index"
)

// TestHostilePaths: no name leads out of the working tree or into .git, wherever it comes from.
func TestHostilePaths(t *testing.T) {
	dir := t.TempDir()
	top := filepath.Join(dir, "work")
	if err := Create(filepath.Join(top, ".git"), "main", false); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("keep"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(top, filepath.Join(top, ".git"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../secret", ".git/config", "a/../../secret", "/etc/passwd", "a//b", ".GIT/config", "", "a/.", "x/.git/y", ".g\u200cit/config", "\ufeff.Git", "GIT~1/config"} {
		if ValidPath(name) {
			t.Errorf("%q is valid", name)
		}
		if err := r.RemoveDisk(name); err == nil {
			t.Errorf("removed %q", name)
		}
		if err := r.WriteDisk(name, File{Mode: filemode.Regular}); err == nil || !strings.Contains(err.Error(), "invalid path") {
			t.Errorf("wrote %q: %v", name, err)
		}
		if name == "" {
			continue
		}
		if err := r.store.SetIndex(&index.Index{Version: 2, Entries: []*index.Entry{{Name: name, Mode: filemode.Regular}}}); err != nil {
			continue // the library refuses it
		}
		if x, err := r.Index(); err == nil {
			t.Errorf("the index has %q: %v", name, x.Names())
		}
	}
	if b, err := os.ReadFile(secret); string(b) != "keep" {
		t.Errorf("the file outside has %q, %v", b, err)
	}
}
