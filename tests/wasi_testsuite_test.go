package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// engines are those that are compiled in. A file with a build tag adds to it.
var engines = []func() (engine.Engine, error){
	func() (engine.Engine, error) { return wazero.New(wazero.Config{}) },
}

// TestWASITestsuite runs the preview-1 half of the WebAssembly community's
// suite, whose modules are on the branch prod/testsuite-base. Each test has a
// copy of its directory, and ten seconds.
//
// https://github.com/WebAssembly/wasi-testsuite/blob/main/doc/specification.md
func TestWASITestsuite(t *testing.T) {
	dir := os.Getenv("TERRARIUM_WASI_TESTSUITE")
	if dir == "" {
		t.Skip("TERRARIUM_WASI_TESTSUITE is not set: it names a checkout of the branch prod/testsuite-base of github.com/WebAssembly/wasi-testsuite")
	}
	modules, err := filepath.Glob(filepath.Join(dir, "tests", "*", "testsuite", "wasm32-wasip1", "*.wasm"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	for _, newEngine := range engines {
		e, err := newEngine()
		if err != nil {
			t.Fatal(err)
		}
		passed := 0
		for _, file := range modules {
			rest, _ := filepath.Rel(filepath.Join(dir, "tests"), file)
			language, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
			name := strings.TrimSuffix(filepath.Base(file), ".wasm")
			if t.Run(e.Name()+"/"+language+"/"+name, func(t *testing.T) { runSuiteTest(t, e, file) }) {
				passed++
			}
		}
		t.Logf("%s: %d of %d tests of the WASI testsuite passed", e.Name(), passed, len(modules))
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A suiteTest is what the suite says of a test, in the form of preview 1.
type suiteTest struct {
	Args     []string
	Env      map[string]string
	Root     string // below the test's folder
	ExitCode uint32 `json:"exit_code"`
	Stdout   *string
	Stderr   *string
}

func runSuiteTest(t *testing.T, e engine.Engine, file string) {
	test := readSuiteTest(t, strings.TrimSuffix(file, ".wasm")+".json")
	module := readMetered(t, file)
	program, err := e.Compile(t.Context(), module, wasi.Funcs(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()

	tree := vfs.New(vfs.Config{})
	defer tree.Close()
	c := wasi.Config{Args: append([]string{filepath.Base(file)}, test.Args...), Files: tree, Preopens: []wasi.Preopen{}}
	for name, value := range test.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	if test.Root != "" {
		root := filepath.Join(t.TempDir(), "root")
		if err := os.CopyFS(root, withoutLeftovers{os.DirFS(filepath.Join(filepath.Dir(file), test.Root))}); err != nil {
			t.Fatal(err)
		}
		host, err := vfs.OpenHost(root, vfs.HostOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Mount("/", host); err != nil {
			t.Fatal(err)
		}
		c.Preopens = []wasi.Preopen{{Name: "/", Path: "/", Beneath: true}}
	}
	got := runModule(t, program, c)
	if got.code != test.ExitCode {
		t.Errorf("got exit %d (%v), want %d; stderr: %s", got.code, got.err, test.ExitCode, got.stderr)
	}
	if test.Stdout != nil && got.stdout != *test.Stdout {
		t.Errorf("got stdout %q, want %q", got.stdout, *test.Stdout)
	}
	if test.Stderr != nil && got.stderr != *test.Stderr {
		t.Errorf("got stderr %q, want %q", got.stderr, *test.Stderr)
	}
}

func readSuiteTest(t *testing.T, file string) (test suiteTest) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return test
	}
	if err == nil {
		err = json.Unmarshal(b, &test)
	}
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// readMetered reads a module and makes it one that can be ended.
func readMetered(t testing.TB, file string) []byte {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	metered, _, err := meter.Rewrite(b, meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return metered
}

// withoutLeftovers hides what earlier runs of others left.
type withoutLeftovers struct{ fs.FS }

func (f withoutLeftovers) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cleanup") {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// A result is how a module ended and what it wrote.
type result struct {
	code           uint32
	err            error // nil if it ended by itself
	stdout, stderr string
}

// runModule runs a program for at most ten seconds, with its output kept.
func runModule(t testing.TB, program engine.Program, c wasi.Config) (r result) {
	out, stdout := wasi.NewPipe(0)
	errs, stderr := wasi.NewPipe(0)
	c.Stdout, c.Stderr = stdout.OpenFile(), stderr.OpenFile()
	p, err := wasi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { p.Interrupt(ctx.Err()) })
	defer stop()
	texts := [2]chan string{make(chan string, 1), make(chan string, 1)}
	for i, r := range []*wasi.PipeReader{out, errs} {
		go func() { // until the process closes its end
			var b strings.Builder
			if _, err := r.WriteTo(&b); err != nil {
				t.Error(err)
			}
			texts[i] <- b.String()
		}()
	}
	r.err = program.Run(engine.RunConfig{
		Guest:     p,
		MaxMemory: 256 << 20,
		Refill:    func(int64) (int64, error) { return 1 << 20, ctx.Err() },
	})
	p.Close()
	r.stdout, r.stderr = <-texts[0], <-texts[1]
	var exit *wasi.Exit
	switch {
	case errors.As(r.err, &exit):
		r.code, r.err = exit.Code, nil
	case r.err != nil:
		r.code = 1<<32 - 1
		r.err = fmt.Errorf("ended by: %w", r.err)
	}
	return r
}
