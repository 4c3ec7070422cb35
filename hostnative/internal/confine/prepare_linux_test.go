//go:build amd64 || arm64

package confine

import (
	"os"
	"path/filepath"
	"testing"
)

// What was prepared is of use as long as it is what would be prepared now.
func TestPrepared(t *testing.T) {
	if err := Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	dir := t.TempDir()
	hide := filepath.Join(dir, "hide")
	rules := Rules{Level: Workspace, Home: t.TempDir(), Hide: []string{hide}}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("hide")
	write("old")
	for _, test := range []struct {
		name   string
		change func(r *Rules)
		useful bool
	}{
		{"the same", func(*Rules) {}, true},
		{"directories are handed over", func(r *Rules) { r.Roots, r.Write, r.Private = []string{dir}, []string{dir}, dir }, true},
		{"another level", func(r *Rules) { r.Level = Strict }, false},
		{"more is hidden", func(r *Rules) { r.Hide = append(r.Hide, filepath.Join(dir, "old")) }, false},
		{"what is hidden is replaced", func(*Rules) { os.Remove(hide); write("hide") }, true},
		{"what is hidden is gone", func(*Rules) { os.Remove(hide) }, false},
		{"something is new", func(*Rules) { write("hide"); write("new") }, false},
		{"something is a link", func(*Rules) { os.Remove(filepath.Join(dir, "old")); os.Symlink("new", filepath.Join(dir, "old")) }, false},
	} {
		p, err := Prepare(rules)
		if err != nil {
			t.Fatal(err)
		}
		r := rules
		test.change(&r)
		if useful := p.isFor(r); useful != test.useful {
			// Other programs may make files where something is hidden.
			if useful || p.isFor(rules) {
				t.Errorf("%s: got %v, want %v", test.name, useful, test.useful)
			}
		}
		p.Close()
	}
}
