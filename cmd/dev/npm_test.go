package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNPMInstallsOnlyWhatIsStale(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("package.json", "{}")
	write("package-lock.json", "{}")
	// An npm that counts its runs, and does what "npm ci" does first.
	write("bin/npm", "#!/bin/sh\necho ran >>"+dir+"/runs\nrm -rf "+dir+"/node_modules\nmkdir "+dir+"/node_modules\n")
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))

	for _, s := range []struct {
		title  string
		change func()
		runs   int
	}{
		{"nothing installed", func() {}, 1},
		{"nothing changed", func() {}, 1},
		{"lock changed", func() { write("package-lock.json", `{"lockfileVersion":3}`) }, 2},
		{"package changed", func() { write("package.json", `{"private":true}`) }, 3},
		{"install broke off", func() { os.Remove(filepath.Join(dir, "node_modules", ".terrarium-stamp")) }, 4},
	} {
		s.change()
		var out bytes.Buffer
		if err := npmInstall(t.Context(), &out, dir); err != nil {
			t.Fatalf("%s: %v\n%s", s.title, err, &out)
		}
		log, _ := os.ReadFile(filepath.Join(dir, "runs"))
		if got := strings.Count(string(log), "ran"); got != s.runs {
			t.Fatalf("%s: got %d runs of npm, want %d", s.title, got, s.runs)
		}
	}
}

// A lock with download addresses would send everyone to the registry of whoever wrote it.
func TestLockHoldsNoAddresses(t *testing.T) {
	b, err := os.ReadFile("../../tests/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`"resolved"`, "registry", ".tgz"} {
		if bytes.Contains(b, []byte(bad)) {
			t.Errorf("tests/package-lock.json holds %s; tests/.npmrc keeps npm from writing it", bad)
		}
	}
}
