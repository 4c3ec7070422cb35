//go:build linux || darwin

package vfs

import (
	"cmp"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// remove calls f to take a name away, and gives back to the quota what it had.
func (h *hostDir) remove(name string, f func(dir int, base string) error) error {
	return h.in(name, func(dir int, base string) error {
		if err := h.border.hidden.keepWay(dir, base); err != nil {
			return err
		}
		if h.quota == nil {
			return f(dir, base)
		}
		h.removing.Lock()
		defer h.removing.Unlock()
		v, err := pin(dir, base)
		if err != nil {
			return err
		}
		defer v.close()
		remove := func() error { return f(dir, base) }
		if h.rooms.has(name) {
			err = remove()
		} else {
			err = h.resizing(remove, dir)
		}
		if err != nil {
			return err
		}
		h.gone(&v)
		return nil
	})
}

// gone gives back a name that was taken away, and the bytes if it was the last
// one: now, or when the file is closed.
func (h *hostDir) gone(v *victim) {
	h.quota.giveFile()
	// A directory has one name, whatever is counted of it.
	isDir := v.stat.Mode&unix.S_IFMT == unix.S_IFDIR
	if !isDir && !v.last() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if inode := h.open[opaque(uint64(v.stat.Dev), v.stat.Ino)]; inode != nil {
		inode.gone = true
		if isDir {
			inode.paid = h.bytesOf(&v.stat)
		}
		return
	}
	stat := v.stat
	if !isDir {
		// Before it was taken away, somebody may have had it open, changed its size, and closed
		// it since. Nobody has it open any more, and h.mu keeps it so.
		stat = v.now()
	}
	h.quota.giveBytes(h.bytesOf(&stat))
}

func (h *hostDir) Rename(old, new string) error {
	return h.in(old, func(oldDir int, oldBase string) error {
		return h.parent(h.root.fd, new, func(newDir int, newBase string) error {
			hidden := h.border.hidden
			err := cmp.Or(hidden.spare(oldDir, oldBase, true), hidden.spare(newDir, newBase, true),
				hidden.keepWay(oldDir, oldBase), hidden.keepWay(newDir, newBase))
			if err != nil {
				return err
			}
			// A directory may take longer paths with it. Without this, trees that are
			// moved into trees get deeper than any path that a program can name, and
			// most programs cannot even remove them.
			if len(new) > len(old) && deeperThan(oldDir, oldBase, maxPath-len(new)-1, maxLooked) {
				return errno.NAMETOOLONG
			}
			rename := func() error {
				if h.names != nil {
					return h.names.Rename(old, new)
				}
				return notEmpty(unix.Renameat(oldDir, oldBase, newDir, newBase))
			}
			if h.quota == nil {
				return rename()
			}
			if !h.quota.settled() {
				return errno.DQUOT
			}
			return h.renameOver(oldDir, oldBase, newDir, newBase, func() error {
				if h.rooms.take(new) && h.rooms.has(old) {
					return rename()
				}
				return h.resizing(rename, oldDir, newDir)
			})
		})
	})
}

// renameOver renames what may replace something.
func (h *hostDir) renameOver(oldDir int, oldBase string, newDir int, newBase string, rename func() error) error {
	h.removing.Lock()
	defer h.removing.Unlock()
	moved, err := statAt(oldDir, oldBase)
	if err != nil {
		return err
	}
	if moved.Mode&unix.S_IFMT == unix.S_IFDIR {
		defer h.rooms.forgetAll()
	}
	v, err := pin(newDir, newBase)
	if err != nil {
		return rename()
	}
	defer v.close()
	if err := rename(); err != nil {
		return err
	}
	// Between two names of one file, rename does nothing.
	if moved.Dev != v.stat.Dev || moved.Ino != v.stat.Ino {
		h.gone(&v)
	}
	return nil
}
