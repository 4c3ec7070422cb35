package hostwasm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/pagetests"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// Here guests run in the page, and some tests can't.
func init() {
	backends = []backend{{page.Target{}.Name(), page.New}}
	skip = func() { pagetests.Skip("hostwasm") }
}

// buildGuest returns the file of testdata/NAME, which "dev browser" has built: nothing
// can be here.
func buildGuest(_, name string) (string, error) {
	return filepath.Join("testdata", name+".wasm"), nil
}

// modules is where the modules of all hosts are kept, metered.
func modules() (hostwasm.Cache, error) { return hostwasm.CacheIn(cacheDir) }

// openRoot is a Config.Root: a command's directory is in memory, and empty.
func openRoot(dir string) (vfs.FS, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	return vfs.Memory(vfs.MemoryOptions{}), nil
}

// work returns what mounts these files at /work, in memory.
func work(t *testing.T, files map[string][]byte) hostwasm.Mount {
	t.Helper()
	fs := vfs.Memory(vfs.MemoryOptions{})
	t.Cleanup(func() { fs.Close() })
	for name, data := range files {
		f, err := fs.Open(name, vfs.How{Write: true, Create: true, Mode: vfs.ModeKnown | 0o777})
		if err == nil {
			_, err = f.WriteAt(data, 0)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return hostwasm.Mount{FS: fs, Guest: "/work"}
}

// trying reports whether a guest's call must not wait.
func trying() bool { return page.Trying() }

// allBackends are those that can be compared: wazero's interpreter is what there is
// natively, only slow.
func allBackends() []backend {
	return append(backends, backend{"wazero", func() (engine.Engine, error) {
		return wazero.New(wazero.Config{Interpreter: true})
	}})
}

// comparedFuel is what each command may use when engines are compared, little enough
// for an interpreter that is itself wasm.
const comparedFuel = 20e6
