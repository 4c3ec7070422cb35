package tests

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// maxPlugin is how much of a plugin a page may have to download, in bytes: others are printed only.
var maxPlugin = map[string]int64{"box": 4_600_000}

// TestWebSize looks at what "make build" has made for pages.
func TestWebSize(t *testing.T) {
	dir := filepath.Join("..", "web", "plugins")
	file := filepath.Join(dir, "index.json")
	index, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("needs %s: run make build", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var built struct {
		Plugins []struct {
			Name string
			Size int64
		}
	}
	if err := json.Unmarshal(index, &built); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range built.Plugins {
		info, err := os.Stat(filepath.Join(dir, p.Name+".wasm.gz"))
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%s: %d bytes, metered and after gzip -9 %d", p.Name, p.Size, info.Size())
		most, bounded := maxPlugin[p.Name]
		if !bounded {
			continue
		}
		checked++
		if info.Size() > most {
			t.Errorf("%s: got %d bytes, want at most %d", p.Name, info.Size(), most)
		}
	}
	if checked != len(maxPlugin) {
		t.Errorf("got %d of the plugins that have a bound, want %d", checked, len(maxPlugin))
	}
}
