package vfs

// Hidden are directories of the host that no guest reaches, whatever is handed
// over: those that have what is ours, such as native code that we are about to
// run. They are known by device and inode, so that no other name and no bind
// mount helps. What leads to them can't be moved or removed by a guest either:
// it would stand for another directory afterwards.
//
// It has limits. A person may still move things, and what is moved into a
// directory that is handed over is handed over. A file system that shows the
// same files under other numbers, such as the upper layer of an overlay, is
// another one. And a bind mount of what is in a hidden directory is a way
// around it, which only root can make.
type Hidden struct {
	dirs  map[inode]hiddenDir // the directories
	above map[inode]bool      // the directories that lead to them
	// ways has each name on the way to them, that of a symbolic link too, with
	// the directories where it is one, and what it stood for there when Hide was
	// called; the zero inode is nothing.
	ways map[string]map[inode]inode
	// loose has the types of file systems where others may lead to them as
	// well, which we can't see: what we see of such a file system is a part.
	loose map[int64]bool
}

// An inode is a file of the host, until it is removed: then its number may become another file's.
type inode struct{ dev, ino uint64 }

type hiddenDir struct {
	name string
	born birth
}

// A birth is when a file was made, to tell it from a later one of the same number. The zero birth
// tells nothing: it is that of a file system where the birth of a file may change.
type birth struct{ sec, nsec int64 }
