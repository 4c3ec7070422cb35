package tests

import (
	"context"
	"os/exec"
	"testing"
)

// TestSandboxProcesses sees and ends the processes of a sandbox's terminal from inside, with the
// built command: in a worker, and in its own process. Two terminals at once do not see each other.
func TestSandboxProcesses(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	const script = `sleep 100 & bash -c 'sleep 100; true' &
ps -o pid,ppid,comm
pkill -P $! sleep; wait %2; echo $?
kill %1; wait %1; echo $?; ps -o pid=,comm=
trap 'echo caught' TERM; bash -c 'kill -TERM 1'; trap - TERM; bash -c 'kill $PPID'; echo no`
	const want = `    PID    PPID COMMAND
      1       0 bash
      2       1 sleep
      3       1 bash
      4       1 ps
      5       3 sleep
0
143
      1 bash
      7 ps
caught
`
	for name, flags := range map[string][]string{"worker": nil, "in-process": {"--in-process"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			args := append(append([]string{"run", "--host", "wasm"}, flags...), "--", "bash", "-c", script)
			cmd := exec.CommandContext(ctx, "terrarium", args...)
			out, err := cmd.Output()
			const terminated = 128 + 15
			if string(out) != want || cmd.ProcessState.ExitCode() != terminated {
				t.Errorf("got\n%sand %v, want\n%sand status %d", out, err, want, terminated)
			}
		})
	}
}
