package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page/bundle"
)

// command returns a module that is another one for each n.
func command(name string, n int32) module {
	var m Module
	m.Export("_start", m.Func("()->()", "", I32(n), Op(Drop)))
	wasm := m.Bytes()
	return module{bundle.Describe(name, []string{name}, wasm), wasm}
}

// TestUpdate tells stories of one folder: what is made anew each time, and what is
// left as it is.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "index.json")
	a, b := command("a", 1), command("b", 1)
	for _, step := range []struct {
		name string
		do   func() error
		with []module
		want []string // the modules that are made
		said string
	}{
		{name: "at first", with: []module{a, b}, want: []string{"a", "b"}},
		{name: "nothing is new", with: []module{a, b}, said: "is up to date"},
		{name: "a module is another", with: []module{a, command("b", 2)}, want: []string{"b"}},
		{name: "it has another name for a command", with: []module{{bundle.Describe("a", []string{"a", "sh"}, a.wasm), a.wasm}, command("b", 2)}},
		{name: "a file is gone", do: func() error { return os.Remove(filepath.Join(dir, "b.wasm.gz")) }, with: []module{a, b}, want: []string{"b"}},
		{name: "the index is gone, as when it broke off", do: func() error { return os.Remove(index) }, with: []module{a, b}, want: []string{"a", "b"}},
		{name: "the index is of another version", do: func() error {
			old, err := os.ReadFile(index)
			if err != nil {
				return err
			}
			return os.WriteFile(index, bytes.Replace(old, []byte(`"page `), []byte(`"page 0`), 1), 0o666)
		}, with: []module{a, b}, want: []string{"a", "b"}},
		{name: "the script is gone", do: func() error { return os.Remove(filepath.Join(dir, "index.js")) }, with: []module{a, b}},
		{name: "a module is no more", with: []module{b}},
		{name: "and comes again", with: []module{a, b}, want: []string{"a"}},
		{name: "the index is none", do: func() error { return os.WriteFile(index, []byte("hello"), 0o666) }, with: []module{a, b}, want: []string{"a", "b"}},
	} {
		if step.do != nil {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := update(dir, step.with, &out); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		var made []string
		for line := range strings.Lines(out.String()) {
			if name, _, ok := strings.Cut(line, ".wasm.gz: "); ok {
				made = append(made, name)
			}
		}
		if !slices.Equal(made, step.want) || !strings.Contains(out.String(), step.said) {
			t.Errorf("%s: made %q and said %q, want %q and %q", step.name, made, out.String(), step.want, step.said)
		}
		wantFolder(t, step.name, dir, step.with)
	}
}

// wantFolder checks that dir has what the modules become, and nothing else.
func wantFolder(t *testing.T, step, dir string, modules []module) {
	t.Helper()
	want := map[string][]byte{}
	var all []bundle.Plugin
	for _, m := range modules {
		compressed, err := bundle.Compress(m.Name, m.wasm)
		if err != nil {
			t.Fatal(err)
		}
		want[m.File()] = compressed
		all = append(all, m.Plugin)
	}
	index := bundle.NewIndex(all)
	want["index.json"], want["index.js"], want["index.d.ts"] = index.Encode(), script(index), []byte(types)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[e.Name()]) {
			t.Errorf("%s: %s has %d bytes, want %d others", step, e.Name(), len(got), len(want[e.Name()]))
		}
		delete(want, e.Name())
	}
	for name := range want {
		t.Errorf("%s: there is no %s", step, name)
	}
}

// What a host would refuse is an error, and leaves no index.
func TestUpdateRefused(t *testing.T) {
	dir := t.TempDir()
	if err := update(dir, []module{command("a", 1)}, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	bad := module{bundle.Describe("b", nil, []byte("hello")), []byte("hello")}
	err := update(dir, []module{command("a", 1), bad}, new(bytes.Buffer))
	if err == nil || !strings.HasPrefix(err.Error(), "b: ") {
		t.Errorf("got %v, want an error about b", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "index.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("index.json: got %v, want %v", err, fs.ErrNotExist)
	}
}
