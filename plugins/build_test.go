package plugins_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

const module = "github.com/terrarium-dev/terrarium"

// wasm is what every module begins with.
const wasm = "\x00asm\x01\x00\x00\x00"

// tree makes a tree of the module that is built in no time, and has a fault, or none.
func tree(t *testing.T, fault string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a b@c") // as a path may be called
	if err := os.CopyFS(dir, os.DirFS("testdata/tree")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"box.wasm": wasm, "git.wasm": wasm, "direct.wasm": wasm, "fault": fault} {
		if err := os.WriteFile(filepath.Join(dir, "plugins", "made", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// bare skips a test of what a program without modules does, where these tests have some.
func bare(t *testing.T) {
	t.Helper()
	if plugins.Modules()[0].Missing() == nil {
		t.Skip("this build has a box, which wins")
	}
}

// empty fails the test if there is something left of a build that failed.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v left, %v, want nothing", left, err)
	}
}

// released has the program be built from v1.2.3, which go downloads from a proxy of
// ours, and returns its sum.
func released(t *testing.T, tree string) (sum string) {
	t.Helper()
	proxy, cache := t.TempDir(), filepath.Join(t.TempDir(), "modules")
	versions := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(versions, "v1.2.3.zip"))
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(archive)
	err = filepath.WalkDir(tree, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		f, err := w.Create(module + "@v1.2.3/" + filepath.ToSlash(name))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		return err
	})
	if err := errors.Join(err, w.Close(), archive.Close()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"v1.2.3.info": `{"Version":"v1.2.3"}`, "v1.2.3.mod": "module " + module + "\n"} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", cache)
	// Only the go command can remove it: its directories can't be written to.
	t.Cleanup(func() { exec.Command("go", "clean", "-modcache").Run() })
	out, err := exec.Command("go", "mod", "download", "-json", module+"@v1.2.3").Output()
	var got struct{ Sum string }
	if err := errors.Join(err, json.Unmarshal(out, &got)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got.Sum
}

// withSum has the program be built from the release v1.2.3 of that sum.
func withSum(t *testing.T, sum string) {
	plugins.WithBuildInfo(t, &debug.BuildInfo{
		Main: debug.Module{Path: "example.com/program", Version: plugins.Devel},
		Deps: []*debug.Module{{Path: module, Version: "v1.2.3", Sum: sum}},
	})
}

func TestBuildRelease(t *testing.T) {
	sum := released(t, tree(t, ""))
	bare(t)
	withSum(t, sum)
	dir := filepath.Join(t.TempDir(), "made here")
	modules, err := plugins.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"box", "git"} {
		m := modules[i]
		if m.Name != want || m.Missing() != nil || m.Built == nil {
			t.Fatalf("got %+v, want %s", m, want)
		}
		if m.Built.Version != "v1.2.3" || m.Built.Sum != sum || m.Built.Source != module+"@v1.2.3" || !strings.HasPrefix(m.Built.Go, "go1.") {
			t.Errorf("got %+v", m.Built)
		}
		b, err := m.Load()
		name, version, stampErr := plugins.Stamp(b)
		if err := errors.Join(err, stampErr); err != nil || name != want || version != "v1.2.3" {
			t.Errorf("got %s %s, %v, want %s of v1.2.3", name, version, err, want)
		}
	}
	if want := []string{"[", "bash", "echo", "ok"}; !slices.Equal(modules[0].Commands, want) {
		t.Errorf("got commands %q, want %q", modules[0].Commands, want)
	}
	direct, ok := modules[0].Direct()
	if _, err := direct.Load(); !ok || err != nil {
		t.Errorf("direct: got %t, %v", ok, err)
	}
	t.Setenv("PATH", "") // a second time there is nothing to build
	if _, err := plugins.Build(t.Context(), dir); err != nil {
		t.Error(err)
	}
	// A program of another version is not content with these.
	plugins.WithBuildInfo(t, &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.3.0", Sum: "h1:x"}})
	box := plugins.In(dir)[0]
	missing, ok := errors.AsType[*plugins.MissingError](box.Missing())
	if want := "the one that was added is of version v1.2.3, and this program of v1.3.0"; !ok || missing.Why != want {
		t.Errorf("got %v, want %s", box.Missing(), want)
	}
	if _, err := box.Load(); !errors.As(err, new(*plugins.MissingError)) {
		t.Errorf("Load: got %v, want a MissingError", err)
	}
	if _, ok := plugins.Outdated(dir, "box"); !ok {
		t.Error("it is not known as outdated")
	}
	for _, name := range []string{"box", "git"} {
		if err := plugins.Remove(dir, name); err != nil {
			t.Error(err)
		}
	}
	empty(t, dir)
}

// The source must be that of which the program was built, whatever a proxy has now.
func TestBuildWrongSum(t *testing.T) {
	sum := released(t, tree(t, ""))
	bare(t)
	withSum(t, "h1:other")
	dir := t.TempDir()
	if _, err := plugins.Build(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "has the sum "+sum) {
		t.Errorf("got %v, want an error about the sum", err)
	}
	empty(t, dir)
}

func TestBuildTree(t *testing.T) {
	from, dir := tree(t, ""), t.TempDir()
	// What was built in the tree is left out: it may be larger than any source.
	dist := filepath.Join(from, "plugins", "dist")
	if err := os.MkdirAll(dist, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dist, "box.wasm"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dist, "box.wasm"), 1<<30); err != nil {
		t.Fatal(err)
	}
	b := plugins.Builder{Dir: from, Modules: []string{"git"}}
	if err := b.Build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "git.json")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "box.json")); err == nil {
		t.Error("a box was built that nobody has asked for")
	}
}

func TestBuildFails(t *testing.T) {
	for _, test := range []struct{ fault, want string }{
		{"fails", "go run: exit status 1: the source has a \x1b[31mmistake exit status 1"},
		{"version", "the build has made no box of version (devel): box of version v0.0.1"},
		{"nothing", "the build has made no box: "},
	} {
		dir := t.TempDir()
		b := plugins.Builder{Dir: tree(t, test.fault)}
		if err := b.Build(t.Context(), dir); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.fault, err, test.want)
		}
		empty(t, dir)
	}
}

func TestPlan(t *testing.T) {
	bin := t.TempDir()
	old := filepath.Join(bin, "old")
	if err := os.WriteFile(old, []byte("#!/bin/sh\nprintf 'go1.24.1\\nlocal\\n'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	from := tree(t, "")
	for _, test := range []struct {
		name    string
		builder plugins.Builder
		want    string
	}{
		{"a working copy", plugins.Builder{}, "this program was built from a working copy of " + module},
		{"no go", plugins.Builder{Dir: from, Go: "no-such-go"}, "modules are built by Go, of go1.26 or later, and there is none: "},
		{"an old go", plugins.Builder{Dir: from, Go: old}, old + " is go1.24.1: go1.26 is needed: https://go.dev/dl/"},
		{"no tree", plugins.Builder{Dir: bin}, bin + " is no tree of " + module + ": "},
		{"no directory", plugins.Builder{Dir: filepath.Join(bin, "none")}, filepath.Join(bin, "none") + " is no tree of " + module},
	} {
		if _, _, err := test.builder.Plan(t.Context()); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	built, command, err := (&plugins.Builder{Dir: from}).Plan(t.Context())
	if err != nil || built.Source != from || built.Version != plugins.Devel || !filepath.IsAbs(command) {
		t.Errorf("got %+v, %s, %v", built, command, err)
	}
}

// TestGoVersion compares what is asked for with go.mod.
func TestGoVersion(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\ngo " + strings.TrimPrefix(plugins.GoVersion, "go"); !strings.Contains(string(mod), want) {
		t.Errorf("go.mod has not %q", want)
	}
}
