package tests

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A command that ends in its own time leaves no process to whoever adopts
// orphans, not even its keeper: that one would have to reap it.
func TestKeeperIsReaped(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	// What other tests leave as an orphan is not ours to reap.
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	before := children()
	for _, args := range [][]string{
		{"run", "--", "true"},
		{"run", "--pty", "--", "sh", "-c", "sleep 100 & exit 3"},
		{"run", "--timeout", "10ms", "--", "sleep", "100"},
		{"run", "--", "no-such-command", "arg"},
		{"serve", "--stdio"},
		{"doctor"},
	} {
		began := time.Now()
		// How it exits is not the matter.
		out, err := exec.Command("terrarium", args...).CombinedOutput()
		took := time.Since(began)
		for pid := range children() {
			if !before[pid] {
				stat, _ := os.ReadFile("/proc/" + pid + "/stat")
				t.Errorf("terrarium %s: %v after %v, left %s\n%s", strings.Join(args, " "), err, took, stat, out)
				before[pid] = true
			}
		}
	}
}
