//go:build !linux && !darwin

package rulebook

import (
	"io/fs"
	"time"
)

// An identity is in which state a file is.
type identity struct {
	size  int64
	mtime time.Time
}

func identityOf(info fs.FileInfo) identity {
	return identity{size: info.Size(), mtime: info.ModTime()}
}

func (i *identity) changed() time.Time { return i.mtime }
