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
	if raceDetector() {
		t.Skip("takes minutes to compile git with the race detector, which sees nothing inside the sandbox")
	}
	commands := map[string]*hostwasm.Module{}
	for _, m := range plugins.Modules() {
		if m.Name != "git" {
			continue
		}
		if _, err := m.Load(); err != nil {
			t.Skip(err)
		}
		commands["git"] = &hostwasm.Module{Name: m.Name, Load: m.Load}
	}
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h, err := hostwasm.New(hostwasm.Config{Engine: e, Commands: commands, Mounts: []hostwasm.Mount{{Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		want   string
		status int
	}{
		{[]string{"status"}, "fatal: not a git repository (or any of the parent directories): .git\n", 128},
		{[]string{"init", "-q", "-b", "main"}, "", 0},
		{[]string{"status", "-s"}, "?? a\n", 0},
		{[]string{"add", "."}, "", 0},
		{[]string{"commit", "-m", "first"}, "[main (root-commit) 73a552f] first\n 1 file changed, 1 insertion(+)\n create mode 100644 a\n", 0},
		{[]string{"status", "--porcelain"}, "", 0},
		{[]string{"checkout", "-b", "side"}, "Switched to a new branch 'side'\n", 0},
		{[]string{"checkout", "-"}, "Switched to branch 'main'\n", 0},
		{[]string{"switch", "-"}, "Switched to branch 'side'\n", 0},
		{[]string{"clone", "-q", ".", "copy"}, "", 0},
		{[]string{"-C", "copy", "log", "--format=%an %s"}, "Ann first\n", 0},
		{[]string{"log", "--date=local", "--format=%ad"}, "Sat Nov 21 06:35:00 2026\n", 0}, // in Paris
	} {
		got, status := runGit(t, h, dir, test.args)
		if got != test.want || status != test.status {
			t.Errorf("git %q: got %q, status %d, want %q, %d", test.args, got, status, test.want, test.status)
		}
	}
}

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
