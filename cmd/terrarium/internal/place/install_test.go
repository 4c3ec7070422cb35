package place_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

// program writes something to copy, and returns what is in it.
func program(t *testing.T) (name string, text []byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "program")
	text = bytes.Repeat([]byte("#!/bin/sh\necho \xff\x00\r\n"), 50_000)
	if err := os.WriteFile(name, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return name, text
}

// cacheFor has places that run here keep copies in a folder of the test, whose name no shell likes.
func cacheFor(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's  a $cache")
	t.Setenv("XDG_CACHE_HOME", dir)
	return dir
}

func parse(t *testing.T, name string) *place.Place {
	t.Helper()
	p, err := place.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestInstall(t *testing.T) {
	// ssh has a shell put the words together again.
	standIn(t, "ssh", `shift 3; echo "Welcome to this box"; exec sh -c "$*"`)
	for _, name := range []string{"exec:env", "ssh:box"} {
		t.Run(name, func(t *testing.T) {
			dir := cacheFor(t)
			from, text := program(t)
			p := parse(t, name)
			last := int64(0)
			copies := 0
			progress := func(sent, all int64) {
				if last = sent; sent == all {
					copies++
				}
			}
			path, err := p.Install(t.Context(), from, progress)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, text) || last != int64(len(text)) {
				t.Fatalf("got %d bytes in %s and %v, of which %d were told, want %d", len(got), path, err, last, len(text))
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("got mode %v and %v, want 0755", info.Mode(), err)
			}
			if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("got mode %v and %v for its folder, want one that is for its user", info.Mode(), err)
			}
			if found, _ := os.ReadDir(filepath.Join(dir, "terrarium", "bin")); len(found) != 1 {
				t.Errorf("got %v, want the copy alone", found)
			}
			before := copies
			again, err := p.Install(t.Context(), from, progress)
			if again != path || err != nil || copies != before {
				t.Errorf("got %s and %v, copied %d times, want %s and no other copy", again, err, copies-before, path)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	none := func(sent, all int64) {}
	for _, test := range []struct{ name, stands, script, want string }{
		{"another system", "uname", "echo Plan9", "it is Plan9 on Plan9, and this program is for "},
		{"other bytes", "cat", "head -c 100; exec >/dev/null; /bin/cat", "the copy of terrarium that arrived is another one: differs "},
		{"full", "cat", "/bin/cat >/dev/null; echo 'cat: write error: No space left on device' >&2; exit 1",
			"terrarium can't be copied there: cat: write error: No space left on device"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := cacheFor(t)
			from, _ := program(t)
			standIn(t, test.stands, test.script)
			_, err := parse(t, "exec:env").Install(t.Context(), from, none)
			if err == nil || !strings.Contains(err.Error(), "exec:env: "+test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if found, err := os.ReadDir(filepath.Join(dir, "terrarium", "bin")); len(found) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v and %v, want nothing left", found, err)
			}
		})
	}
	for name, want := range map[string]string{
		"exit 1":                           "terrarium can't be copied there: ssh has ended without a word, with exit status 1",
		"echo terrarium-place a b c d":     "terrarium can't be copied there: its shell answers something else",
		"echo 'sh: not found' >&2; exit 1": "terrarium can't be copied there, since there is no sh in its PATH: put a terrarium or a shell there",
		"yes":                              "terrarium can't be copied there: its shell does not answer",
	} {
		standIn(t, "ssh", name)
		from, _ := program(t)
		if _, err := parse(t, "ssh:box").Install(t.Context(), from, none); err == nil || err.Error() != "ssh:box: "+want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	standIn(t, "docker", `echo 'OCI runtime exec failed: exec: "sh": executable file not found in $PATH: unknown' >&2; exit 127`)
	from, _ := program(t)
	const want = "docker:web: terrarium can't be copied there, since there is no sh in its PATH: put a terrarium or a shell there"
	if _, err := parse(t, "docker:web").Install(t.Context(), from, none); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	standIn(t, "podman", `shift 3; case $3 in *"cat >"*) `+loses+`echo "mkdir: can't create directory '/root': Read-only file system" >&2; exit 1;; esac; exec "$@"`)
	cacheFor(t)
	const readOnly = "podman:web: terrarium can't be copied there: mkdir: can't create directory '/root': Read-only file system"
	if _, err := parse(t, "podman:web").Install(t.Context(), from, none); err == nil || err.Error() != readOnly {
		t.Errorf("got %v, want %s", err, readOnly)
	}
}

// Who gives up waits for no program.
func TestInstallGivenUp(t *testing.T) {
	standIn(t, "ssh", "exec sleep 1000")
	from, _ := program(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := parse(t, "ssh:box").Install(ctx, from, func(sent, all int64) {})
	if err == nil || !strings.Contains(err.Error(), "was given up") {
		t.Errorf("got %v", err)
	}
}

// A copy is not looked for, nor put, where somebody else may put another in its place.
func TestForeignFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives a folder to somebody else")
	}
	from, _ := program(t)
	folder := filepath.Join(cacheFor(t), "terrarium", "bin")
	p := parse(t, "exec:env")
	none := func(sent, all int64) {}
	path, err := p.Install(t.Context(), from, none)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(folder, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	const want = "belongs to somebody else"
	if _, err := p.Install(t.Context(), from, none); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want that the folder %s", err, want)
	}
	if err := errors.Join(os.Chown(folder, 0, 0), os.Chown(path, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Install(t.Context(), from, none); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("got a copy that is somebody else's still (%v)", err)
	}
}
