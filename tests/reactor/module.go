package reactor

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Module returns the bytes of the reactor, which it builds once per process.
func Module(tb testing.TB) []byte {
	tb.Helper()
	wasm, err := module()
	if err != nil {
		tb.Fatal(err)
	}
	return wasm
}

var module = sync.OnceValues(build)

func build() ([]byte, error) {
	root, err := watch()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "terrarium-reactor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "core.wasm")
	cmd := exec.Command("go", "run", "./cmd/dev", "reactor", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return os.ReadFile(file)
}

// watch returns the root of the module, and makes "go test" run the tests again
// when a source of the reactor changes, or what node runs: it keeps a result
// until a file changes that the test itself read, and reading a folder notes the
// size and time of each file in it.
func watch() (root string, err error) {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	file := strings.TrimSpace(string(gomod))
	if _, err := os.ReadFile(file); err != nil {
		return "", err
	}
	root = filepath.Dir(file)
	for _, dir := range []string{"core", "cmd/dev", "cmd/reactor", "tests/reactor", "web/src"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(_ string, _ fs.DirEntry, err error) error {
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return root, nil
}
