package hostnative

import (
	"errors"
	"fmt"
	"time"
)

// Limits are what each command may use, with all that it starts. The zero value of each is no
// limit. core.Exit.Reason says for which one a command was killed, and so does the end of its
// output: Process.Wait waits for who reads that, 5 s at the most. They hold until Process.Close,
// so what a command has left running is killed as well; then only the end of the output says so.
//
// CPU, Memory, Disk, Processes, FileSize and OpenFiles take Linux: elsewhere New fails. CPU, Memory
// and Disk are watched by the keeper. A command that stops it is noticed after some 20 s, and all
// commands of that keeper end (core.ReasonLost).
type Limits struct {
	// Wall is the longest it may run (core.ReasonTimeout), and Idle the longest without
	// any output or input (core.ReasonIdle).
	Wall, Idle time.Duration

	// CPU is the time that processors may compute for it, of all together (core.ReasonCPU).
	// Where it has no cgroup, time is not counted of processes that have ended between two
	// looks, and that neither their parent nor the keeper has waited for.
	CPU time.Duration

	// Memory is how many bytes it may have in memory and in swap, but for files
	// (core.ReasonMemory). What processes share counts once, and what is in a file
	// of /dev/shm, or shared in another way (memfd_create(2)), only while a process has it
	// mapped and has touched it. It is looked at ten times a
	// second: one that takes more at once has it until then. Where the memory controller of
	// version 2 cgroups can be had, as pids for Processes, the kernel keeps to it besides, and
	// kills at once: then what is in /dev/shm counts for who has written it, and there is no swap.
	Memory int64

	// Disk is how many bytes it may write to disks (core.ReasonDisk), looked at as Memory
	// is. Not counted are what is only reserved (fallocate(2)), and processes that let nobody
	// look (PR_SET_DUMPABLE) or that end between two looks as orphans where there is no keeper.
	Disk int64

	// Output is how many bytes it may write to its streams (core.ReasonOutput). What comes
	// after is dropped, and the exit is that of one that was killed even if it has ended before.
	// OutputRate is how many bytes of it are read in a second: it waits when its pty or pipe
	// is full, and that is not Idle.
	Output, OutputRate int64

	// Processes is how many processes and threads there may be at once: fork(2) fails with
	// EAGAIN. It takes the pids controller of version 2 cgroups: in the root one; in the one that
	// this program is in, if nobody else is, and then New moves it to "keeper" below, for good;
	// or else in the one above, if that has no processes and may be written. Elsewhere New fails.
	// In a sandbox it is of a session's commands together where these have no cgroups of their own.
	Processes int
	// ProcessesIfPossible has New go on without Processes where the system can't keep to it:
	// Host.LimitsLack says so. A fork bomb is then bounded by what this program may start.
	ProcessesIfPossible bool

	// FileSize is how many bytes a file may have that it writes (SIGXFSZ, or EFBIG), and
	// OpenFiles how many descriptors each of its processes may have (EMFILE), at least 8.
	// They begin with these. The hard limit of OpenFiles, up to which they may raise theirs, is
	// set a moment after the start, and in a sandbox not at all; without a keeper that is so of
	// both, and a process that is being forked at that moment may keep what it had. More than
	// this program's own hard limits (setrlimit(2)) can't be given. A command that is root with
	// CAP_SYS_RESOURCE raises them as it likes, but not in a sandbox, which takes that capability.
	FileSize  int64
	OpenFiles int
}

// ErrLimits is in the error of New where the system can't keep to Config.Limits, beside
// errors.ErrUnsupported. On Linux that is so of Processes alone.
var ErrLimits = errors.New("limits")

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
