package sys

import (
	"io/fs"
	"syscall"
	"time"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// HasOwners says whether the system knows whose files are.
const HasOwners = false

// Lchtimes is os.Chtimes, and sets a symbolic link's own times.
func Lchtimes(name string, atime, mtime time.Time) error { return modes.Lchtimes(name, atime, mtime) }

// Of returns what fi, which must come from os.Stat or os.Lstat, knows. WASI has no owners: all
// files are root's. Where a file system keeps no permissions, directories are drwxr-xr-x and the
// rest is -rw-r--r--.
func Of(fi fs.FileInfo) Info {
	i := portable(fi)
	i.Mode &^= 0o7777
	if mode, ok := modes.Mode(fi); ok {
		i.Mode |= mode
	} else if i.IsDir() {
		i.Mode |= 0o755
	} else {
		i.Mode |= 0o644
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		i.Dev, i.Ino, i.Nlink = st.Dev, st.Ino, max(st.Nlink, 1)
		i.Atime, i.Ctime = time.Unix(0, int64(st.Atime)), time.Unix(0, int64(st.Ctime))
	}
	return i
}
