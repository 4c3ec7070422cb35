//go:build linux || darwin

package protect

import "testing"

// What one Snapshot has saved, another one compares with as if it had seen it.
func TestSaved(t *testing.T) {
	b := newBench(t, repository(".git"))
	b.write(".git/config", "[core]\n\thooksPath = my\n")
	b.write("my/pre-commit", "good")
	b.write("pkg/", "")
	b.take(Limits{})
	data, err := b.s.Save()
	b.check(err)
	b.write("my/pre-commit", "evil")
	b.write("my/pre-push", "evil")
	b.write(".git/hooks/pre-commit", "evil")
	b.write("pkg/.envrc", "evil")
	b.write("new/.envrc", "new")
	b.take(Limits{}) // another, which has not seen what was before
	b.check(b.s.Load(data))
	b.want(".git/hooks/pre-commit: created, taken away", "my/pre-push: created, taken away",
		"new/.envrc: created (it came with a new directory), left as it is", "pkg/.envrc: created, taken away", "my/pre-commit: changed, put back")
	if b.s.Load(nil) == nil || b.s.Load([]byte("no gob")) == nil {
		t.Error("what is no base was loaded")
	}
	other := newBench(t, nil)
	other.take(Limits{})
	if other.s.Load(data) == nil {
		t.Error("the base of other directories was loaded")
	}
}

// A new directory goes with what was in it, and is no way to hide something from a look.
func TestNewDirectories(t *testing.T) {
	b := newBench(t, repository(".git"))
	b.take(Limits{})
	b.write(".vscode/tasks.json", "evil")
	b.write(".claude/hooks/x", "evil")
	b.write(".cursor/mcp.json", "evil")
	b.write(".cursor/rules", "fine")
	b.check(chmod(b.s.roots[0].fd, ".vscode", 0))
	told := b.restore()
	for _, name := range []string{".vscode", ".claude"} {
		if b.exists(name) {
			t.Errorf("%s is left: %v", name, told)
		}
	}
	if got := b.read(".cursor/rules"); got != "fine" {
		t.Errorf("a directory is gone that has more in it: %v", told)
	}
}

func (b *bench) exists(name string) bool {
	_, err := stat(b.s.roots[0].fd, name)
	return err == nil
}
