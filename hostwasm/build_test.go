//go:build !js

package hostwasm_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// buildGuest builds testdata/NAME into dir, and returns its file.
func buildGuest(dir, name string) (string, error) {
	file := filepath.Join(dir, name+".wasm")
	build := exec.Command("go", "build", "-o", file, "./testdata/"+name)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build testdata/%s: %v\n%s", name, err, out)
	}
	return file, nil
}

// modules is where the modules of all hosts are kept.
func modules() (hostwasm.Cache, error) { return hostwasm.CacheIn(cacheDir) }

// openRoot is a Config.Root.
var openRoot func(dir string) (vfs.FS, error)

// work returns what mounts a directory with these files at /work.
func work(t *testing.T, files map[string][]byte) hostwasm.Mount {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return hostwasm.Mount{Dir: dir, Guest: "/work"}
}

// trying is false: no engine here tries a call without waiting.
func trying() bool { return false }

// allBackends are those that can be compared.
func allBackends() []backend { return backends }

// comparedFuel is what each command may use when engines are compared.
const comparedFuel = 200e6
