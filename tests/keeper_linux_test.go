package tests

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
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
	const closeLimit = time.Second // of package keeper: how long it is waited for
	before := children()
	for _, args := range [][]string{
		{"run", "--", "true"},
		{"run", "--pty", "--", "sh", "-c", "sleep 100 & exit 3"},
		{"run", "--timeout", "10ms", "--", "sleep", "100"},
		{"run", "--", "no-such-command", "arg"},
		{"serve", "--stdio"},
		{"doctor"},
	} {
		inTime(t, 20, func() bool {
			began := time.Now()
			// How it exits is not the matter.
			out, err := exec.Command("terrarium", args...).CombinedOutput()
			took := time.Since(began)
			left := false
			for pid := range children() {
				if before[pid] {
					continue
				}
				stat, _ := os.ReadFile("/proc/" + pid + "/stat")
				what := fmt.Sprintf("terrarium %s: %v after %v, left %s\n%s", strings.Join(args, " "), err, took, stat, out)
				if took < closeLimit {
					t.Error(what)
					before[pid] = true
					continue
				}
				t.Log(what) // on a busy machine the keeper may need longer
				left = true
				number, _ := strconv.Atoi(pid)
				eventually(t, func() bool {
					reaped, err := syscall.Wait4(number, nil, syscall.WNOHANG, nil)
					return reaped == number || err == syscall.ECHILD
				})
			}
			return !left
		})
	}
}
