//go:build amd64 || arm64

package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those over files. Root is often root because a container
// has no other user, and its files belong to somebody outside: without
// CAP_DAC_OVERRIDE and CAP_FOWNER it could not build there, and without CAP_CHOWN
// and CAP_FSETID tar, npm and cp -p fail, which keep owners when root runs them.
// Which files can be opened is Landlock's matter. What these leave to root is a
// gap: owners and modes of files outside.
//
// CAP_DAC_READ_SEARCH is not among them: it adds nothing to read but
// open_by_handle_at. Nor is CAP_MKNOD, which makes devices, CAP_SETFCAP and
// CAP_LINUX_IMMUTABLE, whose effects outlast the command, and CAP_SETUID and
// CAP_SETGID: what is another user's would be in reach by signals and ptrace too.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID

// dropCapabilities has the calling thread, and what it starts, never have others
// than those. It needs no_new_privs: else the next program of root's had all.
func dropCapabilities() error {
	for c := uintptr(0); c < 64; c++ {
		if keptCapabilities&(1<<c) == 0 {
			// Where we may not, nothing could be gained from the bounding set.
			unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0, 0)
		}
	}
	unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return os.NewSyscallError("capget", err)
	}
	for i := range has {
		kept := uint32(uint64(keptCapabilities) >> (32 * i))
		has[i].Effective &= kept
		has[i].Permitted &= kept
		has[i].Inheritable = 0
	}
	return os.NewSyscallError("capset", unix.Capset(&header, &has[0]))
}
