package wasi_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// compile meters a module and compiles it.
func compile(t testing.TB, file string) engine.Program {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := openEngine()
	if err != nil {
		t.Fatal(err)
	}
	metered, _, err := meter.Rewrite(b, meter.Config{AskGrow: e.AsksGrow()})
	if err != nil {
		t.Fatal(err)
	}
	program, err := e.Compile(t.Context(), metered, wasi.Funcs(), "")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// buildC builds testdata/cguest, or skips the test.
func buildC(t testing.TB) string {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("there is no clang-19, which builds C programs for WASI")
	}
	file := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command(clang, "--target=wasm32-wasi", "--sysroot=/usr", "-O1", "-o", file, "testdata/cguest/main.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("clang-19 can't build C programs for WASI: %v: %s", err, out)
	}
	return file
}

// A run is a module at work.
type run struct {
	p              *wasi.Process
	stdin          *wasi.PipeWriter
	stdout, stderr *wasi.PipeReader
	ended          <-chan error
}

// launch runs a program in a sandbox of its own, in /work, with descriptors
// besides the standard ones. It is ended after a minute, if not before.
func launch(t testing.TB, program engine.Program, inherited []wasi.Inherited, args ...string) run {
	t.Helper()
	stdin, in := wasi.NewPipe(0)
	out, stdout := wasi.NewPipe(0)
	errs, stderr := wasi.NewPipe(0)
	p, err := wasi.New(wasi.Config{
		Args: append([]string{"guest"}, args...), Env: []string{"A=b"}, Files: tree(t), Dir: "/work",
		Stdin: stdin.OpenFile(), Stdout: stdout.OpenFile(), Stderr: stderr.OpenFile(), Inherited: inherited,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	stop := context.AfterFunc(ctx, func() { p.Interrupt(ctx.Err()) })
	yield := funcs[wasi.Preview1+".sched_yield"]
	ended := make(chan error, 1)
	go func() { // ends with the guest
		defer cancel()
		defer stop()
		err := program.Run(engine.RunConfig{
			Guest: p, MaxMemory: 256 << 20,
			// A guest that asks for nothing learns here that it must end.
			Refill: func(int64) (int64, error) { return 1 << 20, yield.Call(p, &engine.Memory{}, make([]uint64, 1)) },
		})
		p.Close()
		ended <- err
	}()
	return run{p, in, out, errs, ended}
}

// between returns descriptors that lie among those of preopened directories,
// where guests look for more of those until there are none.
func between() []wasi.Inherited {
	r, w := wasi.NewPipe(0)
	return []wasi.Inherited{{FD: 3, File: r.OpenFile()}, {FD: 5, File: w.OpenFile()}}
}

// exit returns the guest's exit code.
func (r run) exit(t testing.TB) uint32 {
	t.Helper()
	err := <-r.ended
	if e := (*wasi.Exit)(nil); errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		t.Errorf("the guest was ended: %v", err)
	}
	return 0
}

func TestGoGuest(t *testing.T) {
	program := compile(t, buildGo(t))
	t.Cleanup(func() { program.Close() })
	for _, c := range []struct {
		task, input, stdout, stderr string
		code                        uint32
	}{
		{task: "env", stdout: "[env] [A=b PWD=/work] /work <nil>\n"},
		{task: "files"},
		{task: "root"},
		{task: "big"},
		{task: "devices", input: "through", stdout: "through"},
		{task: "cat", input: strings.Repeat("line\n", 50_000), stdout: strings.Repeat("LINE\n", 50_000)},
		{task: "exit", code: 42},
		{task: "panic", code: 2, stderr: "panic: as it should"},
	} {
		t.Run(c.task, func(t *testing.T) {
			r := launch(t, program, nil, c.task)
			out, errs := collect(t, r.stdout), collect(t, r.stderr)
			go func() { // ends with the guest, if not before
				r.stdin.Write([]byte(c.input))
				r.stdin.Close()
			}()
			code, stdout, stderr := r.exit(t), <-out, <-errs
			if code != c.code || stdout != c.stdout || !strings.HasPrefix(stderr, c.stderr) || (c.stderr == "" && stderr != "") {
				t.Errorf("got exit %d, stdout %.100q, stderr %q; want %d, %.100q, %q", code, stdout, stderr, c.code, c.stdout, c.stderr)
			}
		})
	}
	t.Run("ticks", func(t *testing.T) {
		r := launch(t, program, nil, "ticks")
		r.stdin.Write([]byte("some text"))
		const ticks = "five ticks\n"
		b := make([]byte, len(ticks))
		if _, err := io.ReadFull(r.stdout, b); err != nil || string(b) != ticks {
			t.Errorf("got %q, %v, want %q while it waits for input", b, err, ticks)
		}
		r.stdin.Close()
		if code, rest := r.exit(t), <-collect(t, r.stdout); code != 0 || rest != "input \"some text\"\n" {
			t.Errorf("got exit %d, %q", code, rest)
		}
	})
	t.Run("descriptors among the preopens", func(t *testing.T) {
		r := launch(t, program, between(), "files")
		errs := collect(t, r.stderr)
		if code, stderr := r.exit(t), <-errs; code != 0 {
			t.Errorf("got exit %d, stderr %q", code, stderr)
		}
	})
	for _, task := range []string{"sleep", "spin", "cat"} {
		t.Run("interrupt "+task, func(t *testing.T) {
			r := launch(t, program, nil, task)
			killed := errors.New("killed")
			r.p.Interrupt(killed)
			if err := <-r.ended; err != killed {
				t.Errorf("got %v, want %v", err, killed)
			}
		})
	}
}

// TestCGuest needs Debian's packages clang-19, lld-19, wasi-libc and
// libclang-rt-19-dev-wasm32.
func TestCGuest(t *testing.T) {
	program := compile(t, buildC(t))
	t.Cleanup(func() { program.Close() })
	r := launch(t, program, between(), "x y")
	out, errs := make([]byte, 5), collect(t, r.stderr)
	if _, err := io.ReadFull(r.stdout, out); err == nil { // it waits for input
		r.stdin.Write([]byte("abc"))
	}
	r.stdin.Close()
	if code, stderr := r.exit(t), <-errs; code != 7 || string(out) != "ready" || stderr != "" {
		t.Errorf("got exit %d, %q, stderr %q", code, out, stderr)
	}
}
