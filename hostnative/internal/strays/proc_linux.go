package strays

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Stat is what proc_pid_stat(5) says of a process.
type Stat struct {
	Zombie  bool
	Kernel  bool // a thread of the kernel's, which has no environment
	Session int
	Group   int
	Start   uint64 // in clock ticks since boot
}

// pfKthread is PF_KTHREAD of linux/sched.h.
const pfKthread = 0x0020_0000

// ReadStat returns the Stat of the process pid.
func ReadStat(pid int) (s Stat, err error) {
	b, err := readFile(proc(pid, "stat"))
	if err != nil {
		return s, err
	}
	// The name, in brackets, may hold anything; state is the third field.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return s, fmt.Errorf("%s: got %d fields", proc(pid, "stat"), len(fields))
	}
	s.Zombie = fields[0] == "Z" || fields[0] == "X"
	flags, _ := strconv.ParseUint(fields[6], 10, 32)
	s.Kernel = flags&pfKthread != 0
	s.Group, _ = strconv.Atoi(fields[2])
	s.Session, _ = strconv.Atoi(fields[3])
	s.Start, err = strconv.ParseUint(fields[19], 10, 64)
	return s, err
}

// ReadTag returns the value of Env in the environment that the process pid was
// started with, or "" if it has none or we may not know. sure is false if it
// has no environment at all: it may just be executing another program.
func ReadTag(pid int) (tag string, sure bool) {
	b, err := readFile(proc(pid, "environ"))
	if err != nil {
		return "", true
	}
	for kv := range bytes.SplitSeq(b, []byte{0}) {
		if value, ok := bytes.CutPrefix(kv, []byte(Env+"=")); ok {
			return string(value), true
		}
	}
	return "", len(b) > 0
}

// Children appends the children of the process pid to list.
func Children(list []int, pid int) []int {
	tasks, err := os.ReadDir(proc(pid, "task"))
	if err != nil {
		return list
	}
	for _, task := range tasks {
		b, _ := readFile(proc(pid, "task/"+task.Name()+"/children")) // it may have ended
		list = appendPids(list, b)
	}
	return list
}

// Orphans returns the children of this process's first thread: only that one
// gets orphans (find_new_reaper in Linux's kernel/exit.c).
func Orphans() []int {
	self := os.Getpid()
	b, _ := readFile(proc(self, "task/"+strconv.Itoa(self)+"/children"))
	return appendPids(nil, b)
}

// Processes returns all processes of our pid namespace.
func Processes() (list []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// Signal sends sig to the process pid if it is the one that was started at
// start. It is not an error if there is none.
func Signal(pid int, start uint64, sig unix.Signal) {
	if pid <= 1 {
		return
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return
	}
	// What fd means is settled; now see whether that is what was meant.
	if s, statErr := ReadStat(pid); statErr == nil && s.Start == start {
		if err != nil {
			unix.Kill(pid, sig)
		} else {
			unix.PidfdSendSignal(fd, sig, nil, 0)
		}
	}
	if err == nil {
		unix.Close(fd)
	}
}

// KillTagged sends SIGKILL to every process whose tag is wanted, and returns
// how many it has found alive. It is sure if all had an environment to look at.
func KillTagged(wanted func(tag string) bool) (found int, sure bool) {
	self := os.Getpid()
	sure = true
	for _, pid := range Processes() {
		if pid == self {
			continue
		}
		tag, known := ReadTag(pid)
		if !known && !hasProgram(pid) {
			continue
		}
		sure = sure && known
		if tag == "" || !wanted(tag) {
			continue
		}
		// Most processes never come here: their stat takes the system longer
		// than all the rest.
		if s, err := ReadStat(pid); err == nil && !s.Zombie {
			Signal(pid, s.Start, unix.SIGKILL)
			found++
		}
	}
	return found, sure
}

// hasProgram reports whether a process runs one: kernel threads and zombies do not.
func hasProgram(pid int) bool {
	var one [1]byte
	_, err := unix.Readlink(proc(pid, "exe"), one[:])
	return err != unix.ENOENT && err != unix.ESRCH
}

func proc(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

func appendPids(list []int, b []byte) []int {
	for field := range bytes.FieldsSeq(b) {
		if pid, err := strconv.Atoi(string(field)); err == nil {
			list = append(list, pid)
		}
	}
	return list
}
