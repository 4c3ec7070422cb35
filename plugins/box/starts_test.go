package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStarts has commands that no shell has started start others, which they find as a shell does:
// a path is that file, whatever the box calls so, and what is first in PATH comes first. Scripts
// that are run by themselves end.
func TestStarts(t *testing.T) {
	box, err := patchedBox()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"test": "#!/bin/bash\necho mine $*\n", "ls": "echo mine $*\n",
		"self": "#!" + filepath.Join(dir, "self") + "\n", "byenv": "#!/usr/bin/env byenv\n", "other/bash": ":\n",
	} {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const endless = "Too many levels of symbolic links\n"
	for _, test := range []struct{ line, path, want string }{
		{"timeout 60 ./test a", "/bin", "mine a\n"},
		{"env ./test a", "/bin", "mine a\n"},
		{"xargs ./test a", "/bin", "mine a\n"},
		{"find ls -exec ./test {} ;", "/bin", "mine ls\n"},
		{"env ls a", ".:/bin", "mine a\n"},
		{"env ls test", "/bin:.", "test\n"},
		{"env /bin/ls test", ".:/bin", "test\n"},
		{"env bash -c ls", ".:/bin", "mine\n"},
		{"env ./self", "/bin", "box: " + filepath.Join(dir, "self") + ": " + endless},
		{"bash -c ./self", "/bin", "bash: line 1: " + filepath.Join(dir, "self") + ": " + endless},
		{"env ./byenv", ".:/bin", "box: ./byenv: " + endless},
		{"bash -c ./ls", "other:/bin", "bash: line 1: other/bash: " + endless},
	} {
		cmd := exec.CommandContext(t.Context(), box)
		cmd.Args, cmd.Dir, cmd.Env = strings.Fields(test.line), dir, []string{"LC_ALL=C", "PATH=" + test.path}
		if got, err := cmd.CombinedOutput(); string(got) != test.want {
			t.Errorf("%s: got %.300q, %v, want %q", test.line, got, err, test.want)
		}
	}
}
