package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHarnessNew has "harness new" write an agent in each language, runs the agent's own test, and
// has "harness" run the agent, all as its README says.
func TestHarnessNew(t *testing.T) {
	offline := []string{"GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "CARGO_NET_OFFLINE=true"}
	for _, test := range []struct {
		language string
		needs    string
		commands [][]string // the agent's own test, and what builds it
		agent    []string
	}{
		{"go", "go", [][]string{{"go", "vet", "."}, {"go", "test", "."}, {"go", "build", "-o", "agent", "."}}, []string{"./agent"}},
		{"javascript", "node", [][]string{{"node", "--test"}}, []string{"node", "main.mjs"}},
		{"python", "python3", [][]string{{"python3", "-m", "unittest"}}, []string{"python3", "main.py"}},
		{"rust", "cargo", [][]string{{"cargo", "test"}, {"cargo", "build"}}, []string{"target/debug/terminal-agent"}},
	} {
		t.Run(test.language, func(t *testing.T) {
			if out, err := exec.Command(test.needs, "--version").CombinedOutput(); test.needs != "go" && err != nil {
				t.Skipf("NOT RUN: no %s here: %v %s", test.needs, err, out)
			}
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "agent")
			run := func(name string, args ...string) {
				t.Helper()
				cmd := exec.CommandContext(limited(t), name, args...)
				if name != "terrarium" || args[1] != "new" {
					cmd.Dir = dir
				}
				cmd.Env = append(os.Environ(), offline...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", cmd, err, out)
				}
			}
			run("terrarium", "harness", "new", "--lang", test.language, dir)
			for _, c := range test.commands {
				run(c[0], c[1:]...)
			}
			run("terrarium", append([]string{"harness", "--instruction", "Write hello to hello.txt.", "--"}, test.agent...)...)
			if got, err := os.ReadFile(filepath.Join(dir, "hello.txt")); string(got) != "hello\n" {
				t.Errorf("got hello.txt %q, %v, want hello", got, err)
			}
		})
	}
}
