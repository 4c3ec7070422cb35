//go:build amd64 || arm64

package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An elder has this thread, and programs that it starts, be on a system that has
// less to hold commands than ours.
type elder struct {
	name    string
	missing string // what of that, by doctor's name
	says    string // why
	become  func() error
}

var elders = []elder{
	{"no Landlock", "landlock", "landlock_create_ruleset: function not implemented", withoutLandlock},
	// Then uname says 2.6, which our list of system calls was not made for.
	{"another kernel", "seccomp", "system calls refused, all others allowed: the list of those that a worker needs is for Linux 5.6", func() error {
		const uname26 = 0x0020000 // linux/personality.h
		_, _, errno := unix.Syscall(unix.SYS_PERSONALITY, uname26, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	}},
}

func withoutLandlock() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	p := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&p)), 0, 0)
}

// An answered is output whose first byte ends the input.
type answered struct {
	all   bytes.Buffer
	input *os.File
}

func (a *answered) Write(p []byte) (int, error) {
	a.input.Close()
	return a.all.Write(p)
}

// terrarium runs the command there. Its input goes on until it answers.
func (e elder) terrarium(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(stdin); err != nil {
		t.Fatal(err)
	}
	out, errs := answered{input: w}, bytes.Buffer{}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "terrarium", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r, &out, &errs
	ran := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: it ends with us
		err := e.become()
		if err == nil {
			err = cmd.Run()
		}
		ran <- err
	}()
	if err := <-ran; err != nil && cmd.ProcessState == nil {
		t.Skip(err)
	}
	return out.all.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A native sandbox that is required, and that the kernel can't give, runs nothing, and the kernel's
// feature is named.
func TestNativeRequired(t *testing.T) {
	const says = "the kernel has no Landlock, or lets nobody use it (landlock_create_ruleset: function not implemented)"
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	out, stderr, status := elders[0].terrarium(t, "", "run", "--sandbox", "workspace", "--sandbox-required", "--", "echo", "hi")
	if out != "" || status != 125 || !strings.Contains(stderr, says) {
		t.Errorf("got %q, %q and status %d, want status 125 and %s", out, stderr, status, says)
	}
}

// Where the system holds less, run and serve say so once, doctor names it, and
// --sandbox-required refuses.
func TestLessConfined(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	for _, e := range elders {
		t.Run(e.name, func(t *testing.T) {
			warned := func(stderr string) bool {
				return strings.Count(stderr, e.missing+": ") == 1 && strings.Contains(stderr, e.says) && strings.Contains(stderr, "--sandbox-required")
			}
			if out, stderr, status := e.terrarium(t, "", "run", "--host", "wasm", "--", "echo", "hi"); out != "hi\n" || status != 0 || !warned(stderr) {
				t.Errorf("run: got %q, %q and status %d, want one warning of %s", out, stderr, status, e.says)
			}
			line := `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"true"}}` + "\n"
			if out, stderr, _ := e.terrarium(t, line, "serve", "--stdio", "--host", "wasm"); !warned(stderr) {
				t.Errorf("serve: got %q and %q, want one warning of %s", out, stderr, e.says)
			}
			if out, stderr, status := e.terrarium(t, "", "run", "--host", "wasm", "--sandbox-required", "--", "echo", "hi"); out != "" || status != 125 || !warned(stderr) {
				t.Errorf("run --sandbox-required: got %q, %q and status %d, want status 125 and %s", out, stderr, status, e.says)
			}
			if out, stderr, status := e.terrarium(t, line, "serve", "--stdio", "--host", "wasm", "--sandbox-required"); out != "" || status != 1 || !warned(stderr) {
				t.Errorf("serve --sandbox-required: got %q, %q and status %d, want status 1 and %s", out, stderr, status, e.says)
			}
			out, _, _ := e.terrarium(t, "", "doctor", "--json")
			if used := sandboxHolds(t, out); used[e.missing] || !used["no_new_privs"] {
				t.Errorf("doctor: got %v, want all but %s", used, e.missing)
			}
			if out, _, _ := e.terrarium(t, "", "doctor"); !strings.Contains(out, "lacks              "+e.missing+", which --sandbox-required asks for") {
				t.Errorf("doctor: got %s, want a line that says that it lacks %s", out, e.missing)
			}
			t.Setenv("XDG_CACHE_HOME", t.TempDir()) // so that it is compiled
			t.Setenv("XDG_DATA_HOME", t.TempDir())
			module := filepath.Join(t.TempDir(), "added.wasm")
			if err := os.WriteFile(module, moduleOf("exit7"), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, stderr, status := e.terrarium(t, "", "plugins", "add", module, "--sandbox-required"); status != 1 || !warned(stderr) {
				t.Errorf("plugins add --sandbox-required: got %q, %q and status %d, want status 1 and %s", out, stderr, status, e.says)
			}
			if out, stderr, status := e.terrarium(t, "", "plugins", "add", module); status != 0 || !warned(stderr) {
				t.Errorf("plugins add: got %q, %q and status %d, want one warning of %s", out, stderr, status, e.says)
			}
		})
	}
}

// Where it holds all, nothing is said.
func TestConfined(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	out, err := exec.Command("terrarium", "doctor", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := sandboxHolds(t, string(out))
	for _, name := range []string{"rlimits", "no_new_privs", "capabilities", "seccomp", "threads", "landlock", "undumpable"} {
		if is, ok := used[name]; !ok {
			t.Errorf("doctor does not tell of %s", name)
		} else if !is {
			t.Skip("this system lacks " + name)
		}
	}
	if out, err := exec.Command("terrarium", "run", "--host", "wasm", "--sandbox-required", "--", "echo", "hi").CombinedOutput(); string(out) != "hi\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// sandboxHolds returns what "doctor --json" says of what holds the sandbox.
func sandboxHolds(t *testing.T, out string) map[string]bool {
	t.Helper()
	var d struct {
		Hosts []struct {
			Name  string
			Holds []struct {
				Name string
				Used bool
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	used := map[string]bool{}
	for _, h := range d.Hosts {
		for _, m := range h.Holds {
			if h.Name == "wasm" {
				used[m.Name] = m.Used
			}
		}
	}
	return used
}

// Flags that can't be had together are refused before anything runs.
func TestSandboxRequiredUsage(t *testing.T) {
	for _, flags := range [][]string{{"--sandbox-required"}, {"--host", "wasm", "--in-process", "--sandbox-required"}} {
		for _, command := range []string{"run", "serve"} {
			args := slices.Concat([]string{command}, flags, []string{"--stdio"})
			if command == "run" {
				args[len(args)-1] = "true"
			}
			out, err := exec.Command("terrarium", args...).CombinedOutput()
			if fmt.Sprint(err) != "exit status 2" || !strings.Contains(string(out), "--sandbox-required") {
				t.Errorf("%v: got %q, %v, want wrong usage", args, out, err)
			}
		}
	}
}
