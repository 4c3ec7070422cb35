//go:build unix

package hostwasm_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// newHome makes a directory to hand over, and one below it that has a key, which
// is not.
func newHome(t *testing.T) (home, own string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own = filepath.Join(home, "data", "own", "plugins")
	for _, dir := range []string{filepath.Join(own, "sub"), filepath.Join(home, "mine", "empty")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(own, "key"), filepath.Join(home, "mine", "file")} {
		if err := os.WriteFile(file, []byte("secret"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return home, own
}

// No command reaches what is hidden, nor the cache, in whatever directory that
// is handed over they are.
func TestHidden(t *testing.T) { everywhere(t, testHidden) }

func testHidden(t *testing.T, on place) {
	checkLeaks(t)
	home, own := newHome(t)
	caches, err := filepath.EvalSymlinks(filepath.Dir(cacheDir))
	if err != nil {
		t.Fatal(err)
	}
	c := hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: home}, {Dir: caches}}, Hidden: []string{own, filepath.Join(home, "none")}}
	h := on.host(t, c)
	before := listing(t, own)
	mine := filepath.Join(home, "mine")
	for _, dir := range []string{own, filepath.Join(caches, filepath.Base(on.cacheDir()))} {
		got := run(t, h, command("dig", dir, mine))
		if got.stdout != "" || got.stderr != "" || got.exit.Status != exitCode(0) {
			t.Errorf("%s: got %v, %q, %q, want nothing", dir, got.exit.Status, got.stdout, got.stderr)
		}
		for _, link := range []string{"link", "above"} {
			if err := os.Remove(filepath.Join(mine, link)); err != nil {
				t.Error(err)
			}
		}
	}
	if got := listing(t, own); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}

// What is hidden is not handed over by itself, nor what is in it.
func TestHiddenRefused(t *testing.T) { everywhere(t, testHiddenRefused) }

func testHiddenRefused(t *testing.T, on place) {
	home, own := newHome(t)
	h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: home}}, Hidden: []string{own}})
	for _, root := range []string{own, filepath.Join(own, "sub"), on.cacheDir()} {
		c := command("exit", "0")
		c.Roots = []string{root}
		_, err := h.Resolve(context.Background(), c)
		if err == nil {
			_, err = h.Start(context.Background(), core.Exec{Command: c, Path: "/bin/guest", Argv: []string{"guest", "exit", "0"}})
		}
		if err == nil || !strings.Contains(err.Error(), "not for guests") {
			t.Errorf("%s: got %v, want a refusal", root, err)
		}
	}
	if on.worker {
		return // Config.Mounts is for each of its hosts, as here
	}
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = hostwasm.New(hostwasm.Config{Engine: e, Hidden: []string{own}, Mounts: []hostwasm.Mount{{Dir: filepath.Join(own, "sub")}}})
	if want := "inside " + own + ", which is terrarium's own and not for guests"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What is our own may be handed over to be read, at one place, and is as hidden as
// before at its own.
func TestHiddenOwn(t *testing.T) { everywhere(t, testHiddenOwn) }

func testHiddenOwn(t *testing.T, on place) {
	home, own := newHome(t)
	library := filepath.Join(own, "sub")
	if err := os.WriteFile(filepath.Join(library, "file"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := hostwasm.Config{Hidden: []string{own}, Mounts: []hostwasm.Mount{
		{Dir: library, Guest: "/lib", ReadOnly: true, Own: true}, {Dir: home},
	}}
	h := on.host(t, c)
	before := listing(t, own)
	if got := run(t, h, command("read", "/lib/file")); got.stdout != "text" {
		t.Errorf("read: got %q, %q, want the text", got.stdout, got.stderr)
	}
	if got := run(t, h, command("pwd")); strings.TrimSpace(got.stdout) != home {
		t.Errorf("pwd: got %q, want %s", got.stdout, home)
	}
	for _, args := range [][]string{
		{"write", "/lib/file", "other"}, {"write", "/lib/more", "other"}, {"read", "/lib/../key"}, {"read", "/lib/../../key"},
		{"read", filepath.Join(library, "file")}, {"write", filepath.Join(library, "file"), "other"},
	} {
		if got := run(t, h, command(args...)); got.exit.Status == exitCode(0) {
			t.Errorf("%q: got %q, want a failure", args, got.stdout)
		}
	}
	if got := run(t, h, command("dig", own, filepath.Join(home, "mine"))); got.stdout != "" || got.exit.Status != exitCode(0) {
		t.Errorf("dig: got %v, %q, %q, want nothing", got.exit.Status, got.stdout, got.stderr)
	}
	if got := listing(t, own); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
	if on.worker {
		return // Config.Mounts is for each of its hosts, as here
	}
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = hostwasm.New(hostwasm.Config{Engine: e, Hidden: []string{own}, Mounts: []hostwasm.Mount{{Dir: library, Own: true}}})
	if err == nil || !strings.Contains(err.Error(), "as a ReadOnly directory only") {
		t.Errorf("to be written: got %v, want a refusal", err)
	}
}
