package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// eachSource calls visit with each file below dir whose name is wanted, and with what it holds. It
// leaves out what the go command leaves out, folders of dependencies and names with a leading dot,
// and folders that are built (dist).
func eachSource(dir string, wanted func(name string) bool, visit func(path string, src []byte) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != dir && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(name) {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(path, src)
	})
}
