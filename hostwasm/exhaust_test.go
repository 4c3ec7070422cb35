package hostwasm_test

import (
	"fmt"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// Names in /tmp take memory of the host too, even those of empty files.
func TestScratchNames(t *testing.T) { everywhere(t, testScratchNames) }

func testScratchNames(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{Limits: hostwasm.Limits{Scratch: 1 << 20}})
	got := run(t, h, command("namebomb", "/tmp"))
	most := 1 << 10
	if on.worker {
		most = 256 // which each have a block on disk
	}
	if want := fmt.Sprintf("%d mkdir /tmp/%d: Quota exceeded\n", most, most); got.stdout != want || got.stderr != "" {
		t.Errorf("got %q, %q, want %q", got.stdout, got.stderr, want)
	}
}

// What a command adds to files that were handed over has an end, in bytes and in
// names.
func TestDisk(t *testing.T) { everywhere(t, testDisk) }

func testDisk(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{
		Limits: hostwasm.Limits{Disk: 1 << 20, Files: 100}, Mounts: []hostwasm.Mount{{Dir: t.TempDir(), Guest: "/work"}},
	})
	for _, test := range []struct{ bomb, want string }{
		{"filebomb", "1024 Quota exceeded\n"},
		{"namebomb", "100 mkdir /work/100: Quota exceeded\n"},
	} {
		name := "/work"
		if test.bomb == "filebomb" {
			name = "/work/file"
		}
		got := run(t, h, command(test.bomb, name))
		if got.stdout != test.want || got.stderr != "" {
			t.Errorf("%s: got %q, %q, want %q", test.bomb, got.stdout, got.stderr, test.want)
		}
	}
}

// A command and all that it starts have some of this program's descriptors, so
// that there are enough for others.
func TestOpenHostFiles(t *testing.T) { everywhere(t, testOpenHostFiles) }

func testOpenHostFiles(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{
		Limits: hostwasm.Limits{OpenFiles: 4000}, Mounts: []hostwasm.Mount{{Dir: t.TempDir(), Guest: "/work"}},
	})
	got := run(t, h, command("openbomb", "."))
	if want := "1024 File table overflow\n"; got.stdout != want || got.stderr != "" {
		t.Errorf("got %q, %q, want %q", got.stdout, got.stderr, want)
	}
}
