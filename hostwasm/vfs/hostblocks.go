//go:build linux || darwin

package vfs

import (
	"math"

	"golang.org/x/sys/unix"
)

// block is what file systems give away at once, in bytes: an empty directory has
// one, and so has a file of a byte.
const block = 4 << 10

// sector is the unit of what stat tells of blocks, in bytes.
const sector = 512

// inBlocks returns the bytes of the blocks that so many bytes take.
func inBlocks(n int64) int64 {
	return (min(n, math.MaxInt64-block) + block - 1) &^ (block - 1)
}

// blocksOf is inBlocks of what has a name. A symbolic link takes a block where its
// target is too long for the file system's own table; that they all do is simpler.
//
// A directory takes what its names have needed, see resizing. Its size alone would
// not do: some file systems count in it what is in no block. Nor would its blocks:
// they may have attributes too, which nobody charges.
func blocksOf(s *unix.Stat_t) int64 {
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return inBlocks(s.Size)
	case unix.S_IFDIR:
		return max(block, inBlocks(min(s.Size, s.Blocks*sector)))
	case unix.S_IFLNK:
		return block
	}
	return 0
}

// bytesOf returns what the quota has been charged for what has a name.
func (h *hostDir) bytesOf(s *unix.Stat_t) int64 {
	switch {
	case h.blocks:
		return blocksOf(s)
	case s.Mode&unix.S_IFMT == unix.S_IFREG:
		return s.Size
	}
	return 0
}

// entry is what the quota is charged for a new directory or a symbolic link.
func (h *hostDir) entry() int64 {
	if h.blocks {
		return block
	}
	return 0
}

// cost is what the quota is charged for a file of size bytes.
func (i *hostInode) cost(size int64) int64 {
	if i.blocks {
		return inBlocks(size)
	}
	return size
}

// covers returns the largest size that costs at most n bytes.
func (i *hostInode) covers(n int64) int64 {
	if i.blocks {
		return n &^ (block - 1)
	}
	return n
}
