//go:build linux || darwin

package vfs

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A directory grows with its names. On ext4 it stays as large as it was once,
// however many of them are removed: without what follows, a guest fills one, empties
// it, keeps it, and goes on with the next, and pays a block for each. So a quota in
// blocks is charged for the size of directories too, which is looked at before and
// after a name is made or removed in one.

// resizing calls f, which makes or removes names in directories that are open, and
// charges what they grow by. There need not be so much: then the quota is overdrawn,
// and makes no names until it is not. To ask first would refuse the last file of a
// quota for growth that hardly ever comes.
func (h *hostDir) resizing(f func() error, dirs ...int) error {
	if !h.paysGrowth() {
		return f()
	}
	h.growing.Lock() // or two that see one growth both pay for it
	defer h.growing.Unlock()
	before := sizeOf(dirs)
	err := f()
	h.quota.giveBytes(before - sizeOf(dirs))
	return err
}

func (h *hostDir) paysGrowth() bool { return h.quota != nil && h.blocks }

// sizeOf returns what directories are charged for, each once.
func sizeOf(dirs []int) (bytes int64) {
	var first unix.Stat_t
	for i, dir := range dirs {
		var s unix.Stat_t
		if unix.Fstat(dir, &s) != nil || i > 0 && inodeOf(&s) == inodeOf(&first) {
			continue
		}
		if i == 0 {
			first = s
		}
		bytes += blocksOf(&s)
	}
	return bytes
}

// naming calls f, which makes a name in a directory that is open as dir. h.removing
// is held for reading.
func (h *hostDir) naming(dir int, name string, f func() error) error {
	if h.rooms.take(name) {
		return f()
	}
	return h.resizing(f, dir)
}

// making calls f, which makes a directory, and charges what that has beyond the
// block that was charged for it before. h.removing is held for reading.
func (h *hostDir) making(dir int, name, base string, f func() error) error {
	if !h.paysGrowth() {
		return f()
	}
	h.rooms.take(name)
	return h.resizing(func() error {
		err := f()
		if err != nil {
			return err
		}
		if s, err := statAt(dir, base); err == nil {
			h.quota.giveBytes(block - blocksOf(&s))
			h.rooms.add(name)
		}
		return nil
	}, dir)
}

// create opens a file that is not there yet, as openOrCreate does. h.removing is held
// for reading where there is a quota.
func (h *hostDir) create(root int, name, full string, flags int, mode uint32) (fd int, err error) {
	create := func() error {
		fd, err = h.beneath(root, &h.border, name, flags, mode)
		return err
	}
	if h.rooms.take(full) {
		create()
	} else {
		h.resizing(create, root)
	}
	return fd, err
}

// rooms has directories that a hostDir has made a short while ago. So few names
// were made in them since that they can't have grown beyond their first block, and
// nobody has to look.
type rooms struct {
	mu   sync.Mutex
	left map[string]int // by name of the directory: how many bytes of names may still come
}

const (
	// roomOfNames is how many bytes of names fit into a new directory for
	// certain: a fourth of its block, since a file system may split what it has
	// filled, and leave half of both parts empty.
	roomOfNames = block / 4
	// entryHead is more than a name has beside its bytes.
	entryHead = 16
	maxRooms  = 256
)

func (r *rooms) add(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == nil || len(r.left) >= maxRooms {
		r.left = make(map[string]int)
	}
	r.left[dir] = roomOfNames
}

// take reports whether the directory of a name that is to be made has room for it,
// and takes that.
func (r *rooms) take(name string) bool {
	dir, base, ok := cutLast(name)
	if !ok {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left, ok := r.left[dir]
	if !ok {
		return false
	}
	if left -= len(base) + entryHead; left < 0 {
		delete(r.left, dir)
		return false
	}
	r.left[dir] = left
	return true
}

// has reports whether the directory of a name is known not to have grown.
func (r *rooms) has(name string) bool {
	dir, _, _ := cutLast(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.left[dir]
	return ok
}

// forget is called when a directory is removed: its name may stand for another.
func (r *rooms) forget(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, dir)
}

// forgetAll is called when a directory is moved, and all that is below.
func (r *rooms) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = nil
}

// cutLast splits a name before its last component. It returns false for a name in
// the root.
func cutLast(name string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}
