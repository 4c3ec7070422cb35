package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestUnbuilt runs the scripts in cli/unbuilt against a command that was built without
// the sandbox's own commands, as "go install" builds it.
func TestUnbuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another command")
	}
	nativeHost(t)
	watchModule(t)
	bare := buildBare(t)
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	params := scripts(t, filepath.Join("cli", "unbuilt"))
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		e.Setenv("BARE", bare)
		e.Setenv("PATH", bare+string(filepath.ListSeparator)+e.Getenv("PATH"))
		e.Setenv("GOCACHE", strings.TrimSpace(string(out))) // or Go's library is compiled again
		e.Setenv("GOTOOLCHAIN", "local")
		return setup(e)
	}
	testscript.Run(t, params)
}

// buildBare builds the command without modules, and returns the directory that has it.
func buildBare(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]string{} // files that are not there
	for _, name := range []string{"box.wasm", "box.txt", "git.wasm", "direct.wasm"} {
		without[filepath.Join(root, "plugins", "dist", name)] = ""
	}
	overlay, err := json.Marshal(map[string]any{"Replace": without})
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "-o", filepath.Join(dir, "terrarium"), "./cmd/terrarium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// makeTree is a verb: it makes a tree of our module in DIR that is built at once, into
// modules that say what theirs do when they are tried. plugins/made/fault in it has
// building go wrong: see plugins/testdata/tree/cmd/dev.
func makeTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tree DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(dir, os.DirFS(filepath.Join("..", "plugins", "testdata", "tree"))))
	for name, kind := range map[string]string{"box": "shell", "git": "versions", "direct": "shell"} {
		ts.Check(os.WriteFile(filepath.Join(dir, "plugins", "made", name+".wasm"), moduleOf(kind), 0o666))
	}
}
