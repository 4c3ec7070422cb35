package hostnative_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// Commands reach what has come into their directory since the keeper of others was started, also
// where several of these still run, and the keepers of many more are just ending. The directory is
// one that is granted entry by entry: the private one is in it.
func TestNewEntries(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	h := newHost(t, confinedTo(root))
	var running []driver.Process
	for range 50 {
		dir, err := os.MkdirTemp(root, "new")
		if err != nil {
			t.Fatal(err)
		}
		p := start(t, h, line(`echo x >"$1/x" && echo done; exec sleep 1000`, dir))
		watchOutput(p).wait(t, "done")
		if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
			t.Fatal(err)
		}
		if running = append(running, p); len(running) > 3 {
			if err := running[0].Close(); err != nil {
				t.Error(err)
			}
			running = running[1:]
		}
	}
	for _, p := range running {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where too many older ones run, a command is told why it does not reach what is new.
func TestTooManyOutdated(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	h := newHost(t, confinedTo(root))
	for range 5 {
		if _, err := os.MkdirTemp(root, "new"); err != nil {
			t.Fatal(err)
		}
		p := start(t, h, line(`echo done; exec sleep 1000`))
		watchOutput(p).wait(t, "done")
		defer p.Close()
	}
	dir, err := os.MkdirTemp(root, "new")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, h, line(`echo x >"$1/x" || exit 1`, dir))
	defer p.Close()
	watchOutput(p).wait(t, "terrarium: what has come into its directories lately is out of its reach, while 4 older commands run\n")
}
