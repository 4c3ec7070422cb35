package tests

import (
	"os"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// canMount reports whether we may make file systems: root may, where the system lets it.
func canMount() bool {
	dir, err := os.MkdirTemp("", "disk")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k") != nil {
		return false
	}
	syscall.Unmount(dir, 0)
	return true
}

// mountDisk is a verb: it makes DIR a disk of its own with room for SIZE, which goes with the
// script.
func mountDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: disk SIZE DIR")
	}
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+args[0]))
	ts.Defer(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}
