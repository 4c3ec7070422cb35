//go:build !js

package hostwasm_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/hostwasm"
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
