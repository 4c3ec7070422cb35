package cc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func TestParsePlan(t *testing.T) {
	const text = `clang version 22.1.0 (https://example.org/llvm 9560ae0)
Target: wasm32-unknown-wasip1
Thread model: posix
InstalledDir: /bin
Build config: +assertions
clang: warning: argument unused during compilation: '-Wl,x' [-Wunused-command-line-argument]
 (in-process)
 "/bin/clang" "clang" "-cc1" "-D" "X=a b\"\$\\" "-D" "Y=two
lines" "-o" "/tmp/a-1.o" "-x" "c" "a \"b\".c"
 "/bin/wasm-ld" "-L/usr/lib" "/tmp/a-1.o" "-o" "x"
`
	jobs, complaints := parsePlan(text)
	want := []job{
		{"/bin/clang", "-cc1", "-D", `X=a b"$\`, "-D", "Y=two\nlines", "-o", "/tmp/a-1.o", "-x", "c", `a "b".c`},
		{"/bin/wasm-ld", "-L/usr/lib", "/tmp/a-1.o", "-o", "x"},
	}
	if !slices.EqualFunc(jobs, want, slices.Equal[job]) {
		t.Errorf("got %q, want %q", jobs, want)
	}
	if want := "clang: warning: argument unused during compilation: '-Wl,x' [-Wunused-command-line-argument]\n"; complaints != want {
		t.Errorf("complaints: got %q, want %q", complaints, want)
	}
	for _, broken := range []string{` "`, ` "a`, ` "a\`, ` "a" `, " \"a\"\x00", ` "" `} {
		parsePlan(broken) // ends
	}
}

// A fakeLLVM plays LLVM's programs: it writes the plan, and the files that its jobs are to write.
type fakeLLVM struct {
	plan   string
	status int
	fails  string // the argument with which a job ends with status 3
	calls  []string
}

func (l *fakeLLVM) launch(args []string, streams [3]*os.File, environ []string) (int, error) {
	if slices.Contains(args, "-###") {
		for _, kv := range environ {
			if dir, ok := strings.CutPrefix(kv, "TMPDIR="); ok {
				streams[2].WriteString(strings.ReplaceAll(l.plan, "TMP", dir))
			}
		}
		return l.status, nil
	}
	l.calls = append(l.calls, args[0]+" "+filepath.Base(args[len(args)-1]))
	if l.fails != "" && slices.Contains(args, l.fails) {
		return 3, nil
	}
	if out := job(args).output(); out != "" {
		return 0, os.WriteFile(out, nil, 0o600)
	}
	return 0, nil
}

func TestRun(t *testing.T) {
	const a, b = ` "/bin/clang" "clang" "-cc1" "-o" "TMP/a.o" "a.c"` + "\n", ` "/bin/clang" "clang" "-cc1" "-o" "TMP/b.o" "b.c"` + "\n"
	const link = ` "/bin/wasm-ld" "-o" "DIR/x" "TMP/a.o" "TMP/b.o"` + "\n"
	const linkC = ` "/bin/wasm-ld" "-o" "DIR/x" "TMP/a.o" "-lc" "x.a"` + "\n"
	for _, test := range []struct {
		name   string
		llvm   fakeLLVM
		calls  string
		status int
		said   string
	}{
		{"all is well", fakeLLVM{plan: a + b + link}, "clang a.c, clang b.c, wasm-ld b.o", 0, ""},
		{"what does not compile is not linked", fakeLLVM{plan: a + b + link, fails: "a.c"}, "clang a.c, clang b.c", 3, ""},
		{"what does not link is told of", fakeLLVM{plan: a + link, fails: "-o"}, "clang a.c", 3, ""},
		{"a program of C has what is emulated", fakeLLVM{plan: linkC, fails: "-lwasi-emulated-process-clocks"}, "wasm-ld x.a", 3,
			"cc: error: linker command failed with exit code 3 (use -v to see invocation)\n"},
		{"the linker fails", fakeLLVM{plan: link, fails: "-o"}, "wasm-ld b.o", 3,
			"cc: error: linker command failed with exit code 3 (use -v to see invocation)\n"},
		{"threads are not linked", fakeLLVM{plan: a + strings.Replace(link, "\"-o\"", "\"--shared-memory\" \"-o\"", 1)}, "clang a.c", 1,
			"cc: error: -pthread: there are no threads in this sandbox: leave it out\n"},
		{"a plan with an error is not carried out", fakeLLVM{plan: "clang: error: no such file\n" + link, status: 1}, "", 1, "clang: error: no such file\n"},
		{"what needs no plan is asked for at once", fakeLLVM{plan: "clang version 22\n"}, "clang a.c", 0, ""},
	} {
		dir := t.TempDir()
		test.llvm.plan = strings.ReplaceAll(test.llvm.plan, "DIR", dir)
		var said strings.Builder
		env := tool.Env{Dir: dir, Stderr: &said, Environ: []string{"TMPDIR=" + dir}}
		c := tool.Command{Name: "cc", Run: func(e *tool.Env, args []string) int {
			status, err := (&compilation{env: e, launch: test.llvm.launch}).run("clang", args[1:])
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			return status
		}}
		status := tool.Run(c, env, []string{"cc", "a.c"})
		if calls := strings.Join(test.llvm.calls, ", "); status != test.status || calls != test.calls || said.String() != test.said {
			t.Errorf("%s: got status %d, %s, %q, want %d, %s, %q", test.name, status, calls, said.String(), test.status, test.calls, test.said)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		switch program := filepath.Join(dir, "x"); {
		case slices.Contains(files, program):
			if info, err := os.Stat(program); err != nil || info.Mode()&0o100 == 0 {
				t.Errorf("%s: %v, %v, want a program that may be executed", test.name, info.Mode(), err)
			}
			fallthrough
		default:
			if left := slices.DeleteFunc(files, func(f string) bool { return f == program }); len(left) > 0 {
				t.Errorf("%s: left %q", test.name, left)
			}
		}
	}
}

// TestNoJob is a file whose name would read as a job, where clang complains of it.
func TestNoJob(t *testing.T) {
	const name = "x\n \"/bin/wasm-ld\" \"-o\" \"y\""
	llvm := fakeLLVM{plan: "clang: warning: " + name + ": 'linker' input unused\n"}
	dir := t.TempDir()
	var said strings.Builder
	env := tool.Env{Dir: dir, Stderr: &said, Environ: []string{"TMPDIR=" + dir}}
	c := tool.Command{Name: "cc", Run: func(e *tool.Env, args []string) int {
		status, err := (&compilation{env: e, launch: llvm.launch}).run("clang", args[1:])
		if err != nil {
			t.Error(err)
		}
		return status
	}}
	status := tool.Run(c, env, []string{"cc", "-c", name})
	if status != 1 || len(llvm.calls) > 0 || !strings.Contains(said.String(), "another name") {
		t.Errorf("got status %d, %q, %q", status, llvm.calls, said.String())
	}
}

// TestNoProgram links to what is no file, whose mode is not the linker's to change: the sandbox has
// /dev/null read-only.
func TestNoProgram(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	before, err := w.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c := &compilation{env: &tool.Env{Dir: "/"}, launch: (&fakeLLVM{}).launch}
	status, err := c.carryOut([]job{{"/bin/wasm-ld", "-o", fmt.Sprintf("/dev/fd/%d", w.Fd())}})
	if status != 0 || err != nil {
		t.Errorf("got status %d, %v", status, err)
	}
	if after, err := w.Stat(); err != nil || after.Mode() != before.Mode() {
		t.Errorf("got the mode %v, %v, want %v", after.Mode(), err, before.Mode())
	}
}
