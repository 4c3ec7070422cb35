//go:build !js

package wasi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// openEngine returns the engine that guests run on here.
func openEngine() (engine.Engine, error) { return wazero.New(wazero.Config{}) }

// buildGo builds testdata/guest.
func buildGo(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-o", file, "./testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the guest: %v: %s", err, out)
	}
	return file
}
