//go:build unix

package hostwasm_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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
	// It fails where the name is too long.
	if socket, err := net.Listen("unix", filepath.Join(inside, "socket")); err == nil {
		t.Cleanup(func() { socket.Close() })
	}
	device := filepath.Join(inside, "device")
	const zero = 1<<8 | 5
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, zero); err != nil && os.Getuid() == 0 {
		t.Fatal(err) // only root may make one
	}
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
func TestEscape(t *testing.T) { everywhere(t, testEscape) }

func testEscape(t *testing.T, on place) {
	checkLeaks(t)
	for _, readOnly := range []bool{false, true} {
		inside, dir, check := outside(t)
		before := ""
		if readOnly {
			// A listing would wait for the FIFO.
			if err := os.Remove(filepath.Join(inside, "fifo")); err != nil {
				t.Fatal(err)
			}
			before = listing(t, inside)
		}
		h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: inside, Guest: "/work", ReadOnly: readOnly}}})
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

// raceTime is how long guests race with who swaps directories for links:
// TERRARIUM_LONG=1 asks for long races.
func raceTime() string {
	if os.Getenv("TERRARIUM_LONG") != "" {
		return "10s"
	}
	return "1s"
}

// A directory that becomes a link to outside, and a directory again, while the
// guest opens what is in it, never shows what is outside: whether the host
// swaps them, or another guest.
func TestEscapeByRace(t *testing.T) { everywhere(t, testEscapeByRace) }

func testEscapeByRace(t *testing.T, on place) {
	for _, who := range []string{"host", "sibling"} {
		t.Run(who, func(t *testing.T) {
			inside, _, check := outside(t)
			d := filepath.Join(inside, "d")
			if err := os.Mkdir(d, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(d, "canary"), []byte("inside"), 0o666); err != nil {
				t.Fatal(err)
			}
			h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: inside, Guest: "/work"}}})
			run(t, h, command("exit", "0")) // compiles
			race := func() (swaps int) {
				stop, swapped := make(chan struct{}), make(chan int)
				go func() { // ends with stop, or with the guest
					if who == "host" {
						swapped <- swap(inside, stop)
						return
					}
					n, err := strconv.Atoi(strings.TrimSpace(run(t, h, command("swap", "/work", raceTime())).stdout))
					if err != nil {
						t.Error(err)
					}
					swapped <- n
				}()
				got := run(t, h, command("race", "/work/d/canary", raceTime()))
				close(stop)
				if got.stdout != "" || got.exit.Status != exitCode(0) {
					t.Errorf("got %v, %q, %q, want nothing", got.exit.Status, got.stdout, got.stderr)
				}
				return <-swapped
			}
			// On a busy machine who swaps may get no processor before a race is over.
			swaps := race()
			for late := time.Now().Add(time.Minute); swaps < 10 && time.Now().Before(late); {
				swaps += race()
			}
			if swaps < 10 {
				t.Errorf("got %d swaps, want some", swaps)
			}
			t.Logf("%d swaps", swaps)
			check()
		})
	}
}

// swap makes the directory d in inside a link to outside and a directory again
// until stop is closed. It returns how often.
func swap(inside string, stop <-chan struct{}) int {
	d, link, away := filepath.Join(inside, "d"), filepath.Join(inside, "linked"), filepath.Join(inside, "away")
	for n := 0; ; n++ {
		select {
		case <-stop:
			return n
		default:
		}
		os.Rename(d, away)
		os.Rename(link, d)
		os.Rename(d, link)
		os.Rename(away, d)
	}
}

// Nothing gets from one mount to another, least of all out of one that is to be
// read only.
func TestEscapeAcrossMounts(t *testing.T) { everywhere(t, testEscapeAcrossMounts) }

func testEscapeAcrossMounts(t *testing.T, on place) {
	top := t.TempDir()
	var mounts []hostwasm.Mount
	for _, name := range []string{"fixed", "other", "mine"} {
		dir := filepath.Join(top, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		mounts = append(mounts, hostwasm.Mount{Dir: dir, Guest: "/" + name, ReadOnly: name != "mine"})
	}
	before := listing(t, mounts[0].Dir) + listing(t, mounts[1].Dir)
	h := on.host(t, hostwasm.Config{Mounts: mounts})
	got := run(t, h, command("cross", "/fixed", "/other", "/mine"))
	if got.stdout != "" || got.exit.Status != exitCode(0) {
		t.Errorf("got %v, %q, %q, want nothing", got.exit.Status, got.stdout, got.stderr)
	}
	if got := listing(t, mounts[0].Dir) + listing(t, mounts[1].Dir); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}

// A child sees what it was handed, and what its own children are handed is no
// more than that.
func TestEscapeOfChildren(t *testing.T) { everywhere(t, testEscapeOfChildren) }

func testEscapeOfChildren(t *testing.T, on place) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "sub/note"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "sub/link")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	h := on.host(t, hostwasm.Config{Mounts: []hostwasm.Mount{{Dir: dir, Guest: "/work"}}})
	for _, test := range []struct {
		args []string
		want string
		ok   bool
	}{
		{[]string{"read", "/work/sub/note"}, "text", true},
		{[]string{"read", "note"}, "text", true},
		{[]string{"read", "/work/secret"}, "", false},
		{[]string{"read", "link"}, "", false},
		{[]string{"read", "../../work/secret"}, "", false},
		{[]string{"write", "/work/sub/note", "x"}, "", false},
		{[]string{"write", "/work/new", "x"}, "", false},
		{[]string{"write", "/tmp/new", "x"}, "", false},
		{[]string{"narrow", "/work/sub", "rw", "read", "note"}, "text", true},
		{[]string{"narrow", "/work/sub", "rw", "write", "note", "x"}, "", false},
		{[]string{"narrow", "/work", "rw", "read", "/work/secret"}, "", false},
		{[]string{"narrow", "/", "rw", "read", "/work/secret"}, "", false},
	} {
		got := run(t, h, command(append([]string{"narrow", "/work/sub", "ro"}, test.args...)...))
		if got.stdout != test.want || (got.exit.Status == exitCode(0)) != test.ok {
			t.Errorf("%q: got %v, %q, %s, want %q, ok %v", test.args, got.exit.Status, got.stdout, got.stderr, test.want, test.ok)
		}
	}
	if got := listing(t, dir); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
}
