package plugins_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

// box is one to install.
func box(source string) plugins.Module {
	return plugins.Module{Name: "box", Commands: []string{"bash"}, Built: &plugins.Built{Version: plugins.Version(), Source: source}}
}

// What is in a folder is one module or another, whoever installs another meanwhile.
func TestInstallAtOnce(t *testing.T) {
	bare(t)
	dir := filepath.Join(t.TempDir(), "own")
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			wasm := append([]byte(wasm), bytes.Repeat([]byte{byte(n)}, 1<<16)...)
			if err := plugins.Install(dir, box("a test"), wasm, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b, err := plugins.In(dir)[0].Load(); err != nil || len(b) != len(wasm)+1<<16 {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
	for _, file := range []string{dir, filepath.Join(dir, "box.json"), plugins.In(dir)[0].Built.File} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got %v, %v, want it closed to others", file, info, err)
		}
	}
}

// Another file in its place is not loaded, and what a folder says is bounded.
func TestFolderChanged(t *testing.T) {
	bare(t)
	dir := t.TempDir()
	if err := plugins.Install(dir, box("a test"), []byte(wasm), nil); err != nil {
		t.Fatal(err)
	}
	m := plugins.In(dir)[0]
	if err := os.WriteFile(m.Built.File, []byte(wasm+"\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), "not the module that was put there") {
		t.Errorf("got %v, want an error", err)
	}
	record := filepath.Join(dir, "box.json")
	good, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]string{
		{`"version": "`, `"version": "\u001b[2J`},
		{`"bash"`, `"../bash"`},
		{`"bash"`, ``},
		{`"file": "`, `"file": "../`},
		{`"sha256": "`, `"sha256": "x`},
		{`{`, `[`},
		{`{`, `{"x": "` + strings.Repeat("x", 1<<17) + `",`},
	} {
		if err := os.WriteFile(record, []byte(strings.Replace(string(good), bad[0], bad[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		err := plugins.In(dir)[0].Missing()
		if err == nil || !errors.Is(err, fs.ErrNotExist) || len(err.Error()) > 1000 {
			t.Errorf("%.50q: got %v, want a short error", bad[1], err)
		}
	}
	if err := os.WriteFile(record, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.Built.File); err != nil {
		t.Fatal(err)
	}
	if err := plugins.In(dir)[0].Missing(); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("got %v, want that the file is gone", err)
	}
	if err := plugins.Remove(dir, "box"); err != nil {
		t.Error(err)
	}
	empty(t, dir)
	if err := plugins.Remove(dir, "box"); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestVersion(t *testing.T) {
	deps := func(m *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: "example.com/p"}, Deps: []*debug.Module{{Path: "x"}, m}}
	}
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"unknown", nil, plugins.Devel},
		{"installed", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3", Sum: "h1:x"}}, "v1.2.3"},
		{"a checkout", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.4-0.20261126-abc+dirty"}}, plugins.Devel},
		{"embedded", deps(&debug.Module{Path: module, Version: "v1.2.3", Sum: "h1:x"}), "v1.2.3"},
		{"vendored", deps(&debug.Module{Path: module, Version: "v1.2.3"}), "v1.2.3"},
		{"a fork", deps(&debug.Module{Path: module, Version: "v1.2.3", Replace: &debug.Module{Path: "example.com/f", Version: "v1.9.0"}}), "v1.9.0"},
		{"a directory", deps(&debug.Module{Path: module, Version: "v1.2.3", Replace: &debug.Module{Path: "../t", Version: ""}}), plugins.Devel},
		{"none of ours", deps(&debug.Module{Path: "y"}), plugins.Devel},
	} {
		plugins.WithBuildInfo(t, test.info)
		if got := plugins.Version(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// FuzzStamp: whatever a file is, it is a module of ours or an error.
func FuzzStamp(f *testing.F) {
	for _, seed := range []string{
		"", wasm, wasm + "\x00\x1b\x10terrarium.pluginbox v1.2.3", wasm + "\x01\x00\x00\x1b\x10terrarium.pluginbox v1.2.3",
		wasm + "\x00\x16\x10terrarium.pluginbox ", wasm + "\x00\xff\xff\xff\xff\x0f", wasm + "\x00\x11\x10terrarium.plugin",
		wasm + "\x00", wasm + "\x00\x80", wasm + "\x00\x01\x10",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		name, version, err := plugins.Stamp(b)
		if err == nil && !bytes.Contains(b, []byte("terrarium.plugin"+name+" "+version)) {
			t.Errorf("got %q %q of %q", name, version, b)
		}
	})
}
