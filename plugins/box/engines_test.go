package main

import (
	"bytes"
	"os/exec"
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

// TestEngines runs the same box under every engine, each line in a directory of its own. In node, whose WASI is another,
// it has no root and can start no other module.
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
	for name, run := range engines(t) {
		t.Run(name, func(t *testing.T) {
			for _, l := range lines {
				stdout, stderr, status := run(t, l.line)
				if stdout != l.want || status != l.status {
					t.Errorf("%s: got %q, status %d and %q, want %q and %d", l.line, stdout, status, stderr, l.want, l.status)
				}
			}
		})
	}
}

type runLine func(t *testing.T, line string) (stdout, stderr string, status int)

// engines returns how each engine that there is runs a line.
func engines(t *testing.T) map[string]runLine {
	all := map[string]runLine{}
	for _, on := range backends {
		h := newSandboxOn(t, on)
		all[on.name] = func(t *testing.T, line string) (string, string, int) {
			dir := t.TempDir()
			stdout, stderr, exit := runCommand(t, h, core.Command{
				Command: "bash", Args: []string{"-c", line}, Cwd: dir, Roots: []string{dir},
			})
			return stdout.String(), stderr.String(), int(exit.Status.ExitCode)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log(err)
		return all
	}
	const box = "../dist/box.wasm"
	all["node"] = func(t *testing.T, line string) (string, string, int) {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(node, "--no-warnings", "testdata/node.mjs", box, t.TempDir(), t.TempDir(), line)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
	return all
}
