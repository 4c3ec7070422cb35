package strays

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Use is what a process uses, as far as we may know it.
type Use struct {
	// CPU is the time that it and those children have computed that it has waited for.
	CPU time.Duration
	// Memory is what it has in memory and in swap, in bytes, but for files.
	Memory int64
	// Written is how many bytes went to disks, of it and those children; 0 for a process that
	// lets nobody look (prctl(2), PR_SET_DUMPABLE).
	Written int64
}

// tick is proc_pid_stat(5)'s unit of time: USER_HZ is 100 on all processors that Go knows.
const tick = time.Second / 100

// ReadUse returns the Use of the process pid, which may be a zombie. What several processes
// share counts for each of them.
func ReadUse(pid int) (u Use, err error) {
	b, err := readFile(proc(pid, "stat"))
	if err != nil {
		return u, err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 15 {
		return u, fmt.Errorf("%s: got %d fields", proc(pid, "stat"), len(fields))
	}
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime
		n, _ := strconv.ParseInt(f, 10, 64)
		u.CPU += time.Duration(n) * tick
	}
	if b, err = readFile(proc(pid, "status")); err != nil {
		return u, err
	}
	if !bytes.Contains(b, []byte("\nRssAnon:")) { // a zombie, or one that is Headless
		if dir, ok := otherThread(pid); ok {
			b, _ = readFile(dir + "status")
		}
	}
	u.Memory = (number(b, "RssAnon") + number(b, "RssShmem") + number(b, "VmSwap")) << 10
	b, _ = readFile(proc(pid, "io"))
	u.Written = number(b, "write_bytes")
	return u, nil
}

// Share returns ReadUse's Memory, where what n processes share counts for each of them by one
// nth. It takes some milliseconds for each GiB. ok is false where we may not know.
func Share(pid int) (bytes int64, ok bool) {
	b, err := readFile(proc(pid, "smaps_rollup"))
	if err != nil || len(b) == 0 {
		dir, ok := otherThread(pid)
		if !ok {
			return 0, false
		}
		if b, err = readFile(dir + "smaps_rollup"); err != nil || len(b) == 0 {
			return 0, false
		}
	}
	return (number(b, "Pss_Anon") + number(b, "Pss_Shmem") + number(b, "SwapPss")) << 10, true
}

// CPU returns the time that all that were in c have computed.
func (c Cgroup) CPU() (time.Duration, error) {
	b, err := readFile(string(c) + "/cpu.stat")
	if err != nil {
		return 0, err
	}
	usec, _, _ := strings.Cut(strings.TrimPrefix(string(b), "usage_usec "), "\n")
	n, err := strconv.ParseInt(usec, 10, 64)
	return time.Duration(n) * time.Microsecond, err
}

// number returns what a line of b says that begins with a name and a colon, or 0.
func number(b []byte, name string) int64 {
	for line := range bytes.Lines(b) {
		rest, ok := bytes.CutPrefix(line, []byte(name+":"))
		if !ok {
			continue
		}
		if fields := bytes.Fields(rest); len(fields) > 0 {
			n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
			return n
		}
	}
	return 0
}
