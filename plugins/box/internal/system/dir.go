package system

import (
	"os"
	"path"
	"path/filepath"
)

// sameDir reports whether p is an absolute name of dir.
func sameDir(p, dir string) bool {
	if !path.IsAbs(p) {
		return false
	}
	a, err := os.Stat(p)
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// realDir returns dir without symbolic links.
func realDir(dir string) (string, error) { return filepath.EvalSymlinks(dir) }
