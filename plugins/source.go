package plugins

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// parts are what of this module's tree the build of a plugin needs.
var parts = []string{"go.mod", "go.sum", "cmd/dev", "core", "plugins"}

// checkTree returns the absolute path of a tree of this module.
func checkTree(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	b, err := readBounded(filepath.Join(dir, "go.mod"), maxRecord)
	if err != nil {
		return "", fmt.Errorf("%s is no tree of %s: %w", dir, modulePath, err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.Join(strings.Fields(line), " ") == "module "+modulePath {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s is no tree of %s: its go.mod is another module's", dir, modulePath)
}

// download returns where the go command has put the source of a release. Go has compared
// its sum with what the user's checksum database says, and here it must be that of which
// this program was built.
func download(ctx context.Context, run goRun, built Built) (dir string, err error) {
	// A module of its own, so that no go.mod further up counts.
	if err := os.WriteFile(filepath.Join(run.dir, "go.mod"), []byte("module stage\n"), 0o600); err != nil {
		return "", err
	}
	out, err := run.output(ctx, "mod", "download", "-json", built.Source)
	var got struct{ Dir, Sum, Error string }
	if json.Unmarshal([]byte(out), &got) == nil && got.Error != "" {
		return "", fmt.Errorf("download: %s", got.Error)
	}
	switch {
	case err != nil:
		return "", err
	case built.Sum != "" && got.Sum != built.Sum:
		return "", fmt.Errorf("download: %s has the sum %s, and this program was built from %s", built.Source, got.Sum, built.Sum)
	case got.Dir == "":
		return "", fmt.Errorf("download: go mod download has not said where %s is", built.Source)
	}
	return got.Dir, nil
}

// What a tree has may be of anybody: these bound what is copied of it. Ours has 1,500 files, none
// of a megabyte.
const (
	maxTreeFile  = 16 << 20 // bytes
	maxTreeFiles = 20_000
)

// copyTree copies a file or a directory of a tree, without the modules that were built in it: they
// are in plugins/dist, of which the file stays that has git keep it. What is neither a regular file
// nor a directory is an error.
func copyTree(to, from string) error {
	files := 0
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if filepath.Base(filepath.Dir(path)) == "dist" && d.Name() != ".gitkeep" {
			return nil
		}
		if files++; files > maxTreeFiles {
			return fmt.Errorf("%s: more than %d files", from, maxTreeFiles)
		}
		b, err := readBounded(path, maxTreeFile)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil { // of a file that is a part
			return err
		}
		return os.WriteFile(target, b, 0o600)
	})
}
