package worker

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	foreignCalls = 0x40000000 // from there on they are x32's
)

// refusedHere are the calls that newer architectures do without.
var refusedHere = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MKNOD, unix.SYS_INOTIFY_INIT,
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
}
