package plugin_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// wasm is what every module begins with.
const wasm = "\x00asm\x01\x00\x00\x00"

// folder makes a folder of files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := folder(t, map[string]string{
		"a-1.wasm": wasm, "a-1.json": `{"name": "a"}`,
		"a.wasm":  wasm, // the name is taken
		"b.wasm":  wasm + "more",
		"c.json":  "{}", // of no module
		".d.wasm": wasm, // hidden
		"e.txt":   wasm,
		"f.wasm":  "\x00asm\x02\x00\x00\x00",
	})
	plugins, bad, err := plugin.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plugins {
		got = append(got, p.Name+" "+filepath.Base(p.File))
	}
	if want := []string{"a a-1.wasm", "b b.wasm"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(bad) != 2 || !strings.Contains(bad[0].Error(), "a.wasm: another plugin here is called a") ||
		!strings.Contains(bad[1].Error(), "f.wasm: not a WebAssembly module") {
		t.Errorf("got %v, want errors about a.wasm and f.wasm", bad)
	}
	if _, _, err := plugin.Read(filepath.Join(dir, "none")); err == nil {
		t.Error("no folder: got nil, want an error")
	}
}

func TestCommands(t *testing.T) {
	p := func(file, name string, aliases ...string) plugin.Plugin {
		return plugin.Plugin{File: file, Manifest: plugin.Manifest{Name: name, Aliases: aliases}}
	}
	boxed := func(p plugin.Plugin, names ...string) plugin.Plugin {
		p.Box = names
		return p
	}
	type folders = [][]plugin.Plugin
	for _, test := range []struct {
		name    string
		folders folders
		want    map[string]string // name to file
	}{
		{"none", nil, map[string]string{}},
		{"later wins", folders{{p("1", "x")}, {p("2", "x")}}, map[string]string{"x": "2"}},
		{"box is hidden", folders{{p("1", "grep")}}, map[string]string{"grep": "1"}},
		{"box beats an alias", folders{{p("1", "rg", "grep")}}, map[string]string{"rg": "1"}},
		{"a name beats an alias", folders{{p("1", "x")}, {p("2", "y", "x")}}, map[string]string{"x": "1", "y": "2"}},
		{"later alias wins", folders{{p("1", "x", "z")}, {p("2", "y", "z")}}, map[string]string{"x": "1", "y": "2", "z": "2"}},
		{"what is hidden has no alias", folders{{p("1", "x", "z")}, {p("2", "x")}}, map[string]string{"x": "2"}},
		{"what the box answers for", folders{{boxed(p("1", "clang"), "cc", "clang")}}, map[string]string{"clang": "1", "cc": "1"}},
		{"a name beats that", folders{{p("1", "cc")}, {boxed(p("2", "clang"), "cc")}}, map[string]string{"cc": "1", "clang": "2"}},
		{"python3 is python", folders{{p("1", "python3")}}, map[string]string{"python3": "1", "python": "1"}},
		{"python is python3", folders{{p("1", "python")}}, map[string]string{"python3": "1", "python": "1"}},
		{"unless there are both", folders{{p("1", "python")}, {p("2", "python3")}}, map[string]string{"python3": "2", "python": "1"}},
		{"or an alias", folders{{p("1", "python3"), p("2", "rustpython", "python")}},
			map[string]string{"python3": "1", "python": "2", "rustpython": "2"}},
	} {
		got := make(map[string]string)
		for name, p := range plugin.Commands([]string{"bash", "grep"}, test.folders...) {
			got[name] = p.File
		}
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// What Install writes Open reads, for this user alone; Remove leaves nothing.
func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "plugins")
	want := plugin.Manifest{Name: "x", Aliases: []string{"y"}, Memory: 1 << 30, Needs: []string{"<HOME>"}, Description: "ü", Version: "1"}
	for range 2 { // the second time it is replaced
		if err := plugin.Install(dir, want, []byte(wasm), "", nil); err != nil {
			t.Fatal(err)
		}
	}
	p, err := plugin.Open(filepath.Join(dir, "x.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	// It is the sum of what every module begins with.
	want.SHA256 = "93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476"
	got, _ := json.Marshal(p.Manifest)
	if want, _ := json.Marshal(want); string(got) != string(want) || p.Size != int64(len(wasm)) {
		t.Errorf("got %s, %d bytes, want %s, %d bytes", got, p.Size, want, len(wasm))
	}
	for _, file := range []string{dir, filepath.Dir(dir), p.File, filepath.Join(dir, "x.json")} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got %v, %v, want it closed to others", file, info.Mode(), err)
		}
	}
	if err := plugin.Remove(p); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v left, %v", left, err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "a\x00", "\x1b[2J", strings.Repeat("n", 65), ".hidden", "-f", "ü"} {
		if err := plugin.Install(dir, plugin.Manifest{Name: name}, nil, "", nil); err == nil {
			t.Errorf("Install %q: got nil, want an error", name)
		}
	}
}

// FuzzManifest: whatever is in a manifest, there is a plugin within bounds or
// an error of one short line that does nothing to a terminal.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"name":"python3","aliases":["python"],"memory":1,"needs":["x"],"description":"d","version":"1"}`,
		``, `null`, `[]`, `{} {}`, `{"memory":-1}`, `{"memory":1e99}`, `{"name":"\u001b[2J"}`, `{"\u009b":1}`, `{"name":1}`,
		strings.Repeat(`{"aliases":`, 1000), strings.Repeat("[", 20000), `{"` + strings.Repeat("n", 5000) + `":1}`,
		`{"box":["cc"]}`, `{"box":["grep"]}`, `{"description":"` + strings.Repeat("é", 251) + `"}`, "{\"version\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	dir := folder(f, map[string]string{"x.wasm": wasm})
	f.Fuzz(func(t *testing.T, manifest []byte) {
		if err := os.WriteFile(filepath.Join(dir, "x.json"), manifest, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := plugin.Open(filepath.Join(dir, "x.wasm"))
		if err == nil {
			if plugin.CheckName(p.Name) != nil || p.Check() != nil {
				t.Errorf("got %+v, which is out of bounds", p)
			}
			return
		}
		if text := err.Error(); len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("got %q, want one short line", text)
		}
	})
}
