package vfs

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A providedFile is an open file of a Provider.
type providedFile struct {
	node   *providedNode
	read   bool
	write  bool
	append bool
	closed atomic.Bool
}

func (f *providedFile) Close() error {
	if f.closed.Swap(true) {
		return errno.BADF
	}
	files, n := f.node.files, f.node
	files.mu.Lock()
	n.open--
	name, lost := n.name, n.free()
	last := n.open == 0 && n.dirty()
	files.mu.Unlock()
	files.lost(name, lost)
	if last {
		go n.flush() // ends when the Provider has answered, or has had its time
	}
	return nil
}

// Settle implements Settler: it returns when what was written is written.
func (f *providedFile) Settle(wait Wait) error {
	files, n := f.node.files, f.node
	files.mu.Lock()
	dirty := n.dirty()
	files.mu.Unlock()
	if !f.write || !dirty {
		return nil
	}
	return waitToDo(asker{files, wait}, func(context.Context) error { return n.flush() })
}

// Sync does nothing: what was written is on its way. Settle waits for it.
func (f *providedFile) Sync(bool) error { return nil }

func (f *providedFile) Stat() (Stat, error) {
	f.node.files.mu.Lock()
	defer f.node.files.mu.Unlock()
	return f.node.stat(), nil
}

func (f *providedFile) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case !f.read || f.closed.Load():
		return 0, errno.BADF
	case offset < 0:
		return 0, errno.INVAL
	}
	f.node.files.mu.Lock()
	defer f.node.files.mu.Unlock()
	data := f.node.data
	return copy(p, data[min(offset, int64(len(data))):]), nil
}

// change makes room for size bytes and calls f, to change what is in them.
func (f *providedFile) change(size func(now int64) (int64, error), change func(data []byte)) error {
	if !f.write || f.closed.Load() {
		return errno.BADF
	}
	n := f.node
	n.files.mu.Lock()
	defer n.files.mu.Unlock()
	if n.err != nil && !n.heard {
		n.heard = true
		return n.err
	}
	want, err := size(int64(len(n.data)))
	if err != nil {
		return err
	}
	if err := n.resize(want); err != nil {
		return err
	}
	change(n.data)
	n.change()
	return nil
}

func (f *providedFile) WriteAt(p []byte, offset int64) (int, error) {
	if len(p) == 0 && f.write {
		return 0, nil
	}
	err := f.change(func(now int64) (int64, error) {
		if f.append {
			offset = now
		}
		switch {
		case offset < 0:
			return 0, errno.INVAL
		case offset > math.MaxInt64-int64(len(p)):
			return 0, errno.FBIG
		}
		return max(now, offset+int64(len(p))), nil
	}, func(data []byte) { copy(data[offset:], p) })
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *providedFile) Truncate(size int64) error {
	if size < 0 {
		return errno.INVAL
	}
	return f.change(func(int64) (int64, error) { return size, nil }, func([]byte) {})
}

func (f *providedFile) Allocate(offset, length int64) error {
	switch {
	case offset < 0 || length <= 0:
		return errno.INVAL
	case offset > math.MaxInt64-length:
		return errno.FBIG
	}
	return f.change(func(now int64) (int64, error) { return max(now, offset+length), nil }, func([]byte) {})
}

func (f *providedFile) SetTimes(t Times) error {
	f.node.files.mu.Lock()
	name, s := f.node.name, f.node.told()
	f.node.files.mu.Unlock()
	if name == "" {
		return nil // nobody can see them any longer
	}
	return f.node.files.setTimes(name, s, t)
}

func (f *providedFile) ReadDir(uint64, int) ([]Entry, error) { return nil, errno.NOTDIR }

// A providedDir is an open directory of a Provider. It is read when somebody wants
// to know what is in it.
type providedDir struct {
	directory
	files *Provided
	name  string
	stat  Stat // what the Provider has said of it

	mu      sync.Mutex // nothing waits that holds it
	entries []Entry    // nil before it was read
	charged int64
	closed  bool
}

func (d *providedDir) Stat() (Stat, error) { return d.files.fill(d.name, d.stat), nil }

func (d *providedDir) SetTimes(t Times) error { return d.files.setTimes(d.name, d.stat, t) }

// Settle implements Settler: it returns when the directory was read.
func (d *providedDir) Settle(wait Wait) error {
	_, err := d.list(asker{d.files, wait})
	return err
}

func (d *providedDir) list(a asker) ([]Entry, error) {
	d.mu.Lock()
	entries := d.entries
	d.mu.Unlock()
	if entries != nil {
		return entries, nil
	}
	return waitFor(a, func(ctx context.Context) ([]Entry, error) {
		entries, err := d.files.list(ctx, d.name)
		if err != nil {
			return nil, err
		}
		size := int64(1)
		for _, e := range entries {
			size += int64(len(e.Name)) + entrySize
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case d.closed:
			return nil, errno.BADF
		case d.entries != nil: // somebody else has read it meanwhile
		case !d.files.o.Quota.takeAllBytes(size):
			return nil, errno.NOMEM
		default:
			d.entries, d.charged = entries, size
		}
		return d.entries, nil
	}, nil)
}

// entrySize is what an Entry takes besides its name, in bytes.
const entrySize = 48

func (d *providedDir) ReadDir(cookie uint64, max int) ([]Entry, error) {
	all, err := d.list(d.files.asker)
	if err != nil {
		return nil, err
	}
	entries := dots(nil, numberOf(d.name), cookie, max)
	from := min(cookie+uint64(len(entries)), uint64(len(all))+2)
	if from >= 2 {
		rest := all[from-2:]
		entries = append(entries, rest[:min(len(rest), max-len(entries))]...)
	}
	return entries, nil
}

func (d *providedDir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errno.BADF
	}
	d.closed = true
	d.files.o.Quota.giveBytes(d.charged)
	d.entries = nil
	return nil
}
