//go:build unix

package rulebook

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
)

const openNonblock = unix.O_NONBLOCK

// mayWrite reports whether this process's user may write the file.
func mayWrite(name string) bool {
	return unix.Faccessat(unix.AT_FDCWD, name, unix.W_OK, unix.AT_EACCESS) == nil
}

// mayExecute reports whether this process's user may execute the file.
func mayExecute(name string) bool {
	return unix.Faccessat(unix.AT_FDCWD, name, unix.X_OK, unix.AT_EACCESS) == nil
}

// lockWait is how long others may keep a lock.
const lockWait = 10 * time.Second

// lock waits for the lock that the file name is. The file stays: were it removed, one who waits for
// it would hold a lock that nobody else looks at.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	return dirlock.Hold(f, lockWait)
}

// keepOwner gives f the owner that info says, where that is not who we are.
func keepOwner(f *os.File, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}

// owner returns info's user.
func owner(info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// ownGroup reports whether info's group has its owner's number, as a user's own group has by
// custom.
func ownGroup(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == st.Gid
}
