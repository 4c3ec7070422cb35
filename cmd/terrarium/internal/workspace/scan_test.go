package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Files with holes take no room on a disk, and all the time in the world to be read.
func TestScanBytesBounded(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := root.Create("holes")
	if err := errors.Join(err, f.Truncate(MaxBytes/2), f.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := root.Lstat("holes")
	if err != nil {
		t.Fatal(err)
	}
	s := &scanner{root: root, scan: Scan{Listing: make(Listing)}, bytes: MaxBytes/2 + 1}
	if err := s.add("holes", info, ""); err == nil || !strings.HasPrefix(err.Error(), "holes: more than 16 GiB of files") {
		t.Errorf("got %v, want that it is too much", err)
	}
}
