package browser

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a program does in a page is what Run tells: its output, its exit status, or what
// went wrong; and the browser is gone afterwards.
func TestRun(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	web, err := filepath.Abs("../../../../web/dist")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(web, "guests.js")); err != nil {
		t.Skip("web/dist has no guests.js: make build makes it")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	wasm := filepath.Join(t.TempDir(), "program.wasm")
	build := exec.Command("go", "build", "-o", wasm, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	for _, test := range []struct {
		args           []string
		limit          time.Duration
		code           int
		stdout, stderr string
		err            string
	}{
		{args: []string{"files", "a b"}, code: 3, stdout: "[files a b] y as given [- b2]\n", stderr: "No such file or directory"},
		{args: []string{"panic"}, code: 2, stderr: "panic: as it should"},
		{args: []string{"block"}, err: "a call into Go has blocked"},
		{args: []string{"spin"}, limit: 3 * time.Second, err: "the tests have not ended after 3s"},
	} {
		t.Run(test.args[0], func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			code, err := Run(ctx, Config{
				Chromium: chromium, Goroot: strings.TrimSpace(string(goroot)), Web: web, Wasm: wasm, Args: test.args,
				Env: map[string]string{"TMPDIR": "/tmp", "TERRARIUM_X": "y"}, Dir: "/some/where", Limit: test.limit,
				Files:  []File{NewFile("/some/where/given", 0o644, []byte("as given"))},
				Stdout: &stdout, Stderr: &stderr,
			})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %q in it", err, test.err)
				}
				return
			}
			if err != nil || code != test.code || stdout.String() != test.stdout || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got exit %d, %v, %q and %q; want %d, %q and %q", code, err, &stdout, &stderr, test.code, test.stdout, test.stderr)
			}
		})
	}
}

// Files that are too many, or whose paths lead somewhere else, are refused.
func TestCheck(t *testing.T) {
	for what, files := range map[string][]File{
		"relative": {NewFile("a", 0, nil)},
		"twice":    {NewFile("/a", 0, nil), NewFile("/a", 0, nil)},
		"large":    {{Path: "/a", Size: maxFiles}, {Path: "/b", Size: 1}},
	} {
		if err := (&Config{Files: files}).Check(); err == nil {
			t.Errorf("%s: got nil, want an error", what)
		}
	}
}
