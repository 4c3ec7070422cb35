//go:build linux || darwin

package hostnative_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// directories makes dir/cwd and dir/other, in each a file "name" that says
// which one it is.
func directories(t *testing.T) (dir, cwd, other string) {
	t.Helper()
	dir = t.TempDir()
	cwd, other = filepath.Join(dir, "cwd"), filepath.Join(dir, "other")
	for _, d := range []string{cwd, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, "name"), []byte(filepath.Base(d)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, cwd, other
}

// The directory that was resolved, and maybe approved, is the one that the
// command starts in, or else it does not start.
func TestCwdReplaced(t *testing.T) {
	for _, test := range []struct {
		name    string
		replace func(cwd, other, aside string) error // between Resolve and Start
		same    bool
	}{
		{"by another", func(cwd, other, aside string) error {
			return errors.Join(os.Rename(cwd, aside), os.Rename(other, cwd))
		}, false},
		{"by a link", func(cwd, other, aside string) error {
			return errors.Join(os.Rename(cwd, aside), os.Symlink(other, cwd))
		}, false},
		{"by a link to itself", func(cwd, _, aside string) error {
			return errors.Join(os.Rename(cwd, aside), os.Symlink(aside, cwd))
		}, true},
		{"and put back", func(cwd, other, aside string) error {
			return errors.Join(os.Rename(cwd, aside), os.Rename(other, cwd), os.Rename(cwd, other), os.Rename(aside, cwd))
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, cwd, other := directories(t)
			h := newHost(t, hostnative.Config{})
			e, err := h.Resolve(context.Background(), core.Command{Command: "cat", Args: []string{"name"}, Cwd: cwd})
			if err != nil {
				t.Fatal(err)
			}
			if err := test.replace(cwd, other, filepath.Join(dir, "aside")); err != nil {
				t.Fatal(err)
			}
			p, err := h.Start(context.Background(), e)
			if !test.same {
				wantRefusal(t, err, cwd+": no longer the directory that it was (cwd)", "not_found", fs.ErrNotExist)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := outputOf(t, p); got != "cwd" {
				t.Errorf("started in %q, want %q", got, "cwd")
			}
		})
	}
}

// outputOf runs p to its end.
func outputOf(t *testing.T, p driver.Process) string {
	t.Helper()
	defer p.Close()
	var out []byte
	if err := p.Output(func(_ uint8, b []byte) { out = append(out, b...) }); err != nil {
		t.Error(err)
	}
	return string(out)
}
