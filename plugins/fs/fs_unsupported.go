//go:build !wasip1

package fs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

func modeOf(info fs.FileInfo) (uint32, bool) {
	mode := uint32(info.Mode().Perm())
	for bit, above := range bits {
		if info.Mode()&bit != 0 {
			mode |= above
		}
	}
	return mode, true
}

// bits are Go's for those above the permissions.
var bits = map[fs.FileMode]uint32{fs.ModeSetuid: SetUID, fs.ModeSetgid: SetGID, fs.ModeSticky: Sticky}

func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	for bit, above := range bits {
		if mode&above != 0 {
			m |= bit
		}
	}
	return m
}

func chmod(name string, mode uint32) error { return os.Chmod(name, fileMode(mode)) }

func fchmod(f *os.File, mode uint32) error { return f.Chmod(fileMode(mode)) }

func lchtimes(name string, _, _ time.Time) error {
	return &os.PathError{Op: "lchtimes", Path: name, Err: errors.ErrUnsupported}
}

func readOnly(string) bool { return false }

// mask is the system's umask, which can be read by changing it only: while nothing else runs.
var mask = func() uint32 {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return uint32(mask)
}()

func umask() uint32 { return mask }

func openFile(name string, flag int, mode uint32) (*os.File, error) {
	_, missing := os.Stat(name)
	f, err := os.OpenFile(name, flag, fileMode(mode&0o777))
	if err == nil && missing != nil && mode&mask != 0 {
		err = f.Chmod(fileMode(mode & 0o777))
	}
	return f, err
}

func mkdir(name string, mode uint32) error {
	err := os.Mkdir(name, fileMode(mode&0o777))
	if err == nil && mode&mask != 0 {
		err = os.Chmod(name, fileMode(mode&0o777))
	}
	return err
}

func creating(_, _ uint32, f func() error) error { return f() }
