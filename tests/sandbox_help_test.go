package tests

import (
	"os/exec"
	"strings"
	"testing"
)

// TestSandboxHelp holds "terrarium help sandbox" against what a command sees: the
// variables that it has, and where it starts.
func TestSandboxHelp(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	help, err := exec.Command("terrarium", "help", "sandbox").Output()
	if err != nil {
		t.Fatal(err)
	}
	first := t.TempDir()
	out, err := exec.Command("terrarium", "run", "--host", "wasm", "--mount", first, "--mount", t.TempDir()+":/second",
		"--env", "MINE=1", "--", "env").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if name == "PWD" && value != first {
			t.Errorf("it starts in %q, want the first mount, %q", value, first)
		}
		if name != "MINE" {
			names = append(names, name)
		}
	}
	words := strings.Join(strings.Fields(string(help)), " ")
	if list := strings.Join(names, ", "); !strings.Contains(words, "the variables "+list+" and those of --env") {
		t.Errorf("the help does not have the variables %s:\n%s", list, help)
	}
}
