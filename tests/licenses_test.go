package tests

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicenses asks the command for the terms of what is in it, and holds them against what the
// linker has written into it.
func TestLicenses(t *testing.T) {
	if _, err := os.Stat(filepath.Join("..", "web", "dist", "THIRD_PARTY_LICENSES.txt")); err != nil {
		t.Skipf("%v: run make build", err)
	}
	out, err := exec.Command("terrarium", "version", "--licenses").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := exec.LookPath("terrarium")
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) == 0 {
		t.Error("the binary names no modules")
	}
	for _, m := range info.Deps {
		if line := "\n" + m.Path + " " + m.Version + " (in terrarium"; !strings.Contains(string(out), line) {
			t.Errorf("nothing of %s %s: what was built is older, run make build", m.Path, m.Version)
		}
	}
	for _, want := range []string{"mvdan.cc/sh/v3 ", "github.com/go-git/go-git/v6 ", "@xterm/xterm ", "@codemirror/view "} {
		if !strings.Contains(string(out), "\n"+want) {
			t.Errorf("nothing of %s", want)
		}
	}
}
