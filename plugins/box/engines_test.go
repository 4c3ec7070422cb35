package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// A backend is an engine of ours. A file with a build tag adds to them.
type backend struct {
	name string
	open func() (engine.Engine, error)
}

var backends = []backend{{"wazero", func() (engine.Engine, error) { return wazero.New(wazero.Config{}) }}}

// TestEngines runs the same box under every engine, each line in a directory of its own. In node,
// whose WASI is another, it has no root and can start no other module.
func TestEngines(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 13 MB for each engine")
	}
	lines := []struct {
		line, want string
		status     int
	}{
		{line: "echo hi | tr a-z A-Z; cat <<E\nx $((1 + 1))\nE", want: "HI\nx 2\n"},
		{line: "false | true; echo ${PIPESTATUS[@]}; yes | head -1", want: "1 0\ny\n"},
		{line: "nosuch 2>&1", want: "bash: line 1: nosuch: command not found\n", status: 127},
		{line: "trap 'echo bye' EXIT; exit 3", want: "bye\n", status: 3},
		{line: "seq 20000 | sort -rn | sed -n '1p;$p' | awk '{ s += $1 } END { print s }'", want: "20001\n"},
		{line: "mkdir -p d/e && printf 'b\\na\\nb\\n' >d/e/f && cd d && sort -u e/f | tee ../out && find . -type f | xargs wc -l", want: "a\nb\n3 ./e/f\n"},
		{line: "echo a >f && mv f g && cat g && rm g && ls -A | wc -l", want: "a\n0\n"},
		{line: "printf 1 | sha256sum | cut -c1-8; echo '{\"a\":[1,2]}' | jq -c .a", want: "6b86b273\n[1,2]\n"},
		{line: "(sleep 0.05; echo late) & echo early; wait", want: "early\nlate\n"},
		{line: "for i in 1 2 3; do echo $i; done | while read -r n; do printf '%s ' $((n * n)); done", want: "1 4 9 "},
		{line: "diff <(echo a) <(echo b)", want: "1c1\n< a\n---\n> b\n", status: 1},
	}
	var all []string
	for _, l := range lines {
		all = append(all, l.line)
	}
	for name, run := range engines(t) {
		t.Run(name, func(t *testing.T) {
			for i, got := range run(t, all) {
				if l := lines[i]; got.stdout != l.want || got.status != l.status {
					t.Errorf("%s: got %q, status %d and %q, want %q and %d", l.line, got.stdout, got.status, got.stderr, l.want, l.status)
				}
			}
		})
	}
}

// runLines returns what became of each of the lines.
type runLines func(t *testing.T, lines []string) []outcome

// engines returns how each engine that there is runs lines.
func engines(t *testing.T) map[string]runLines {
	all := map[string]runLines{}
	for _, on := range backends {
		h := newSandboxOn(t, on)
		all[on.name] = func(t *testing.T, lines []string) (got []outcome) {
			for _, line := range lines {
				dir := t.TempDir()
				stdout, stderr, exit := runCommand(t, h, core.Command{
					Command: "bash", Args: []string{"-c", line}, Cwd: dir, Roots: []string{dir},
				})
				got = append(got, outcome{stdout: stdout.String(), stderr: stderr.String(), status: int(exit.Status.ExitCode)})
			}
			return got
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log(err)
		return all
	}
	all["node"] = func(t *testing.T, lines []string) []outcome { return runInNode(t, node, lines) }
	return all
}

func runInNode(t *testing.T, node string, lines []string) []outcome {
	const box = "../dist/box.wasm"
	dir := t.TempDir()
	for i := range lines {
		for _, name := range []string{"work", "tmp"} {
			if err := os.MkdirAll(filepath.Join(dir, strconv.Itoa(i), name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Node 20 compiles a function when it is first called, and crashes doing so in half of the runs
	// on a busy machine. Told not to be lazy, it compiles the module whole, which takes a second
	// more.
	var out []byte
	var err error
	for range 3 {
		cmd := exec.Command(node, append([]string{
			"--no-warnings", "--no-wasm-lazy-compilation", "testdata/node.mjs", box, dir,
		}, lines...)...)
		cmd.Stderr = os.Stderr
		out, err = cmd.Output()
		// It still crashed once, at a load of 24. The module can't be the reason: an engine that it
		// could crash would be no sandbox.
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() >= 0 {
			break
		}
		t.Log("node has crashed: ", err)
	}
	var statuses []int
	if err := errors.Join(err, json.Unmarshal(out, &statuses)); err != nil || len(statuses) != len(lines) {
		t.Fatalf("got %q, %v", out, err)
	}
	got := make([]outcome, len(lines))
	for i, status := range statuses {
		stdout, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i), "stdout"))
		stderr, err2 := os.ReadFile(filepath.Join(dir, strconv.Itoa(i), "stderr"))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		got[i] = outcome{stdout: string(stdout), stderr: string(stderr), status: status}
	}
	return got
}
