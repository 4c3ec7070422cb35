//go:build linux || darwin

package vfs

import (
	"syscall"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// forGuest is WASI's number for an error of the host. What has none is EIO.
func forGuest(err error) error {
	number, ok := err.(syscall.Errno)
	if !ok {
		return err
	}
	for _, e := range numbers {
		if e.host == number {
			return e.guest
		}
	}
	return errno.IO
}

// forHost is the other way round.
func forHost(err error) error {
	for _, e := range numbers {
		if err == e.guest {
			return e.host
		}
	}
	return err
}

// numbers begins with what is frequent. It is no map because EAGAIN and
// EWOULDBLOCK, ENOTSUP and EOPNOTSUPP are the same on some systems.
var numbers = []struct {
	host  syscall.Errno
	guest errno.Errno
}{
	{syscall.ENOENT, errno.NOENT},
	{syscall.ELOOP, errno.LOOP},
	{syscall.ENOTDIR, errno.NOTDIR},
	{syscall.EEXIST, errno.EXIST},
	{syscall.EISDIR, errno.ISDIR},
	{syscall.EINVAL, errno.INVAL},
	{syscall.ENOTEMPTY, errno.NOTEMPTY},
	{syscall.EACCES, errno.ACCES},
	{syscall.EPERM, errno.PERM},
	{syscall.EROFS, errno.ROFS},
	{syscall.EXDEV, errno.XDEV},
	{syscall.EBADF, errno.BADF},
	{syscall.EBUSY, errno.BUSY},
	{syscall.ENAMETOOLONG, errno.NAMETOOLONG},
	{syscall.ENOSPC, errno.NOSPC},
	{syscall.EDQUOT, errno.DQUOT},
	{syscall.EFBIG, errno.FBIG},
	{syscall.EMLINK, errno.MLINK},
	{syscall.EMFILE, errno.NFILE}, // ours, not the guest's
	{syscall.ENFILE, errno.NFILE},
	{syscall.ENOMEM, errno.NOMEM},
	{syscall.ENODEV, errno.NODEV},
	{syscall.ENXIO, errno.NXIO},
	{syscall.ENOTSUP, errno.NOTSUP},
	{syscall.EOPNOTSUPP, errno.NOTSUP},
	{syscall.ENOSYS, errno.NOTSUP},
	{syscall.EILSEQ, errno.ILSEQ},
	{syscall.EOVERFLOW, errno.OVERFLOW},
	{syscall.ESPIPE, errno.SPIPE},
	{syscall.ESTALE, errno.STALE},
	{syscall.ETIMEDOUT, errno.TIMEDOUT},
	{syscall.ETXTBSY, errno.TXTBSY},
	{syscall.EAGAIN, errno.AGAIN},
	{syscall.EIO, errno.IO},
}
