package errno_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// The numbers are part of WASI's binary interface.
func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		errno  errno.Errno
		number uint16
		name   string
	}{
		{errno.SUCCESS, 0, "ESUCCESS"},
		{errno.TOOBIG, 1, "E2BIG"},
		{errno.AGAIN, 6, "EAGAIN"},
		{errno.BADF, 8, "EBADF"},
		{errno.EXIST, 20, "EEXIST"},
		{errno.INVAL, 28, "EINVAL"},
		{errno.LOOP, 32, "ELOOP"},
		{errno.NOENT, 44, "ENOENT"},
		{errno.NOSYS, 52, "ENOSYS"},
		{errno.NOTDIR, 54, "ENOTDIR"},
		{errno.PERM, 63, "EPERM"},
		{errno.PIPE, 64, "EPIPE"},
		{errno.ROFS, 69, "EROFS"},
		{errno.NOTCAPABLE, 76, "ENOTCAPABLE"},
		{errno.NOTCAPABLE + 1, 77, "errno 77"},
	} {
		if got := uint16(test.errno); got != test.number {
			t.Errorf("%v: got %v, want %v", test.errno, got, test.number)
		}
		if got := test.errno.Error(); got != test.name {
			t.Errorf("%d: got %v, want %v", test.number, got, test.name)
		}
	}
}
