//go:build !wasip1

package fs

import (
	"io/fs"
	"os"
	"sync"
	"syscall"
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

var umask = sync.OnceValue(func() uint32 { return uint32(syscall.Umask(0)) })

func creating(_, _ uint32, f func() error) error { return f() }
