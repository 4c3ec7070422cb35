package wheel

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHints: where python ends because it has not found a package, the last line says what a person
// can type, and nowhere else. It is the python of this machine that runs.
func TestHints(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := SiteOf(dir).Refresh("3.12"); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(SiteOf(dir).Dir(), "lib/python3.12/site-packages")
	if err := os.MkdirAll(filepath.Join(dir, "here"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "here/mine.py"), []byte("import nosuchpackage.part\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string // what is to be added, "" if nothing is said
	}{
		{[]string{"-c", "import nosuchpackage"}, "nosuchpackage"},
		{[]string{"-c", "import nosuchpackage.part"}, "nosuchpackage"},
		{[]string{"-m", "nosuchpackage"}, "nosuchpackage"},
		{[]string{"-m", "nosuchpackage.part", "-m", "x"}, "nosuchpackage"},
		{[]string{"mine.py"}, "nosuchpackage"},
		{[]string{"-m", "mine"}, "nosuchpackage"},
		{[]string{"-S", "-c", "import sys; sys.path = sys.path[:2]; import usercustomize, dotenv"}, "python-dotenv"},
		{[]string{"-c", "import json.nosuchpart"}, ""},
		{[]string{"-m", "json.nosuchpart"}, ""},
		{[]string{"-c", "import _nosuchpart"}, ""},
		{[]string{"-c", "try:\n import nosuchpackage\nexcept ImportError: pass\n1/0"}, ""},
		{[]string{"-c", "raise ModuleNotFoundError('no name')"}, ""},
		{[]string{"-c", "import sys; sys.exit('-m nosuchpackage')"}, ""},
	} {
		var stderr bytes.Buffer
		cmd := exec.Command(python, c.args...)
		cmd.Dir, cmd.Stderr = filepath.Join(dir, "here"), &stderr
		cmd.Env = []string{"PYTHONPATH=" + library, "PYTHONDONTWRITEBYTECODE=1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		if err := cmd.Run(); err == nil {
			t.Fatalf("%q: got no error", c.args)
		}
		_, got, _ := strings.Cut(stderr.String(), "terrarium plugins pip add ")
		got, _, _ = strings.Cut(got, "\n")
		if got != c.want || strings.Count(stderr.String(), "plugins pip add") > 1 {
			t.Errorf("%q: got %q in %q, want %q", c.args, got, stderr.String(), c.want)
		}
		if c.want != "" && !strings.HasSuffix(stderr.String(), " "+c.want+"\n") {
			t.Errorf("%q: got %q, want the advice in the last line", c.args, stderr.String())
		}
	}
}

// TestCannotOpen: where there is no script, python says what it says without us: in the sandbox it
// begins in another directory than it is told of.
func TestCannotOpen(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "usercustomize.py"), usercustomize, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"nosuch.py"}, {"./nosuch.py", "x"}, {"../nosuch.py"}, {"no/such.py"}, {"/no/such.py"}, {"usercustomize.py/x"}, {"-I", "-u", "it's.py"}, {"."},
	} {
		var said [2]string
		for i, library := range []string{"", dir} {
			var stderr bytes.Buffer
			cmd := exec.Command(python, args...)
			cmd.Dir, cmd.Stderr = dir, &stderr
			cmd.Env = []string{"PYTHONPATH=" + library, "PYTHONDONTWRITEBYTECODE=1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PWD=" + dir}
			if err := cmd.Run(); err == nil {
				t.Fatalf("%q: got no error", args)
			}
			said[i] = fmt.Sprintf("%q, status %d", stderr.String(), cmd.ProcessState.ExitCode())
		}
		if said[0] != said[1] {
			t.Errorf("%q: got %s, want %s", args, said[1], said[0])
		}
	}
}
