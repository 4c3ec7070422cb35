package tests

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDocker and TestPodman have terminals in a container that a person has started. "make
// conformance" runs them.
func TestDocker(t *testing.T) { inContainer(t, "docker", "TERRARIUM_DOCKER") }
func TestPodman(t *testing.T) { inContainer(t, "podman", "TERRARIUM_PODMAN") }

func inContainer(t *testing.T, scheme, variable string) {
	watchModule(t)
	name := os.Getenv(variable)
	if name == "" {
		t.Skipf("NOT RUN: %s is not set: it names a container that runs, with a shell in it", variable)
	}
	for range 2 { // the first may have to copy terrarium there
		cmd := exec.CommandContext(limited(t), "terrarium", "run", "--on", scheme+":"+name, "--cwd", "/", "--", "sh", "-c", "pwd; cat; exit 3")
		cmd.Stdin = strings.NewReader("input\n")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, _ := cmd.Output() // its error is the status
		if got := string(out); got != "/\ninput\n" || cmd.ProcessState.ExitCode() != 3 {
			t.Fatalf("got %q and %v\n%s", got, cmd.ProcessState, &stderr)
		}
	}
}
