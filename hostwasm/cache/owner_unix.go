//go:build linux || darwin

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// ours reports whether a file belongs to this user.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// onlyName reports whether a file has no other name: by that somebody could
// change it who can't reach this one.
func onlyName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}

// identity tells a file from every other, and from itself after a change.
func identity(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(stat.Dev, stat.Ino, stat.Size, info.ModTime().UnixNano(), changeTime(stat))
}

// openFile opens a file to read it, and nothing that a link leads to.
func openFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// lock keeps other processes from making a key in dir until unlock is called.
func lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break // where it can't be locked the last one wins, and others compile again
		}
	}
	return func() { f.Close() }, nil
}

// CheckPath says who besides this user and root could put something else in the
// place of a directory, or into it: everybody who may write to it or to one that
// leads to it. OpenSSH asks the same of what has its keys. Where names are
// protected by the sticky bit, as in /tmp, others may write.
func CheckPath(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for _, at := range []string{dir, resolved} {
		for {
			info, err := os.Stat(at)
			if err != nil {
				return err
			}
			stat, ok := info.Sys().(*syscall.Stat_t)
			switch {
			case !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
				return fmt.Errorf("%s: belongs to another user, who may change %s", at, dir)
			case info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0:
				return fmt.Errorf("%s: others may write to it, and so change %s: chmod go-w", at, dir)
			}
			if at == filepath.Dir(at) {
				break
			}
			at = filepath.Dir(at)
		}
	}
	return nil
}
