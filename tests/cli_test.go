package tests

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/terrarium-dev/terrarium/hostnative"
)

// patience is how long a test waits for what must happen. It may be that a module
// is compiled on a machine that is busy with much else.
const patience = 3 * time.Minute

// TestCLI runs the scripts in cli against the built command. Besides the verbs
// of testscript they have:
//
//	exits N COMMAND ARG…    COMMAND must exit with that status
//	signal NAME             sends a signal to what runs in the background
//	matches FILE WANT       FILE holds JSON with at least what is in WANT (see matchJSON)
//	[landlock]              native commands can be confined here
//	[box]                   this build has the sandbox's shell and tools
//	[git-server]            git is installed, with what serves repositories by HTTP
//	fetched                 starts a server to fetch from (fetched_test.go)
//	fits                    stdout and a prompt fit on a screen: 24 lines of 80 columns
//	noprocess               waits until no process of this script is left
//	module KIND FILE        makes a small WebAssembly module (modules_test.go)
//	tree DIR                makes a tree of our module that is built at once (unbuilt_test.go)
//	publish KIND NAME …     publishes a plugin (publish_test.go)
//	wheel NAME …            publishes a package of Python (wheel_test.go)
//	replay FILE             "cmd/dev replay" must find no difference
//	transcript FILE ARG…    talks to "terrarium serve --stdio ARG…" (transcript_test.go)
//	console FILE ARG…       runs "terrarium ARG…" on a terminal (console_test.go)
func TestCLI(t *testing.T) {
	nativeHost(t)
	watchModule(t)
	testscript.Run(t, scripts(t, "cli"))
}

// scripts returns how the scripts in a directory are run.
func scripts(t *testing.T, dir string) testscript.Params {
	cache, err := sharedCache()
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir: dir,
		// It is for all scripts together, which take two minutes on an idle machine. On one that is
		// busy with much else, one of them alone has taken three and a half.
		Deadline:            time.Now().Add(10 * patience),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			if err := os.Mkdir(home, 0o777); err != nil {
				return err
			}
			e.Setenv("HOME", home)
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("TERM", "xterm-256color")
			// The step "go test race" of cmd/dev says why.
			e.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1")
			e.Values[environment{}] = e.Vars
			awaitForks()
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "landlock":
				return hasSandbox(), nil
			case "disk":
				return canMount(), nil
			case "box":
				if lacksBox() != nil {
					return false, nil
				}
				return true, compileBox()
			case "git-server":
				return gitBackend() != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"fetched":    fetched,
			"signal":     signalBackground,
			"matches":    matchesFile,
			"fits":       fits,
			"noprocess":  noProcess,
			"module":     makeModule,
			"publish":    publish,
			"wheel":      publishWheel,
			"disk":       mountDisk,
			"replay":     replay,
			"transcript": transcript,
			"console":    runConsole,
			"tree":       makeTree,
		},
	}
}

// awaitForks waits for the forks of other scripts that are under way. A child has all our files
// open until it executes its program. If one of them is a script that we have just written,
// whoever executes that before then gets the error ETXTBSY.
func awaitForks() {
	syscall.ForkLock.RLock()
	syscall.ForkLock.RUnlock() //lint:ignore SA2001 it is enough that they have ended
}

// environment is the key of a script's first environment.
type environment struct{}

// command returns a command of a script, to be started by a verb of ours.
func command(ts *testscript.TestScript, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	// It is the script's PATH, of which the first one counts.
	for _, dir := range slices.Backward(filepath.SplitList(ts.Getenv("PATH"))) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			cmd.Path, cmd.Err = file, nil
		}
	}
	cmd.Dir = ts.Getenv("WORK")
	// The script may have its own cache. With another one here, a module that it has had compiled
	// is compiled once more, and the person at the terminal told so.
	cmd.Env = append(slices.Clip(ts.Value(environment{}).([]string)), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	return cmd
}

// hasSandbox reports whether native commands can be confined here.
var hasSandbox = sync.OnceValue(func() bool {
	host, err := hostnative.New(hostnative.Config{NoKeeper: true})
	if err != nil {
		return false
	}
	defer host.Close()
	return slices.ContainsFunc(host.Report(), func(m hostnative.Mechanism) bool { return m.Name == "sandbox" && m.Used })
})

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND ARG…")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		status = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("got exit status %d, want %s", status, args[0])
	}
}

var signals = map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "QUIT": syscall.SIGQUIT}

func signalBackground(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signal HUP|INT|TERM|QUIT")
	}
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(signals[args[0]]))
	}
}

func matchesFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: matches FILE WANT")
	}
	got, want := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if err := matchJSON([]byte(got), []byte(want), map[string]string{}); err != nil {
		ts.Fatalf("%v\n%s", err, got)
	}
}

func fits(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	const most = 24 - 1 // the prompt has a line
	if len(lines) > most {
		ts.Fatalf("got %d lines, want at most %d", len(lines), most)
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			ts.Fatalf("got %d columns, want at most 80: %s", n, line)
		}
	}
}

func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	// Not WORK, which the commands of serve and harness do not get.
	marker := []byte("\x00HOME=" + filepath.Join(ts.Getenv("WORK"), ".home") + "\x00")
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var left []string
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		if len(files) == 0 {
			ts.Fatalf("there is no /proc here")
		}
		for _, file := range files {
			// An error means that it is gone, or not ours.
			environ, _ := os.ReadFile(file)
			if bytes.Contains(append([]byte{0}, environ...), marker) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
				left = append(left, fmt.Sprintf("%q", line))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("got processes left after %v: %s", patience, strings.Join(left, ", "))
		}
	}
}

func replay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: replay FILE")
	}
	cmd := exec.Command("go", "run", "./cmd/dev", "replay", ts.MkAbs(args[0]))
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		ts.Fatalf("%v\n%s\n%s", err, out, ts.ReadFile(args[0]))
	}
}
