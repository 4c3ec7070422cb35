//go:build linux || darwin

package worker_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// Where TmpDir is handed over, a session has its own /tmp and reaches none of
// the others', those of other hosts included.
func TestScratchHidden(t *testing.T) { onEachEngine(t, testScratchHidden) }

func testScratchHidden(t *testing.T, engine string) {
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := worker.Config{Engine: engine, TmpDir: tmp, Pool: -1, Mounts: []hostwasm.Mount{{Dir: tmp}, {Dir: tmp, Guest: "/again"}}}
	first, second := newHost(t, c), newHost(t, c)
	call := func(h *worker.Host, session core.SessionID, args ...string) result {
		t.Helper()
		c := command(args...)
		c.Session = session
		return run(t, h, c)
	}
	if got := call(first, "a", "write", "/tmp/note", "mine"); got.exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %s", got.exit.Status, got.stderr)
	}
	files, err := filepath.Glob(worker.ScratchDir(tmp) + "/*/tmp-*/note")
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want one file", files, err)
	}
	note := files[0]
	again := "/again" + strings.TrimPrefix(note, tmp)
	for _, h := range []*worker.Host{first, second} {
		for _, session := range []core.SessionID{"a", "b"} {
			for _, name := range []string{note, again, filepath.Dir(note) + "/new", filepath.Dir(filepath.Dir(note)) + "/lock"} {
				for _, args := range [][]string{{"read", name}, {"write", name, "x"}} {
					if got := call(h, session, args...); got.exit.Status == (core.ExitStatus{}) {
						t.Errorf("session %s: %q: got success and %q", session, args, got.stdout)
					}
				}
			}
			if got := call(h, session, "ls", tmp).stdout; strings.Contains(got, "terrarium") {
				t.Errorf("session %s: got %q, want no folder of ours in it", session, got)
			}
		}
	}
	if got := call(first, "a", "read", "/tmp/note").stdout; got != "mine" {
		t.Errorf("got %q, want mine", got)
	}
}

// Where a directory above the cache is handed over, what a guest does in it goes
// the way of the host, which makes no difference to the guest.
func TestAboveHidden(t *testing.T) { onEachEngine(t, testAboveHidden) }

func testAboveHidden(t *testing.T, engine string) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/cache", "/mine", "/mine/empty"} {
		if err := os.Mkdir(top+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"/old", "/mine/file"} {
		if err := os.WriteFile(top+name, []byte("old"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t, worker.Config{Engine: engine, Pool: -1, CacheDir: top + "/cache", Mounts: []hostwasm.Mount{
		{Dir: top}, {Dir: top, Guest: "/ro", ReadOnly: true},
	}})
	for _, test := range []struct{ args, want string }{
		{"read TOP/old", "old"},
		{"write TOP/new text", ""},
		{"read /ro/new", "text"},
		{"create TOP/mine/made 640", ""},
		{"mode TOP/mine/made", "740 true\n"},
		{"chmod TOP/new 604", ""},
		{"mode TOP/new", "604 true\n"},
		{"touch TOP/new", ""},
		{"symlink new TOP/link", ""},
		{"lutimes TOP/link", ""},
		{"read TOP/link", "text"},
		{"arrange TOP", ""},
		{"ls TOP", "link\nmine\nnew\nold\n"},
		{"dig TOP/cache TOP/mine", ""},
	} {
		c := command(strings.Fields(strings.ReplaceAll(test.args, "TOP", top))...)
		if got := run(t, h, c); got.stdout != test.want || got.exit.Status != (core.ExitStatus{}) {
			t.Errorf("%s: got %q, %q, %v, want %q", test.args, got.stdout, got.stderr, got.exit.Status, test.want)
		}
	}
	for args, want := range map[string]string{
		"write /ro/new x": "Read-only", "chmod /ro/new 600": "Read-only", "read TOP/none": "No such file",
		"create TOP/new 600": "File exists", "write TOP/cache/key x": "not permitted", "write TOP/mine x": "Is a directory",
	} {
		c := command(strings.Fields(strings.ReplaceAll(args, "TOP", top))...)
		if got := run(t, h, c); !strings.Contains(strings.ToLower(got.stderr), strings.ToLower(want)) {
			t.Errorf("%s: got %q, want %q", args, got.stderr, want)
		}
	}
}

// What is hidden can't be handed over, at once or by a session.
func TestHiddenRefused(t *testing.T) {
	own := t.TempDir()
	h := newHost(t, worker.Config{Pool: -1, Hidden: []string{own}})
	cache := t.TempDir() + "/cache"
	for _, dir := range []string{own, cache, cache + "/entry"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := worker.New(worker.Config{
			Commands: commands(), CacheDir: cache, TmpDir: t.TempDir(), Pool: -1, Hidden: []string{own},
			Mounts: []hostwasm.Mount{{Dir: dir}},
		})
		if err == nil || !strings.Contains(err.Error(), "not for guests") {
			t.Errorf("%s: got %v, want a refusal", dir, err)
		}
	}
	for _, root := range []string{own, cacheDir} {
		c := command("exit", "0")
		c.Roots = []string{root}
		_, err := h.Start(context.Background(), core.Exec{Command: c, Path: "/bin/guest", Argv: []string{"guest", "exit", "0"}})
		if err == nil || !strings.Contains(err.Error(), "not for guests") {
			t.Errorf("%s: got %v, want a refusal", root, err)
		}
	}
}
