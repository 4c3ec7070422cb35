// Package fs has what WASI and so Go's package os lack inside the sandbox: the
// permissions of files. It is for commands written in Go, the guest's side of
// terrarium_fs_v0 (hostwasm/ABI.md). Outside, it is package os.
//
// Modes are numbers as Linux has them: nine permissions, and above them
// set-user-ID, set-group-ID and the sticky bit, which can be seen there and not
// set. All functions are safe for concurrent use.
package fs

import (
	"io/fs"
	"os"
	"time"
)

// The bits above the permissions.
const (
	SetUID = 0o4000
	SetGID = 0o2000
	Sticky = 0o1000
)

// Mode returns the mode of a file that package os has described: Stat, Lstat,
// File.Stat or DirEntry.Info, and not one that was made otherwise. ok is false
// where a file system keeps no modes.
func Mode(info fs.FileInfo) (mode uint32, ok bool) { return modeOf(info) }

// Chmod sets the permissions of a file or directory, through symbolic links.
// The error is an *os.PathError; its cause is ENOTSUP where a file system keeps
// no modes, and EROFS in what is read-only.
func Chmod(name string, mode uint32) error { return chmod(name, mode) }

// Fchmod is Chmod for an open file. In the sandbox it is ENOTSUP when the name
// by which f was opened means another file by now.
func Fchmod(f *os.File, mode uint32) error { return fchmod(f, mode) }

// Lchtimes is os.Chtimes, and sets a symbolic link's own times. Outside the
// sandbox it is errors.ErrUnsupported.
func Lchtimes(name string, atime, mtime time.Time) error { return lchtimes(name, atime, mtime) }

// ReadOnly reports whether a file or directory in the sandbox is in what this
// process can't change.
func ReadOnly(name string) bool { return readOnly(name) }

// Umask returns the permissions that files do not get which this process
// creates, until somebody says otherwise. Outside the sandbox it is what the
// system's umask was when the program began.
func Umask() uint32 { return umask() }

// OpenFile is os.OpenFile, and gives a file that it creates just that mode.
func OpenFile(name string, flag int, mode uint32) (*os.File, error) {
	return openFile(name, flag, mode)
}

// Mkdir is os.Mkdir, and gives the directory just that mode.
func Mkdir(name string, mode uint32) error { return mkdir(name, mode) }

// Creating has f create files and directories with these modes, by whatever
// functions of package os, and start processes that do. Those that others
// create meanwhile get them too, unless they call Creating themselves: they
// wait then, so f must not. Outside the sandbox what f tells package os counts, less the
// system's umask.
func Creating(files, dirs uint32, f func() error) error { return creating(files, dirs, f) }
