package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/plugins"
)

// TestGit commits in the sandbox, in a directory that is handed over.
func TestGit(t *testing.T) {
	t.Parallel()
	if raceDetector() {
		t.Skip("takes minutes to compile git with the race detector, which sees nothing inside the sandbox")
	}
	modules := plugins.Modules()
	for _, m := range modules {
		if err := m.Missing(); err != nil {
			t.Skip(err)
		}
	}
	commands := hostwasm.Commands(modules)
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Compiling takes seconds, so what the tests of the box have compiled is used, and the other
	// way round.
	kept, err := hostwasm.CacheIn(filepath.Join("..", ".cache", "terrarium", "modules"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hostwasm.New(hostwasm.Config{Engine: e, Cache: kept, Commands: commands, Mounts: []hostwasm.Mount{{Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []gitStep{
		{[]string{"status"}, "fatal: not a git repository (or any of the parent directories): .git\n", 128, ""},
		{[]string{"init", "-q", "-b", "main"}, "", 0, ""},
		{[]string{"status", "-s"}, "?? a\n", 0, ""},
		{[]string{"add", "."}, "", 0, ""},
		{[]string{"commit", "-m", "first"}, "[main (root-commit) 73a552f] first\n 1 file changed, 1 insertion(+)\n create mode 100644 a\n", 0, ""},
		{[]string{"status", "--porcelain"}, "", 0, ""},
		{[]string{"checkout", "-b", "side"}, "Switched to a new branch 'side'\n", 0, ""},
		{[]string{"checkout", "-"}, "Switched to branch 'main'\n", 0, ""},
		{[]string{"switch", "-"}, "Switched to branch 'side'\n", 0, ""},
		{[]string{"clone", "-q", ".", "copy"}, "", 0, ""},
		{[]string{"-C", "copy", "log", "--format=%an %s"}, "Ann first\n", 0, ""},
		// in Paris
		{[]string{"log", "--date=local", "--format=%ad"}, "Sat Nov 21 06:35:00 2026\n", 0, ""},
		writes("a", "one\nside\n"),
		{[]string{"commit", "-qam", "side"}, "", 0, ""},
		{[]string{"checkout", "-q", "main"}, "", 0, ""},
		writes("a", "one\nmain\n"),
		{[]string{"stash"}, "Saved working directory and index state WIP on main: 73a552f first\n", 0, ""},
		{[]string{"stash", "pop", "-q"}, "", 0, ""},
		{[]string{"commit", "-qam", "main"}, "", 0, ""},
		{[]string{"merge", "side"}, "Auto-merging a\nCONFLICT (content): Merge conflict in a\n" +
			"Automatic merge failed; fix conflicts and then commit the result.\n", 1, ""},
		{[]string{"status", "-s"}, "UU a\n?? copy/\n", 0, ""},
		{[]string{"diff", "--stat"}, " a | Unmerged a | 4 ++++\n 1 file changed, 4 insertions(+)\n", 0, ""},
		{[]string{"merge", "--abort"}, "", 0, ""},
		{[]string{"merge", "-q", "-X", "theirs", "side"}, "Auto-merging a\n", 0, ""},
		{[]string{"log", "--graph", "--format=%s"}, "*   Merge branch 'side'\n|\\  \n| * side\n* | main\n|/  \n* first\n", 0, ""},
		{[]string{"grep", "-n", "side"}, "a:2:side\n", 0, ""},
		{[]string{"blame", "-s", "a"}, "^73a552f 1) one\n10eed2d2 2) side\n", 0, ""},
		writes("p", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-side\n+patched\n"),
		{[]string{"apply", "p"}, "", 0, ""},
		{[]string{"diff", "--numstat"}, "1\t1\ta\n", 0, ""},
		{[]string{"worktree", "add", "-q", "tree", "side"}, "", 0, ""},
		{[]string{"-C", "tree", "log", "-1", "--format=%s"}, "side\n", 0, ""},
		{[]string{"clean", "-fdq"}, "", 0, ""},
		{[]string{"status", "-s"}, " M a\n?? copy/\n?? tree/\n", 0, ""},
	} {
		if test.args == nil {
			if err := os.WriteFile(filepath.Join(dir, test.want), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, status := runGit(t, h, dir, test.args)
		if got != test.want || status != test.status {
			t.Errorf("git %q: got %q, status %d, want %q, %d", test.args, got, status, test.want, test.status)
		}
	}
}

// A gitStep is a command and what it prints; or, without arguments, a file to write.
type gitStep struct {
	args   []string
	want   string // or the file's name
	status int
	text   string // of the file
}

func writes(name, text string) gitStep { return gitStep{want: name, text: text} }

func runGit(t *testing.T, h *hostwasm.Host, dir string, args []string) (output string, status int) {
	const date = "2026-11-21T05:35:00+0000"
	exec, err := h.Resolve(t.Context(), core.Command{Command: "git", Args: args, Cwd: dir, Env: []core.EnvVariable{
		{Name: "GIT_AUTHOR_NAME", Value: "Ann"}, {Name: "GIT_AUTHOR_EMAIL", Value: "ann@example.org"}, {Name: "GIT_AUTHOR_DATE", Value: date},
		{Name: "GIT_COMMITTER_NAME", Value: "Ann"}, {Name: "GIT_COMMITTER_EMAIL", Value: "ann@example.org"}, {Name: "GIT_COMMITTER_DATE", Value: date},
		{Name: "TZ", Value: "Europe/Paris"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), exec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var b bytes.Buffer
	if err := p.Output(func(_ uint8, text []byte) { b.Write(text) }); err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), int(exit.Status.ExitCode)
}
