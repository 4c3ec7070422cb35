package sys

import (
	"io/fs"
	"syscall"
	"time"
)

// HasOwners says whether the system knows whose files are.
const HasOwners = true

// Of returns what fi, which must come from os.Stat or os.Lstat, knows.
func Of(fi fs.FileInfo) Info {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return portable(fi)
	}
	return Info{
		Dev: uint64(st.Dev), Ino: st.Ino, Nlink: uint64(st.Nlink), Rdev: uint64(st.Rdev),
		Uid: st.Uid, Gid: st.Gid, Size: st.Size, Blocks: st.Blocks, Mode: st.Mode,
		Atime: time.Unix(st.Atim.Unix()), Mtime: time.Unix(st.Mtim.Unix()), Ctime: time.Unix(st.Ctim.Unix()),
	}
}
