package hostnative_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A private directory that nobody has used for a month is removed by the next Host, whatever
// commands have made in it; and nothing else is.
func TestPrivateRemoved(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	private, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// use has a host run a line in a new workspace, and returns its private directory.
	use := func(script string) (dir string) {
		t.Helper()
		root := t.TempDir()
		h, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
			Level: hostnative.SandboxWorkspace, Roots: []string{root}, Private: private,
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		c := line(`echo "$TMPDIR"; `+script, outside)
		c.Cwd = root
		out, _ := run(t, h, c)
		tmp, _, _ := strings.Cut(out, "\n")
		return filepath.Dir(strings.TrimSpace(tmp))
	}
	age := func(dir string, days int) {
		t.Helper()
		at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
		if err := os.Chtimes(dir+".used", at, at); err != nil {
			t.Fatal(err)
		}
	}

	old := use(`cd "$TMPDIR"; ln -s "$1" link; ln -s "$1/kept" file; mkdir shut && touch shut/x && ln -s "$1" shut/out && chmod 0 shut
		i=0; while [ $i -lt 250 ]; do mkdir d && cd d || exit; i=$((i+1)); done; ln -s "$1" out`)
	young := use(`:`)
	age(old, 31)
	age(young, 29)
	// It looks like one of ours, but is none.
	others := filepath.Join(private, "aaaabbbbccccdddd")
	if err := os.Mkdir(others, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 { // each goes on where the one before has ended
		use(`:`)
	}
	for path, there := range map[string]bool{old: false, old + ".used": false, young: true, others: true, kept: true} {
		if _, err := os.Lstat(path); (err == nil) != there {
			t.Errorf("%s: got %v, want it there: %t", path, err, there)
		}
	}
	if gone, _ := filepath.Glob(filepath.Join(private, ".gone-*")); len(gone) > 0 {
		t.Errorf("%q are left", gone)
	}
}

// One that commands use is kept, however long ago they have begun.
func TestPrivateInUse(t *testing.T) {
	h, root := sandboxed(t, hostnative.SandboxWorkspace)
	c := interactive(line(`echo "$TMPDIR"; read x`))
	c.Cwd = root
	p := start(t, h, c)
	w := watchOutput(p)
	w.wait(t, "\n")
	tmp, _, _ := strings.Cut(w.output(), "\n")
	dir := filepath.Dir(strings.TrimSpace(tmp))
	at := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(dir+".used", at, at); err != nil {
		t.Fatal(err)
	}
	other, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Roots: []string{t.TempDir()}, Private: filepath.Dir(dir),
	}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, other, line(`exit`))
	other.Close()
	if _, err := os.Stat(tmp); err != nil {
		t.Errorf("it was removed: %v", err)
	}
}
