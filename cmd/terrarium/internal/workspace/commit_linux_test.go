package workspace

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that is put into its place, and can't be removed where it was kept, is taken away again
// with the others, and what was there is put back.
func TestPutAndNotRemoved(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // whom permissions do not hold
		runtime.LockOSThread() // which ends with this goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Skip("NOT RUN: ", err)
		}
		defer unix.Setfsuid(0)
	}
	const old, fresh = "what was there", "new"
	if err := root.WriteFile("a", []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	entry := func(text string) Entry {
		return Entry{Kind: File, Size: int64(len(text)), Sum: sha256.Sum256([]byte(text))}
	}
	in := &Incoming{root: root, stage: stagePrefix + "x", most: MaxBytes}
	if err := root.MkdirAll(path.Join(in.stage, stageNew), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{{"a", entry(old), entry(fresh)}, {"b", Entry{}, entry(fresh)}} {
		if err := in.take(c, new(tar.Header), bytes.NewReader([]byte(fresh))); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.Chmod(path.Join(in.stage, stageNew), 0o500); err != nil {
		t.Fatal(err)
	}
	err = in.Commit()
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "not all could be put back") {
		t.Errorf("got %v, want that it is not permitted, and all is put back", err)
	}
	if text, err := root.ReadFile("a"); err != nil || string(text) != old {
		t.Errorf("got %q and %v, want %q", text, err, old)
	}
	if _, err := root.Lstat("b"); err == nil {
		t.Error("b is there")
	}
	if err := errors.Join(root.Chmod(path.Join(in.stage, stageNew), 0o700), in.Close()); err != nil {
		t.Error(err)
	}
	if names, err := fs.ReadDir(root.FS(), "."); err != nil || len(names) != 1 {
		t.Errorf("got %v and %v, want a alone", names, err)
	}
}
