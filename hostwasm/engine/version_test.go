package engine

import (
	"runtime/debug"
	"testing"
)

// What a module was replaced by is part of its version.
func TestLinkedVersion(t *testing.T) {
	modules := []*debug.Module{
		{Path: "example.com/enginex", Version: "v9.0.0"},
		{Path: "example.com/engine", Version: "v1.0.0"},
		{Path: "example.com/other/v39", Version: "v39.0.1", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.2.3", Sum: "h1:x"}},
		{Path: "example.com/local", Version: "v1.0.0", Replace: &debug.Module{Path: "../engine"}},
	}
	for path, want := range map[string]string{
		"example.com/engine": "example.com/engine@v1.0.0",
		"example.com/other":  "example.com/other/v39@v39.0.1 => example.com/fork@v1.2.3 h1:x",
		"example.com/local":  "example.com/local@v1.0.0 => ../engine@ ",
		"example.com/none":   "",
	} {
		if got := versionAmong(modules, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got, want := LinkedVersion("example.com/none", "v7"), "example.com/none@v7 untold"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
