package worker

import "golang.org/x/sys/unix"

// oldMetadataCalls are those that newer architectures do without.
var oldMetadataCalls = map[string]uintptr{
	"chmod": unix.SYS_CHMOD, "chown": unix.SYS_CHOWN, "lchown": unix.SYS_LCHOWN,
	"utime": unix.SYS_UTIME, "utimes": unix.SYS_UTIMES,
}
