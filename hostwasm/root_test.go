package hostwasm_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestRoot: a session's directories may be those of a file system that is not the
// machine's, and commands see no others of it.
func TestRoot(t *testing.T) { onEachEngine(t, testRoot) }

func testRoot(t *testing.T, on backend) {
	files := vfs.New(vfs.Config{})
	defer files.Close()
	if err := files.Mount("/", vfs.Memory(vfs.MemoryOptions{})); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/a", "/a/sub", "/b"} {
		if err := files.Mkdir(vfs.Path{Dir: "/", Name: dir}, 0); err != nil {
			t.Fatal(err)
		}
	}
	missing := errors.New("it is not there")
	h := newHost(t, on, hostwasm.Config{
		Commands: map[string]*hostwasm.Module{
			"exit": hostwasm.NewModule("exit", exits("proc_exit", "(i32)->()", I32(0))),
		},
		Root: func(dir string) (vfs.FS, error) {
			if dir == "/missing" {
				return nil, missing
			}
			return vfs.Sub(files, dir), nil
		},
	})
	for _, c := range []struct {
		cwd   string
		roots []string
		ok    bool
	}{
		{"/a/sub", []string{"/a"}, true},
		{"/b", []string{"/a", "/b"}, true},
		{"/b", []string{"/a"}, false},
		{"/b", []string{"/"}, true},
		{"/tmp", []string{"/"}, true},
	} {
		_, err := h.Resolve(t.Context(), core.Command{Command: "exit", Cwd: c.cwd, Roots: c.roots})
		if (err == nil) != c.ok {
			t.Errorf("%s in %q: got %v, want ok %v", c.cwd, c.roots, err, c.ok)
		}
	}
	if _, err := h.Resolve(t.Context(), core.Command{Command: "exit", Roots: []string{"/missing"}}); !errors.Is(err, missing) {
		t.Errorf("got %v, want %v", err, missing)
	}
}

// TestRootDirectory: a session that hands over the machine's root directory would hand over all.
func TestRootDirectory(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a page has no machine's root directory: what it hands over, Config.Root makes")
	}
	everything := filepath.Join(t.TempDir(), "everything")
	if err := os.Symlink("/", everything); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	h := newHost(t, backends[0], hostwasm.Config{
		Commands: map[string]*hostwasm.Module{"exit": hostwasm.NewModule("exit", exits("proc_exit", "(i32)->()", I32(0)))},
	})
	for _, dir := range []string{"/", "/..", everything} {
		_, err := h.Resolve(t.Context(), core.Command{Command: "exit", Roots: []string{t.TempDir(), dir}})
		if invalid, ok := errors.AsType[*core.InvalidError](err); !ok || invalid.Reason != "root_directory" {
			t.Errorf("%s: got %v, want it refused", dir, err)
		}
	}
}
