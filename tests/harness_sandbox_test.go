package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

// TestHarnessInSandbox: an agent types into the sandbox's own shell. The waits
// would be a minute together; the shell's marks end them.
func TestHarnessInSandbox(t *testing.T) {
	for _, m := range plugins.Modules() {
		if _, err := m.Load(); m.Name == "box" && err != nil {
			t.Skip("NOT RUN: ", err)
		}
	}
	dir := t.TempDir()
	answers := filepath.Join(dir, "answers")
	const typed = `{"analysis":"","plan":"","commands":[
		{"keystrokes":"echo one > f; cat f | tr a-z A-Z\n","duration":20},
		{"keystrokes":"seq 3 > g\n","duration":20},
		{"keystrokes":"wc -l < g\n","duration":20}]}
{"analysis":"","plan":"","commands":[],"task_complete":true}
{"analysis":"","plan":"","commands":[],"task_complete":true}
`
	if err := os.WriteFile(answers, []byte(typed), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("terrarium", "harness", "--host", "wasm", "--mount", dir, "--instruction", "type", "--json",
		"--", "cat", answers)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	var got struct {
		Completed  bool
		Screen     string
		DurationMs int64
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const screen = "bash-5.2$ echo one > f; cat f | tr a-z A-Z\nONE\nbash-5.2$ seq 3 > g\n" +
		"bash-5.2$ wc -l < g\n3\nbash-5.2$\n"
	if !got.Completed || got.Screen != screen {
		t.Errorf("got %v and the screen\n%s\nwant true and\n%s", got.Completed, got.Screen, screen)
	}
	if got.DurationMs >= 60_000 {
		t.Errorf("got %d ms: no wait has ended early", got.DurationMs)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "f")); string(b) != "one\n" {
		t.Errorf("what the shell wrote: got %q, %v, want %q", b, err, "one\n")
	}
}
