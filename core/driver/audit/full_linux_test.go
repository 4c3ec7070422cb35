package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A full disk loses events, and the record says how many.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8k"); err != nil {
		t.Skip("no file system of a few pages: ", err)
	}
	defer syscall.Unmount(dir, 0)
	name := filepath.Join(dir, "F")
	l, err := Open(name, LogConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	failed, i := 0, 0
	for ; failed < 3; i++ {
		switch err := l.Append(example(i)); {
		case errors.Is(err, syscall.ENOSPC):
			failed++
		case err != nil || failed > 0 || i > 1000:
			t.Fatalf("event %d: got %v after %d failures", i, err, failed)
		}
	}
	if s, err := verifyFiles(name, ""); err != nil || s.Lines != int64(i-failed) {
		t.Errorf("full: got %+v, %v, want %d lines", s, err, i-failed)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64k"); err != nil {
		t.Fatal(err)
	}
	add(t, l, 2)
	if s, err := verifyFiles(name, ""); err != nil || s.Lines != int64(i-failed+3) {
		t.Errorf("with room again: got %+v, %v, want %d lines", s, err, i-failed+3)
	}
	p, _ := os.ReadFile(name)
	if want := "3 events were not written: audit: write " + name + ": no space left on device"; !bytes.Contains(p, []byte(want)) {
		t.Errorf("the record does not have %q", want)
	}
}
