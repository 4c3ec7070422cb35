package strays

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Stat is what proc_pid_stat(5) says of a process.
type Stat struct {
	Zombie   bool // all of its threads have ended
	Headless bool // its first thread has ended, and others have not
	Stopped  bool
	Asleep   bool // it waits, and a signal would end that
	Kernel   bool // a thread of the kernel's, which has no environment
	Parent   int
	Group    int
	Session  int
	Start    uint64 // in clock ticks since boot

	// Environ is whether it has got the environment of its program, which a process
	// has not while it is executing another, and Variables whether there are any.
	// Both are false where we may not know.
	Environ, Variables bool
}

// otherThread returns the folder in /proc of a thread that runs of a process that is Headless.
// The first thread has no memory any longer, and so /proc/PID shows no environment and none in use.
func otherThread(pid int) (dir string, ok bool) {
	if group, err := unix.Getpgid(pid); err != nil || group == 0 {
		return "", false // a thread of the kernel's: there are many, and this takes less time
	}
	if s, err := ReadStat(pid); err != nil || !s.Headless {
		return "", false
	}
	tasks, err := os.ReadDir(proc(pid, "task"))
	if err != nil {
		return "", false
	}
	for _, task := range tasks {
		dir := proc(pid, "task/"+task.Name()+"/")
		if s, err := readStat(dir + "stat"); err == nil && s.Environ {
			return dir, true
		}
	}
	return "", false
}

// pfKthread is PF_KTHREAD of linux/sched.h.
const pfKthread = 0x0020_0000

// ReadStat returns the Stat of the process pid.
func ReadStat(pid int) (Stat, error) { return readStat(proc(pid, "stat")) }

func readStat(path string) (s Stat, err error) {
	b, err := readFile(path)
	if err != nil {
		return s, err
	}
	// The name, in brackets, may hold anything; state is the third field.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return s, fmt.Errorf("%s: got %d fields", path, len(fields))
	}
	// The state is the first thread's. That one may end alone (pthread_exit(3)), and is a zombie
	// until the others have ended; num_threads counts it meanwhile.
	ended := fields[0] == "Z" || fields[0] == "X"
	threads, _ := strconv.Atoi(fields[17])
	s.Zombie, s.Headless = ended && threads <= 1, ended && threads > 1
	s.Stopped = fields[0] == "T" || fields[0] == "t"
	s.Asleep = fields[0] == "S"
	flags, _ := strconv.ParseUint(fields[6], 10, 32)
	s.Kernel = flags&pfKthread != 0
	s.Parent, _ = strconv.Atoi(fields[1])
	s.Group, _ = strconv.Atoi(fields[2])
	s.Session, _ = strconv.Atoi(fields[3])
	if len(fields) > 48 { // since Linux 3.5
		s.Environ, s.Variables = fields[47] != "0", fields[47] != fields[48]
	}
	s.Start, err = strconv.ParseUint(fields[19], 10, 64)
	return s, err
}

// Signals are sets of signals, as proc_pid_status(5) has them.
type Signals struct {
	Blocked, Ignored, Handled uint64
}

// ReadSignals returns what the process pid does about signals: nothing, if it
// has ended.
func ReadSignals(pid int) (s Signals) {
	b, err := readFile(proc(pid, "status"))
	if err != nil {
		return s
	}
	mask := func(name string) uint64 {
		_, rest, _ := bytes.Cut(b, []byte("\n"+name+":\t"))
		digits, _, _ := bytes.Cut(rest, []byte("\n"))
		set, _ := strconv.ParseUint(string(digits), 16, 64)
		return set
	}
	return Signals{mask("SigBlk"), mask("SigIgn"), mask("SigCgt")}
}

// Handles reports whether there is a function for sig.
func (s Signals) Handles(sig unix.Signal) bool { return s.Handled>>(sig-1)&1 != 0 }

// Ignores reports whether sig has no effect.
func (s Signals) Ignores(sig unix.Signal) bool { return s.Ignored>>(sig-1)&1 != 0 }

// Ends reports whether sig is left to end the process.
func (s Signals) Ends(sig unix.Signal) bool {
	switch sig {
	case unix.SIGCHLD, unix.SIGCONT, unix.SIGURG, unix.SIGWINCH, // signal(7): Ign, Cont
		unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU: // Stop
		return false
	}
	return (s.Blocked|s.Ignored|s.Handled)>>(sig-1)&1 == 0
}

// Descendants returns those below pids. It is sure if none of all has ended
// meanwhile: what that one had started has another parent since, whose children
// may have been read before.
func Descendants(pids []int) (list []int, sure bool) {
	sure = true
	list = slices.Clone(pids)
	for i := 0; i < len(list); i++ {
		pid := list[i]
		if s, err := ReadStat(pid); err != nil || s.Zombie {
			continue // it has no children any longer
		}
		var known bool
		list, known = children(list, pid)
		s, err := ReadStat(pid)
		sure = sure && known && err == nil && !s.Zombie
	}
	return list[len(pids):], sure
}

// children appends the children of the process pid to list.
func children(list []int, pid int) (_ []int, sure bool) {
	tasks, err := os.ReadDir(proc(pid, "task"))
	if err != nil {
		return list, false
	}
	sure = true
	for _, task := range tasks {
		b, known := readChildren(proc(pid, "task/"+task.Name()+"/children"))
		list = appendPids(list, b)
		sure = sure && known // a thread that ends leaves its children to another one
	}
	return list, sure
}

// ListsChildren returns why the kernel does not list children, or nil.
func ListsChildren() error {
	self := os.Getpid()
	if _, err := readFile(proc(self, "task/"+strconv.Itoa(self)+"/children")); err != nil {
		return fmt.Errorf("the kernel does not list children: %w", err)
	}
	return nil
}

// Orphans returns the children of this process's first thread: only that one
// gets orphans (find_new_reaper in Linux's kernel/exit.c).
func Orphans() (list []int, sure bool) {
	self := os.Getpid()
	b, sure := readChildren(proc(self, "task/"+strconv.Itoa(self)+"/children"))
	return appendPids(nil, b), sure
}

// readChildren reads a list of children until it has got the same twice. Once
// is not enough: the kernel counts its way to where the next read begins, and so
// leaves one out for each that was before there and is gone since (proc(5): the
// list is reliable only if all are stopped).
func readChildren(path string) (b []byte, sure bool) {
	fd, err := open(path, unix.O_RDONLY)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	var last []byte
	for i := range maxReads {
		b, err = readAll(fd)
		if err != nil {
			return nil, false
		}
		if i > 0 && bytes.Equal(b, last) {
			return b, true
		}
		last = b
		if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
			return b, false
		}
	}
	return b, false
}

// maxReads bounds readChildren where children come and go all the time.
const maxReads = 8

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
// start, and reports whether it has: there may be none, or one that we may not
// signal.
func Signal(pid int, start uint64, sig unix.Signal) (sent bool) {
	if pid <= 1 {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return false
	}
	// What fd means is settled; now see whether that is what was meant.
	if s, statErr := ReadStat(pid); statErr == nil && s.Start == start {
		if err != nil {
			sent = unix.Kill(pid, sig) == nil
		} else {
			sent = unix.PidfdSendSignal(fd, sig, nil, 0) == nil
		}
	}
	if err == nil {
		unix.Close(fd)
	}
	return sent
}

// KillTagged sends SIGKILL to every process whose tag is wanted, and returns
// how many it has found alive. It is sure if all had an environment to look at.
func KillTagged(wanted func(tag string) bool) (found int, sure bool) {
	self := os.Getpid()
	sure = true
	late := time.Now().Add(ExecLimit)
	for _, pid := range Processes() {
		if pid == self {
			continue
		}
		tag, known := ReadTag(pid)
		if !known && !hasProgram(pid) {
			// One that has ended since it was listed may have forked before. Threads
			// of the kernel are in group 0.
			group, err := unix.Getpgid(pid)
			sure = sure && err == nil && group == 0
			continue
		}
		for !known && executes(pid) && time.Now().Before(late) {
			time.Sleep(Pause)
			tag, known = ReadTag(pid)
		}
		sure = sure && known
		if tag == "" || !wanted(tag) {
			continue
		}
		// Most processes never come here: their stat takes the system longer
		// than all the rest.
		s, err := ReadStat(pid)
		if err != nil || s.Zombie {
			continue
		}
		// The one with that tag may have ended, and its number be another's by now. The tag is that
		// of whom Signal takes only if it is read after the start.
		if tag, _ := ReadTag(pid); tag != "" && wanted(tag) {
			Signal(pid, s.Start, unix.SIGKILL)
		}
		found++
	}
	return found, sure
}

// ExecLimit is how long to wait for processes that are executing another program. They have no
// environment meanwhile, and on a busy machine the kernel may leave one for longer there than it
// takes to look a few times. Then nobody would find it any more: what has started it may be gone
// already.
const ExecLimit = time.Second

// executes reports whether a process is just executing another program.
func executes(pid int) bool {
	s, err := ReadStat(pid)
	return err == nil && !s.Zombie && !s.Kernel && !s.Environ
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
