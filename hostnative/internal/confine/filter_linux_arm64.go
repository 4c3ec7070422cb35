package confine

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var oldCalls []uint32

func oldOpen(test) []rule { return nil }

func oldMknod(test) []rule { return nil }
