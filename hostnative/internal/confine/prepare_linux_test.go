//go:build amd64 || arm64

package confine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
		useful := false
		for range 50 { // other programs may make files where something is hidden, as in /tmp
			p, err := Prepare(rules)
			if err != nil {
				t.Fatal(err)
			}
			r := rules
			test.change(&r)
			useful = p.isFor(r)
			p.Close()
			if useful || !test.useful {
				break
			}
		}
		if useful != test.useful {
			t.Errorf("%s: got %v, want %v", test.name, useful, test.useful)
		}
	}
}

// With strict, what is hidden is in directories of which nothing is granted until a session hands
// them over. What has come there since is found all the same.
func TestPreparedStrict(t *testing.T) {
	if err := Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	dir := t.TempDir()
	hide := filepath.Join(dir, "hide")
	rules := Rules{Level: Strict, Home: t.TempDir(), Hide: []string{hide}}
	for _, test := range []struct {
		name   string
		change func() error
		useful bool
	}{
		{"the same", func() error { return nil }, true},
		{"what is hidden has come", func() error { return os.WriteFile(hide, nil, 0o600) }, false},
		{"it is a link", func() error { os.Remove(hide); return os.Symlink("to", hide) }, false},
		{"what is known to be secret has come", func() error { return os.Mkdir(filepath.Join(rules.Home, ".ssh"), 0o700) }, false},
	} {
		p, err := Prepare(rules)
		if err != nil {
			t.Fatal(err)
		}
		if err := test.change(); err != nil {
			t.Fatal(err)
		}
		handing := rules
		handing.Roots = []string{dir, rules.Home}
		if useful := p.isFor(handing); useful != test.useful {
			t.Errorf("%s: got %v, want %v", test.name, useful, test.useful)
		}
		p.Close()
	}
}

// With too few descriptors rules are not made, rather than made without what could not be opened.
func TestPrepareScarce(t *testing.T) {
	if err := Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	dir := t.TempDir()
	hide := filepath.Join(dir, "one", "two", "hide")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "one", "two", "three"), 0o700), os.WriteFile(hide, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	rules := Rules{Level: Workspace, Home: t.TempDir(), Hide: []string{hide}}
	here := func(p *Prepared) (around []Around) { // others may make files elsewhere
		for _, a := range p.list() {
			if strings.HasPrefix(a.Path, dir) {
				around = append(around, a)
			}
		}
		return around
	}
	prepared := func(most int) ([]Around, error) {
		if most > 0 {
			var limit unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
				t.Fatal(err)
			}
			defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
			if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(most), Max: limit.Max}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := Prepare(rules)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		return here(p), nil
	}
	want, err := prepared(0)
	if err != nil || len(want) != 3 {
		t.Fatalf("got %v, %v, want what is around %s", want, err, hide)
	}
	free, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	lowest := int(free.Fd())
	free.Close()
	refused := 0
	for most := lowest; ; most++ {
		got, err := prepared(most)
		if err == nil {
			if !slices.Equal(got, want) {
				t.Errorf("with %d descriptors: got %v, want %v", most-lowest, got, want)
			}
			break
		}
		if refused++; refused == 100 {
			t.Fatal(err)
		}
	}
	if refused < 4 {
		t.Errorf("got %d refusals", refused)
	}
}
