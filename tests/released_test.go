package tests

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleased installs the command as a person does, from a release of this tree that a
// proxy of ours has, adds the box and git to it, and uses them. The go command compiles
// nearly all again, so it takes minutes.
func TestReleased(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") == "" {
		t.Skip("NOT RUN: builds a release from its source: TERRARIUM_LONG=1")
	}
	dir := t.TempDir()
	publishRelease(t, filepath.Join(dir, "proxy"), "v0.9.0")
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	had, cache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	// What others have released is taken from what was downloaded before, or from where that came
	// from.
	proxies := []string{filepath.Join(dir, "proxy"), filepath.Join(had, "cache", "download")}
	env := append(os.Environ(), "GOPROXY=file://"+strings.Join(proxies, ",file://"), "GOSUMDB=off",
		"GOMODCACHE="+filepath.Join(dir, "modules"), "GOCACHE="+cache, "GOBIN="+filepath.Join(dir, "bin"), "GOFLAGS=",
		"HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env, cmd.Dir = env, dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	t.Cleanup(func() { run("go", "clean", "-modcache") }) // which nobody may write to
	run("go", "install", "-trimpath", modulePath+"/cmd/terrarium@v0.9.0")
	terrarium := filepath.Join(dir, "bin", "terrarium")
	if got := run("sh", "-c", terrarium+" run --host wasm ls 2>&1 || true"); !strings.Contains(got, ": terrarium plugins add box\n") {
		t.Errorf("before: got %q, want what to type", got)
	}
	added := run(terrarium, "plugins", "add", "box", "git", "--yes")
	for _, want := range []string{
		"box v0.9.0: the shell and the tools", "source    " + modulePath + "@v0.9.0\n", "added box, with 1", "added git to ",
	} {
		if !strings.Contains(added, want) {
			t.Errorf("got %q, want %q in it", added, want)
		}
	}
	const line = "git init -q . && echo a | tr a b >f && git add f && git -c user.name=n -c user.email=e commit -qm m && git log --format=%s"
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := run(terrarium, "run", "--host", "wasm", "--mount", work, line); got != "m\n" {
		t.Errorf("got %q, want a commit", got)
	}
	if got := run(terrarium, "run", "--host", "wasm", "--mount", work, "--", "echo", "ok"); got != "ok\n" {
		t.Errorf("echo: got %q", got)
	}
}

// publishRelease makes a proxy of a directory, which has what git knows of this tree, as
// it is now, as a version of our module.
//
// https://go.dev/ref/mod#goproxy-protocol
func publishRelease(t *testing.T, proxy, version string) {
	t.Helper()
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = ".."
	list, err := git.Output()
	if err != nil {
		t.Skipf("NOT RUN: what belongs to a release is known to git: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range names {
		if isNested(name) {
			continue
		}
		f, err := os.Open(filepath.Join("..", name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		to, err := w.Create(modulePath + "@" + version + "/" + name)
		if err == nil {
			_, err = io.Copy(to, f)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	versions := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": []byte(`{"Version":"` + version + `"}`),
		version + ".mod": mod, version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// isNested reports whether a file belongs to another module inside ours.
func isNested(name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join("..", dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}
