package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// oldCalls are refused too: arm64 does not have them.
var oldCalls = []uint32{unix.SYS_USELIB, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE, unix.SYS__SYSCTL}

func oldOpen(t test) []rule { return when(unix.SYS_OPEN, t) }

func oldMknod(t test) []rule { return when(unix.SYS_MKNOD, t) }
