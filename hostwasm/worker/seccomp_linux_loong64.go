package worker

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_LOONGARCH64
	foreignCalls = 0x40000000 // there are none
)

var deniedHere []uint32
