package realtools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// pythonOfIndex returns variables with which the binary has the CPython of our index, which is
// downloaded for all tests together.
func pythonOfIndex(t *testing.T) (environ []string) {
	t.Helper()
	if os.Getenv("TERRARIUM_LONG") != "1" {
		t.Skip("downloads and compiles CPython: TERRARIUM_LONG=1 runs it")
	}
	if err := addPython(); err != nil {
		t.Fatal(err)
	}
	return pythonEnviron()
}

func pythonEnviron() []string {
	return append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+filepath.Join(filepath.Dir(binary), "data"))
}

var addPython = sync.OnceValue(func() error {
	add := exec.Command(binary, "plugins", "add", "--yes", "python")
	add.Env, add.Stderr = pythonEnviron(), os.Stderr
	return add.Run()
})

// TestPythonPath is where CPython finds modules: beside the script, and where the script says.
func TestPythonPath(t *testing.T) {
	environ, root := pythonOfIndex(t), t.TempDir()
	for name, text := range map[string]string{
		"lib/first.py":  "print('first of lib')\n",
		"sub/first.py":  "print('first of sub')\n",
		"sub/second.py": "print('second of sub')\n",
		"sub/main.py":   "import sys\nsys.path.insert(0, 'lib')\nimport first, second\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"python3 sub/main.py":                  "first of lib\nsecond of sub\n",
		"python3 $PWD/sub/main.py":             "first of lib\nsecond of sub\n",
		"cd sub && python3 main.py":            "first of sub\nsecond of sub\n",
		"cd sub && python3 -m main":            "first of sub\nsecond of sub\n",
		"cd sub && python3 -m first":           "first of sub\n",
		"cd sub && python3 -c 'import second'": "second of sub\n",
	} {
		cmd := exec.Command(binary, "run", "--host", "wasm", "--mount", root, "--", "bash", "-c", line)
		cmd.Env = environ
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: got %q, %v, want %q", line, out, err, want)
		}
	}
}
