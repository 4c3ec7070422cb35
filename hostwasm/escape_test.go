//go:build unix

package hostwasm_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// outside makes a directory to hand over, and one beside it that nothing may
// happen to: check says whether anything did.
func outside(t *testing.T) (inside, dir string, check func()) {
	t.Helper()
	top := t.TempDir()
	inside, dir = filepath.Join(top, "inside"), filepath.Join(top, "outside")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "dir"), 0o777))
	must(os.MkdirAll(filepath.Join(inside, "sub"), 0o777))
	must(os.WriteFile(filepath.Join(dir, "canary"), []byte("canary"), 0o666))
	must(os.WriteFile(filepath.Join(inside, "file"), []byte("inside"), 0o666))
	for name, target := range map[string]string{
		"linked": "../outside", "absolute": dir, "chained": "sub/linked", "sub/linked": "../../outside",
		"loop": "loop", "dangling": "nowhere",
	} {
		must(os.Symlink(target, filepath.Join(inside, name)))
	}
	must(syscall.Mkfifo(filepath.Join(inside, "fifo"), 0o666))
	before := listing(t, dir)
	return inside, dir, func() {
		t.Helper()
		if got := listing(t, dir); got != before {
			t.Errorf("outside: got %s, want %s", got, before)
		}
	}
}

// listing tells all that is below dir, with what files have.
func listing(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all += name[len(dir):] + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			all += " " + string(b)
		}
		all += "; "
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever names, links and operations a guest tries, nothing outside of what
// was handed over is read or changed; and what is to be read only stays as it is.
func TestEscape(t *testing.T) { onEachEngine(t, testEscape) }

func testEscape(t *testing.T, on backend) {
	checkLeaks(t)
	for _, readOnly := range []bool{false, true} {
		inside, dir, check := outside(t)
		before := ""
		if readOnly {
			if err := os.Remove(filepath.Join(inside, "fifo")); err != nil { // a listing would wait for it
				t.Fatal(err)
			}
			before = listing(t, inside)
		}
		h := newHost(t, on, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: inside, Guest: "/work", ReadOnly: readOnly}}})
		got := run(t, h, command("attack", dir))
		if got.stdout != "" || got.stderr != "" || got.exit.Status != exitCode(0) {
			t.Errorf("read only %v: got %v, %q, %q, want nothing", readOnly, got.exit.Status, got.stdout, got.stderr)
		}
		check()
		if _, err := os.Readlink(filepath.Join(inside, "mine0")); (err == nil) == readOnly {
			t.Errorf("read only %v: got %v for a link of the guest's own", readOnly, err)
		}
		if readOnly {
			if got := listing(t, inside); got != before {
				t.Errorf("read only: got %s, want %s", got, before)
			}
		}
	}
}

// A directory that becomes a link to outside, and a directory again, while the
// guest opens what is in it, never shows what is outside.
func TestEscapeByRace(t *testing.T) { onEachEngine(t, testEscapeByRace) }

func testEscapeByRace(t *testing.T, on backend) {
	inside, _, check := outside(t)
	d, link := filepath.Join(inside, "d"), filepath.Join(inside, "linked")
	if err := os.Mkdir(d, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d, "canary"), []byte("inside"), 0o666); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, on, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: inside, Guest: "/work"}}})
	stop, swapped := make(chan struct{}), make(chan int)
	go func() { // ends with stop
		away := filepath.Join(inside, "away")
		for n := 0; ; n++ {
			select {
			case <-stop:
				swapped <- n
				return
			default:
			}
			os.Rename(d, away)
			os.Rename(link, d)
			os.Rename(d, link)
			os.Rename(away, d)
		}
	}()
	got := run(t, h, command("race", "/work/d/canary"))
	close(stop)
	if n := <-swapped; n < 10 {
		t.Errorf("got %d swaps, want some", n)
	}
	if got.stdout != "" || got.exit.Status != exitCode(0) {
		t.Errorf("got %v, %q, %q, want nothing", got.exit.Status, got.stdout, got.stderr)
	}
	check()
}
