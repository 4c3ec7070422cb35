package vfs

import (
	"math"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A memFile is an open file in memory.
type memFile struct {
	fs     *memory
	node   *memNode
	read   bool
	write  bool
	append bool
	closed atomic.Bool
}

func (f *memFile) Close() error {
	if f.closed.Swap(true) {
		return errno.BADF
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.open--
	f.fs.free(f.node)
	return nil
}

func (f *memFile) Stat() (Stat, error) {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.node.stat(), nil
}

func (f *memFile) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case !f.read || f.closed.Load():
		return 0, errno.BADF
	case offset < 0:
		return 0, errno.INVAL
	}
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.node.pages.readAt(p, offset), nil
}

func (f *memFile) WriteAt(p []byte, offset int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.append {
		offset = f.node.pages.size
	}
	switch {
	case !f.write || f.closed.Load():
		return 0, errno.BADF
	case offset < 0:
		return 0, errno.INVAL
	case offset > math.MaxInt64-int64(len(p)):
		return 0, errno.FBIG
	}
	n, err := f.node.pages.writeAt(p, offset, &f.fs.store)
	if n > 0 {
		f.node.mtim = f.fs.now()
		f.node.ctim = f.node.mtim
	}
	return n, err
}

func (f *memFile) Truncate(size int64) error {
	switch {
	case !f.write || f.closed.Load():
		return errno.BADF
	case size < 0:
		return errno.INVAL
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.fs.resize(f.node, size)
	return nil
}

// Allocate makes a hole: bytes are charged when they are written.
func (f *memFile) Allocate(offset, length int64) error {
	switch {
	case !f.write || f.closed.Load():
		return errno.BADF
	case offset < 0 || length <= 0:
		return errno.INVAL
	case offset > math.MaxInt64-length:
		return errno.FBIG
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.fs.resize(f.node, max(offset+length, f.node.pages.size))
	return nil
}

func (m *memory) resize(n *memNode, size int64) {
	n.pages.truncate(size, &m.store)
	n.mtim = m.now()
	n.ctim = n.mtim
}

func (f *memFile) SetTimes(t Times) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.setTimes(t, f.fs.now())
	return nil
}

func (f *memFile) Sync(bool) error { return nil }

func (f *memFile) ReadDir(uint64, int) ([]Entry, error) { return nil, errno.NOTDIR }

// A memDir is an open directory in memory.
type memDir struct {
	directory
	fs   *memory
	node *memNode
}

func (d *memDir) Stat() (Stat, error) {
	d.fs.mu.RLock()
	defer d.fs.mu.RUnlock()
	return d.node.stat(), nil
}

func (d *memDir) SetTimes(t Times) error {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	d.node.setTimes(t, d.fs.now())
	return nil
}

func (d *memDir) ReadDir(cookie uint64, max int) ([]Entry, error) {
	d.fs.mu.RLock()
	defer d.fs.mu.RUnlock()
	entries := dots(nil, d.node.ino, cookie, max)
	return d.node.entries.list(entries, cookie+uint64(len(entries)), max), nil
}
