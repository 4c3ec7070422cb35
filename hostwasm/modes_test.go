package hostwasm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// TestModes reads and sets the permissions of a directory of the host, of /tmp
// and of what is read-only.
func TestModes(t *testing.T) { everywhere(t, testModes) }

func testModes(t *testing.T, on place) {
	dir, fixed, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, d := range []string{dir, fixed, outside} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{"plain": 0o644, "script": 0o751, "closed": 0o200} {
			file := filepath.Join(d, name)
			if err := os.WriteFile(file, nil, mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for from, to := range map[string]string{"inner": "plain", "outer": outside + "/plain", "outerdir": outside, "up": "../plain"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{
		{Dir: dir, Guest: "/w"}, {Dir: fixed, Guest: "/fixed", ReadOnly: true},
	}})
	const ok, failed = 0, 101
	for _, c := range []struct {
		command, stdout string
		status          uint32
	}{
		{"mode script", "751 true\n", ok},
		{"mode /fixed/script", "751 true\n", ok},
		{"mode /bin/guest", "755 true\n", ok},
		{"mode /dev/null", "666 true\n", ok},
		{"mode /tmp", "1777 true\n", ok},
		{"chmod plain 7755", "", ok},
		{"mode plain", "755 true\n", ok},
		{"chmod closed 0", "", ok}, // which nobody can open
		{"mode closed", "0 true\n", ok},
		{"chmod inner 711", "", ok},
		{"mode plain", "711 true\n", ok},
		{"chmod . 750", "", ok},
		{"mode /w", "750 true\n", ok},
		{"create new 600", "", ok},
		{"mode new", "700 true\n", ok},
		{"create open 666", "", ok}, // more than our umask allows
		{"mode open", "766 true\n", ok},
		{"create /tmp/new 640", "", ok},
		{"chmod /tmp/new 444", "", ok},
		{"mode /tmp/new", "444 true\n", ok},
		{"chmod /fixed/plain 755", "", failed},
		{"chmod /fixed 777", "", failed},
		{"chmod /bin/guest 777", "", failed},
		{"chmod /dev/null 777", "", failed},
		{"chmod / 777", "", failed},
		{"chmod outer 777", "", failed},
		{"chmod outerdir/plain 777", "", failed},
		{"chmod outerdir 777", "", failed},
		{"chmod up 777", "", failed},
		{"chmod none 777", "", failed},
	} {
		var name, file string
		mode := ""
		fmt.Sscan(c.command, &name, &file, &mode)
		args := []string{name, file}
		if mode != "" {
			args = append(args, mode)
		}
		got := run(t, h, command(args...))
		if got.stdout != c.stdout || got.exit.Status != exitCode(c.status) {
			t.Errorf("%s: got %q, %v (%s), want %q, %d", c.command, got.stdout, got.exit.Status, got.stderr, c.stdout, c.status)
		}
	}
	for file, want := range map[string]os.FileMode{
		dir + "/plain": 0o711, dir + "/closed": 0, dir + "/new": 0o700, dir + "/open": 0o766,
		fixed + "/plain": 0o644, fixed: 0o755, outside + "/plain": 0o644, outside: 0o755,
	} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode() & (os.ModePerm | os.ModeSetuid | os.ModeSetgid | os.ModeSticky); got != want {
			t.Errorf("%s: got mode %v, want %v", file, got, want)
		}
	}
}

// TestTimes sets times by name, of what can't be opened too.
func TestTimes(t *testing.T) { everywhere(t, testTimes) }

func testTimes(t *testing.T, on place) {
	dir, fixed, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, d := range []string{dir, fixed, outside} {
		for name, mode := range map[string]os.FileMode{"plain": 0o644, "closed": 0o200} {
			if err := os.WriteFile(filepath.Join(d, name), nil, mode); err != nil {
				t.Fatal(err)
			}
		}
		for from, to := range map[string]string{"link": "plain", "outer": outside + "/plain", "nowhere": "none", "outerdir": outside} {
			if err := os.Symlink(to, filepath.Join(d, from)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(d, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{
		{Dir: dir, Guest: "/w"}, {Dir: fixed, Guest: "/fixed", ReadOnly: true},
	}})
	const ok, failed = 0, 101
	for _, c := range []struct {
		name, file string
		status     uint32
	}{
		{"lutimes", "/w/link", ok},
		{"lutimes", "/w/nowhere", ok},
		{"lutimes", "/w/outer", ok},
		{"lutimes", "/w/sub", ok},
		{"lutimes", "/w/closed", ok},
		{"symlink", "/tmp/none /tmp/link", ok},
		{"lutimes", "/tmp/link", ok},
		{"touch", "/w/closed", ok},
		{"touch", "/w/outer", failed},
		{"touch", "/w/nowhere", failed},
		{"lutimes", "/w/none", failed},
		{"lutimes", "/w/outerdir/plain", failed},
		{"lutimes", "/fixed/link", failed},
		{"lutimes", "/fixed/closed", failed},
		{"lutimes", "/dev/null", failed},
	} {
		got := run(t, h, command(append([]string{c.name}, strings.Fields(c.file)...)...))
		if got.exit.Status != exitCode(c.status) {
			t.Errorf("%s %s: got %v (%s), want %d", c.name, c.file, got.exit.Status, got.stderr, c.status)
		}
	}
	for file, want := range map[string]bool{
		dir + "/link": true, dir + "/nowhere": true, dir + "/outer": true, dir + "/sub": true, dir + "/closed": true,
		dir + "/plain": false, dir + "/outerdir": false, fixed + "/link": false, fixed + "/closed": false, outside + "/plain": false,
	} {
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime().Equal(time.Unix(2, 0)); got != want {
			t.Errorf("%s: got time %v, want that it was set: %v", file, info.ModTime(), want)
		}
	}
}

// TestNotExecutable starts a module that nobody may run.
func TestNotExecutable(t *testing.T) { everywhere(t, testNotExecutable) }

func testNotExecutable(t *testing.T, on place) {
	dir := t.TempDir()
	wasm, err := shout.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"may": 0o755, "not": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), wasm, mode); err != nil {
			t.Fatal(err)
		}
	}
	h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: dir, Guest: "/w"}}})
	if _, err := h.Resolve(t.Context(), core.Command{Command: "./may", Args: []string{"x"}}); err != nil {
		t.Errorf("may: got %v", err)
	}
	if _, err := h.Resolve(t.Context(), core.Command{Command: "./not", Args: []string{"x"}}); err == nil || err.Error() != "./not: permission denied" {
		t.Errorf("not: got %v, want permission denied", err)
	}
}
