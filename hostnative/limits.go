package hostnative

import (
	"fmt"
	"time"
)

// Limits are what each command may use, with all that it starts. The zero value of each is no
// limit. core.Exit.Reason says for which one a command was killed, and so does the end of its
// output.
//
// CPU, Memory, Disk, Processes, FileSize and OpenFiles take Linux: elsewhere New fails.
type Limits struct {
	// Wall is the longest it may run (core.ReasonTimeout), and Idle the longest without
	// any output or input (core.ReasonIdle).
	Wall, Idle time.Duration

	// CPU is the time that processors may compute for it, of all together (core.ReasonCPU).
	// Where it has no cgroup, time is not counted of processes that have ended and that
	// their own parent has not waited for.
	CPU time.Duration

	// Memory is how many bytes it may have in memory and in swap, but for files
	// (core.ReasonMemory). What processes share counts once, and what is in a file
	// of /dev/shm only while a process has it mapped. It is looked at ten times a
	// second: one that takes more at once has it until then.
	Memory int64

	// Disk is how many bytes it may write to disks (core.ReasonDisk), looked at as Memory
	// is. Not counted are processes that let nobody look (PR_SET_DUMPABLE).
	Disk int64

	// Output is how many bytes it may write to its streams (core.ReasonOutput). What comes
	// after is dropped. OutputRate is how many bytes of it are read in a second: it waits
	// when its pty or pipe is full.
	Output, OutputRate int64

	// Processes is how many processes and threads there may be at once: fork(2) fails with
	// EAGAIN. It takes the pids controller of version 2 cgroups in the one that this program
	// is in; New fails where there is none. In a sandbox it is of a session's commands together.
	Processes int

	// FileSize is how many bytes a file may have that it writes (SIGXFSZ, or EFBIG), and
	// OpenFiles how many descriptors each of its processes may have (EMFILE), at least 8;
	// that is set a moment after the start. More than this program's own hard limits
	// (setrlimit(2)) can't be given.
	FileSize  int64
	OpenFiles int
}

// leastOpenFiles is what it takes to begin: three streams, the program, its libraries.
const leastOpenFiles = 8

// check says which limit makes no sense.
func (l Limits) check() error {
	for name, n := range map[string]int64{
		"Wall": int64(l.Wall), "Idle": int64(l.Idle), "CPU": int64(l.CPU), "Memory": l.Memory, "Disk": l.Disk, "Output": l.Output,
		"OutputRate": l.OutputRate, "Processes": int64(l.Processes), "FileSize": l.FileSize, "OpenFiles": int64(l.OpenFiles),
	} {
		if n < 0 {
			return fmt.Errorf("limit %s: %d is negative", name, n)
		}
	}
	if l.OpenFiles > 0 && l.OpenFiles < leastOpenFiles {
		return fmt.Errorf("limit OpenFiles: %d is too few: at least %d", l.OpenFiles, leastOpenFiles)
	}
	return nil
}
