package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestExampleAgents has each of the agents in examples/agents do its task, in
// both modes.
func TestExampleAgents(t *testing.T) {
	absolute := func(name string) string {
		path, err := filepath.Abs("examples/agents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	python, javaScript := absolute("count.py"), absolute("count.mjs")
	for _, file := range []string{python, javaScript} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > 40 {
			t.Errorf("%s: got %d lines, want at most 40", file, n)
		}
	}
	for _, test := range []struct {
		name  string
		agent []string
	}{
		{"Go", []string{build(t, "tests/examples/agents/count")}},
		{"Python", []string{"python3", python}},
		{"JavaScript", []string{"node", javaScript}},
	} {
		for _, strict := range []string{"--strict=false", "--strict"} {
			t.Run(test.name+" "+strict, func(t *testing.T) {
				if _, err := exec.LookPath(test.agent[0]); err != nil {
					t.Skip(err)
				}
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				args := []string{"harness", strict, "--cwd", dir, "--env", "HOME=" + dir, "--instruction", "Write how many lines words.txt has to count.txt.", "--"}
				cmd := exec.CommandContext(limited(t), "terrarium", append(args, test.agent...)...)
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("got %v and %q, want silence", err, out)
				}
				if got, err := os.ReadFile(filepath.Join(dir, "count.txt")); string(got) != "3\n" {
					t.Errorf("got count.txt %q, %v, want 3", got, err)
				}
			})
		}
	}
}
