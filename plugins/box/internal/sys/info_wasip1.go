package sys

import (
	"io/fs"
	"syscall"
	"time"
)

// HasModes says whether the system keeps permissions.
const HasModes = false

// Of returns what fi, which must come from os.Stat or os.Lstat, knows. WASI has no permissions and no owners:
// directories are drwxr-xr-x, the rest is -rw-r--r--, all root's.
func Of(fi fs.FileInfo) Info {
	i := portable(fi)
	i.Mode &^= 0o7777
	switch i.Mode & TypeMask {
	case Dir:
		i.Mode |= 0o755
	case Symlink:
		i.Mode |= 0o777
	default:
		i.Mode |= 0o644
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		i.Dev, i.Ino, i.Nlink = st.Dev, st.Ino, max(st.Nlink, 1)
		i.Atime, i.Ctime = time.Unix(0, int64(st.Atime)), time.Unix(0, int64(st.Ctime))
	}
	return i
}
