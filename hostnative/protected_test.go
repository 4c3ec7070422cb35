package hostnative_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative"
)

// What runs later is known by its name, whatever leads there, and wherever that leads.
func TestIsProtected(t *testing.T) {
	root := t.TempDir()
	t.Setenv("HOME", filepath.Join(root, "home"))
	for _, dir := range []string{"home", "bare/objects", "bare/refs", "src", ".git/hooks", "node_modules/x"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"bare/HEAD", "src/main.c", ".git/config"} {
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"to-config": ".git/config", "git": ".git", "to-new-hook": ".git/hooks/post-commit", "twice": "to-new-hook", "circle": "circle", "out": "/etc/passwd",
		".vscode": "src", "src/.envrc": "main.c",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		".git/config": true, ".git/hooks/pre-commit": true, ".git/hooks/pre-commit.sample": false, ".GIT/Config": true, ".git": true, ".git/index": false,
		".git/modules/a/b/config": false, "sub/.git/hooks/x": true, "sub/../.git/config": true, ".zed/tasks.json": true, ".zed/notes.txt": false,
		".vscode": true, ".vscode/tasks.json": true, ".vscode/notes.txt": false, "src/.envrc": true,
		"a/b/.envrc": true, "my.code-workspace": true, ".terrarium/policy.toml": true, ".claude/hooks/a/b": true, "bare/config": true, "bare/hooks/x": true,
		"home/.bashrc": true, ".bashrc": false, "home/.config/fish/conf.d/x": true, "src/main.c": false, "src/new/deep": false, "config": false,
		"to-config": true, "git/hooks/x": true, "to-new-hook": true, "twice": true, "circle": false, "out": false, "node_modules/x/.envrc": false, "": false,
	} {
		if got := hostnative.IsProtected(root, filepath.Join(root, name)); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
