package hostnative

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Reading reports whether the command, rather than what it has started, waits
// for somebody to type: whether its first thread is in a system call that reads
// its terminal, or that waits for files and so perhaps for the terminal. known
// is false where the system does not say. What was typed a moment ago may not
// have woken it yet.
func (p *process) Reading() (reading, known bool) {
	if p.io.tty == nil {
		return false, false
	}
	// One that ends meanwhile may leave its number to a stranger, who does not have
	// this terminal.
	if p.Exited() {
		return false, false
	}
	proc := "/proc/" + strconv.Itoa(p.Pid())
	// A number and its arguments, or "running".
	// https://man7.org/linux/man-pages/man5/proc_pid_syscall.5.html
	call, err := os.ReadFile(proc + "/syscall")
	if err != nil {
		return false, false
	}
	fields := bytes.Fields(call)
	if len(fields) < 2 {
		return false, true
	}
	number, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		return false, false
	}
	if slices.Contains(waitsForFiles, number) {
		return true, true
	}
	fd, err := strconv.ParseUint(string(fields[1]), 0, 31)
	return number == unix.SYS_READ && err == nil && p.isTTY(proc+"/fd/"+strconv.FormatUint(fd, 10)), true
}

// Woken returns how often the command's first thread has begun to wait for something: it grows
// when the thread, having waited, has done something and waits again. known is false where the
// system does not say.
//
// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
func (p *process) Woken() (times uint64, known bool) {
	if p.Exited() {
		return 0, false
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid()) + "/status")
	if err != nil {
		return 0, false
	}
	_, after, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:"))
	count, _, _ := bytes.Cut(after, []byte("\n"))
	times, err = strconv.ParseUint(string(bytes.TrimSpace(count)), 10, 64)
	return times, err == nil
}

// isTTY reports whether the file at path is the slave of p's pty.
func (p *process) isTTY(path string) bool {
	number := -1
	p.onTTY(func(fd int) (err error) {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	var file, slave unix.Stat_t
	return unix.Stat(path, &file) == nil && unix.Stat("/dev/pts/"+strconv.Itoa(number), &slave) == nil && file.Rdev == slave.Rdev &&
		file.Mode&unix.S_IFMT == unix.S_IFCHR
}
