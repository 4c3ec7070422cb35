package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeScript returns the command line that has node run a script of ours, whose first argument is a
// path in node_modules. It skips the test where there is no node, or no such folder.
func nodeScript(t testing.TB, script, module string) []string {
	t.Helper()
	modules := os.Getenv("TERRARIUM_NODE_MODULES")
	if modules == "" {
		t.Skipf("TERRARIUM_NODE_MODULES names no node_modules folder with %s", module)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	return []string{node, path, filepath.Join(modules, module)}
}
