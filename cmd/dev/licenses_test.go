package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	t.Chdir("../..")
	file := filepath.Join(t.TempDir(), "licences")
	if err := writeLicenses(t.Context(), io.Discard, file); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := string(b)
	for _, want := range []string{
		"Go, with its library (in terrarium, box.wasm, git.wasm, sandbox.wasm, core.wasm)\n",
		"wazero authors", // what is in a NOTICE
		"Copyright (c) 2016, Daniel Martí",
		"github.com/go-git/go-git/v6 ",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, not := range []string{"go-cmp", "staticcheck", "\r"} { // what only tests and tools need
		if strings.Contains(all, not) {
			t.Errorf("there is %q", not)
		}
	}
}

func TestLicensesIn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE", "License.md", "APACHE-LICENSE-2.0", "COPYING", "NOTICE.txt", "licence", "license.go", "README", "unlicensed"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\n"+name+"\r\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "LICENSES"), 0o777); err != nil {
		t.Fatal(err)
	}
	got, err := licensesIn(dir)
	slices.Sort(got)
	want := []string{"APACHE-LICENSE-2.0", "COPYING", "LICENSE", "License.md", "NOTICE.txt", "licence"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
