package vfs

import "math/bits"

// A subFile is a file of a Sub, whose numbers must not meet those of the Tree
// that it is mounted in.
type subFile struct {
	File
	sub *sub
}

func (f subFile) Stat() (Stat, error) {
	stat, err := f.File.Stat()
	return f.sub.stat(stat), err
}

// Settle implements Settler for files that do not.
func (f subFile) Settle(wait Wait) error { return Settle(f.File, wait) }

// Stdio implements Stdio for files that do not.
func (f subFile) Stdio() int {
	if s, ok := f.File.(Stdio); ok {
		return s.Stdio()
	}
	return -1
}

func (f subFile) ReadDir(cookie uint64, max int) ([]Entry, error) {
	entries, err := f.File.ReadDir(innerCookie(cookie), max)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	self, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		if e.Next > firstPinned {
			e.Ino = 0 // of a mount of its own: Lstat tells
		}
		if e.Ino != 0 {
			e.Ino = f.sub.ino(self.Dev, e.Ino)
		}
		e.Next = outerCookie(e.Next)
	}
	return entries, nil
}

// stat makes of a file's number one among all mounts of the inner tree, since
// they are one mount in the outer one.
func (s *sub) stat(stat Stat) Stat {
	stat.Ino = s.ino(stat.Dev, stat.Ino)
	return stat
}

// ino gives the numbers of each mount a place of their own, and each tree
// within a tree another one. Two of them meet only if they differ by just what
// the places do. The mount that dir is in has the number 0.
func (s *sub) ino(dev, ino uint64) uint64 {
	home := uint64(1)
	if m := s.tree.place(s.dir, nil).mount; m != nil {
		home = m.dev
	}
	return bits.RotateLeft64(ino, 1) ^ (dev-home)*0x9e3779b97f4a7c15
}

// Above what file systems have and below what the Tree has, there is room for
// the cookies of mount points in each tree within a tree: the innermost last.
const (
	eachInner  = 1 << 32
	firstInner = 1<<63 + eachInner
)

// outerCookie returns what the outer tree knows a cookie of the inner one as.
func outerCookie(c uint64) uint64 {
	switch {
	case c >= firstPinned:
		return c - firstPinned + firstInner
	case c >= firstInner:
		return c + eachInner
	}
	return c
}

// innerCookie is the inverse of outerCookie, and 3<<62 and more are 3<<62.
func innerCookie(c uint64) uint64 {
	switch {
	case c >= firstPinned:
		return firstPinned
	case c >= firstInner+eachInner:
		return c - eachInner
	case c >= firstInner:
		return c - firstInner + firstPinned
	}
	return c
}
