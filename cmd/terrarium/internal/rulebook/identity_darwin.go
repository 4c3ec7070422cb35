package rulebook

import (
	"io/fs"
	"syscall"
	"time"
)

// An identity is which file it is, and in which state. The time of its last change counts too,
// which nobody can set.
type identity struct {
	dev, ino     uint64
	size         int64
	mtime, ctime syscall.Timespec
}

func identityOf(info fs.FileInfo) identity {
	st := info.Sys().(*syscall.Stat_t)
	return identity{dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mtime: st.Mtimespec, ctime: st.Ctimespec}
}

func (i *identity) changed() time.Time { return time.Unix(i.ctime.Unix()) }
