package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// isHeld reports whether a worker that was killed can't end: one of its threads waits in the
// kernel, or somebody traces it. So is one that has ended, whose end we have not noted: what we do
// for it is held up then. One that only waits for a processor is not held.
//
// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
func isHeld(pid int) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(proc + "/status")
	if err != nil || !bytes.Contains(status, []byte("\nTracerPid:\t0\n")) {
		return true
	}
	threads, _ := filepath.Glob(proc + "/task/*/stat")
	for _, thread := range threads {
		stat, _ := os.ReadFile(thread) // an error means that it has ended
		if _, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" ")); bytes.HasPrefix(after, []byte("D ")) {
			return true
		}
	}
	return false
}
