package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUnformatted(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.go":             "package p\n",
		"bad.go":              "package  p\n",
		"node_modules/dep.go": "package  p\n",
		".cache/tool.go":      "package  p\n",
		"readme.txt":          "package  p\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := unformatted(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || filepath.Base(got[0].path) != "bad.go" || string(got[0].formatted) != "package p\n" {
		t.Errorf("got %q, want only bad.go, as gofmt writes it", got)
	}
}
