package worker

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock has rights for, by the version of its interface.
//
// https://docs.kernel.org/userspace-api/landlock.html
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	otherRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	netRights = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scopes    = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// A landlock is what this system's can do.
type landlock struct {
	version int
	handled unix.LandlockRulesetAttr
	write   uint64 // rights to change files
}

// errNoLandlock is why the system or this program can't have it.
type errNoLandlock struct{ error }

func (errNoLandlock) Is(target error) bool { return target == errors.ErrUnsupported }

// findLandlock returns what this system's can do.
func findLandlock() (l landlock, err error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return l, errNoLandlock{os.NewSyscallError("landlock_create_ruleset", errno)}
	}
	l.version, l.write = int(version), writeRights
	l.handled.Handled_access_fs = otherRights
	if version >= 2 {
		l.write |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		l.write |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		l.handled.Handled_access_net = netRights
	}
	if version >= 5 {
		l.handled.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		l.handled.Scoped = scopes
	}
	l.handled.Handled_access_fs |= readRights | l.write
	return l, nil
}

func landlockMeasure() Measure {
	l, err := findLandlock()
	return measure("landlock", err, fmt.Sprint("version ", l.version, ": no files but those handed over"))
}

// keepFiles gives up all files but those in places, in all threads, as far as
// the system has Landlock.
func keepFiles(places []place) error {
	l, err := findLandlock()
	if err != nil {
		return err
	}
	size := unsafe.Offsetof(l.handled.Quiet_access_fs)
	if l.version < 6 {
		size = unsafe.Offsetof(l.handled.Scoped)
	}
	if l.version < 4 {
		size = unsafe.Offsetof(l.handled.Handled_access_net)
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&l.handled)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(ruleset))
	for _, p := range places {
		if err := l.add(int(ruleset), p); err != nil {
			return err
		}
	}
	return os.NewSyscallError("landlock_restrict_self", onAllThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0))
}

// add lets a place be used. What the rule is for is what we have open, and no
// other directory than the host has judged: a guest may have put a link to one
// above the cache in its place.
func (l landlock) add(ruleset int, p place) error {
	fd, err := unix.Open(p.dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // whoever opens it finds out
	}
	defer unix.Close(fd)
	if p.near != nil {
		now, err := nearOf(p.dir, fd)
		if err != nil {
			return err
		}
		if now != *p.near {
			return fmt.Errorf("%.1000q: another directory has come in its place while the command was started", p.dir)
		}
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: readRights, Parent_fd: int32(fd)}
	if p.write {
		rule.Allowed_access |= l.write
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
