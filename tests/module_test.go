package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const modulePath = "github.com/terrarium-dev/terrarium"

// watchModule makes "go test" run the test again when a file of the module changes. It keeps the
// result of a test until a file changes that the test itself read; what a go command reads for it
// does not count.
func watchModule(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"core", "hostnative", "hostwasm", "plugins", "cmd", "web"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist") {
				return fs.SkipDir
			}
			return err // reading a folder has noted the size and time of each file in it
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if _, err := os.ReadFile("../go.mod"); err != nil {
		t.Fatal(err)
	}
}
