package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// createWritten makes the file called name, which shows what commands read and write: nobody but
// its owner may read it. kind is what it is, for errors. What was in it is lost.
func createWritten(kind, name string) (*os.File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if filepath.Dir(filepath.Clean(name)) != "/dev" { // where /dev/stderr is a link
		// A command that was handed the directory may have left a link there to
		// a file that it can't write to. Without this we would write to that.
		flags |= openNoFollow
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s: %s: a symbolic link: name the file that it leads to", kind, name)
		}
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	// A file that was there keeps its mode otherwise. What is not a file of
	// ours (a terminal, /dev/null) has no secrets in it, so errors don't count.
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		f.Chmod(0o600)
	}
	return f, nil
}
