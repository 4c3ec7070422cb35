//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Available returns what this kernel has for a sandbox, and what it lacks.
func Available() Report { return available(landlockVersion()) }

func available(version int, why error) Report {
	r := Report{Landlock: version}
	lacks := func(name, format string, args ...any) {
		r.Missing = append(r.Missing, Gap{name, fmt.Sprintf(format, args...)})
	}
	switch {
	case version == 0 && errnoOf(why) == unix.EOPNOTSUPP:
		lacks("landlock", "Landlock is off (the kernel's parameter lsm= does not name it): commands can use any file that you may")
	case version == 0:
		lacks("landlock", "the kernel has no Landlock, or lets nobody use it (%v): commands can use any file that you may", why)
	}
	older := func(version int, name, text string) {
		if r.Landlock > 0 && r.Landlock < version {
			lacks(name, "Landlock has version %d, and needs %d %s", r.Landlock, version, text)
		}
	}
	older(2, "refer", "for files to be moved from one directory to another: programs copy them")
	older(3, "truncate", "for a file to be cut by its name: that fails everywhere")
	older(5, "ioctl", "to tell control of devices from reading them")
	older(6, "signals", "to keep signals in: commands can end your other programs, and this one")
	if err := actionAvailable(unix.SECCOMP_RET_ERRNO); err != nil {
		lacks("seccomp", "the kernel has no seccomp filters (%v): commands can connect to anything, and make any system call", err)
		return r
	}
	r.Calls = true
	if err := actionAvailable(unix.SECCOMP_RET_USER_NOTIF); err != nil {
		lacks("notify", "no other process can decide about system calls (%v): nothing can be connected", err)
	} else {
		r.Notify = true
	}
	// It knows the call if it says that there is no such descriptor.
	_, _, errno := unix.RawSyscall(unix.SYS_PIDFD_GETFD, ^uintptr(0), 0, 0)
	if r.GetFD = errno == unix.EBADF; !r.GetFD {
		lacks("getfd", "no other process can take a socket of a command (pidfd_getfd: %v): nothing can be connected", errno)
	}
	return r
}

func actionAvailable(action uint32) error {
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// gaps returns what is not held under rules on a kernel that lacks nothing.
func gaps(r Rules, report Report) []Gap {
	metadata := "modes, owners, times and attributes can be changed outside of what is handed over: of your files"
	if os.Geteuid() == 0 {
		metadata = "modes, owners, times and attributes can be changed outside of what is handed over: of any file, as you are root"
	}
	all := []Gap{
		{"metadata", metadata},
		{"stat", "whether a path exists, how large and how old it is, can be asked of any path"},
		{"processes", "/proc tells which programs run, with their arguments"},
		{"shm", "/dev/shm is shared with your other programs"},
	}
	if r.Level == Workspace {
		all = append(all, Gap{"ipc", "memory, queues and semaphores of System V and POSIX are shared with your other programs"})
	}
	if len(report.Around) > 0 {
		if !r.HideNames {
			all = append(all, Gap{"names", "the names of files can be listed where the files are hidden"})
		}
		all = append(all, Gap{"entries", "what is new in these directories, or takes the place of what was there, can't be read by commands that run already: " +
			strings.Join(report.aroundPaths(), ", ")})
	}
	if r.Level == Off || report.Landlock == 0 {
		return nil
	}
	return all
}
