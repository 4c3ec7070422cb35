//go:build amd64 || arm64

package confine

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock has rights for. Which of them a kernel knows, its version says.
//
// https://docs.kernel.org/userspace-api/landlock.html
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// Nobody is granted these: nodes would be devices, and a socket is connected by whoever is
	// asked.
	neverRights = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	// fileRights are those that a rule for something that is no directory may have.
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// newestVersion is what we know of. Of those from 8 on, none has been tested: there
// was no kernel that has them. 8 has nothing that we use.
const newestVersion = 10

// landlockVersion returns which version this kernel has, or 0 and why it has none.
func landlockVersion() (int, error) {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return min(int(version), newestVersion), nil
}

// handledBy returns what a version can restrict, but for datagrams if the network is open.
func handledBy(version int, openNet bool) (attr unix.LandlockRulesetAttr, size uintptr) {
	attr.Handled_access_fs = readRights | writeRights | deviceRights | neverRights
	for _, late := range []struct {
		version int
		right   uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if version < late.version {
			attr.Handled_access_fs &^= late.right
		}
	}
	size = unsafe.Offsetof(attr.Handled_access_net)
	if version >= 4 {
		// Also where another process decides about calls: it makes them itself, in no
		// domain. So a command that should get around the filter is stopped here.
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Scoped)
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	if version >= 10 && !openNet {
		attr.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	}
	return attr, size
}

// A ruleset is a set of rules that is being made.
type ruleset struct {
	fd      int
	handled uint64 // rights over files
}

func newRuleset(attr *unix.LandlockRulesetAttr, size uintptr) (*ruleset, error) {
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), size, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return &ruleset{int(fd), attr.Handled_access_fs}, nil
}

func (s *ruleset) close() { unix.Close(s.fd) }

// add grants rights over what is open, and over all below it if it is a directory.
func (s *ruleset) add(fd int, isDir bool, rights uint64) error {
	rights &= s.handled
	if !isDir {
		rights &= fileRights
	}
	if rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(s.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	// It is a namespace that is mounted on a file: no rule is needed, and none is possible.
	if errno == unix.EBADFD {
		return nil
	}
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// restrict gives the calling thread the rules. It needs no_new_privs.
func (s *ruleset) restrict() error {
	_, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(s.fd), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
