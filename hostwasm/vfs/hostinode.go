//go:build linux || darwin

package vfs

import (
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A hostInode is a file that is open at least once, and what its quota paid
// for it. It is a directory too, which keeps its blocks after it was removed while
// it is open: what was paid for that is known when it is gone.
type hostInode struct {
	number uint64 // in hostDir.open
	refs   int    // guarded by hostDir.mu
	gone   bool   // has no name left; guarded by hostDir.mu

	mu     sync.Mutex // held while the size changes
	blocks bool       // see HostOptions
	paid   int64      // what is paid for its size, in bytes; a directory's is guarded by hostDir.mu
}

// opened notes that a file was opened as fd, which s described.
//
// What s says of the size may be old. Between that fstat and our lock another
// guest may truncate the file, be given back what it had, and close it as the
// last. We would then take the old size for paid, and to truncate the file again
// would give the same bytes back once more. So the size of a file that nobody
// else has open is asked for again: while we have the lock, nobody gets to change
// it.
func (h *hostDir) opened(fd int, s *unix.Stat_t) (*hostInode, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	number := opaque(uint64(s.Dev), s.Ino)
	i := h.open[number]
	if i == nil {
		if err := ignoringEINTR(func() error { return unix.Fstat(fd, s) }); err != nil {
			return nil, err
		}
		i = &hostInode{number: number, blocks: h.blocks, paid: h.bytesOf(s)}
		h.open[number] = i
	}
	i.refs++
	return i, nil
}

// openedDir notes that a directory was opened.
func (h *hostDir) openedDir(number uint64) *hostInode {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := h.open[number]
	if i == nil {
		i = &hostInode{number: number}
		h.open[number] = i
	}
	i.refs++
	return i
}

// close closes a descriptor of a file or directory, and gives back what that had if
// that was the end of it. i is nil if nothing is counted of it; i.mu is held, of a
// file.
//
// The file is taken out of h.open while the descriptor still holds it. Once it is
// closed, the host may give the number of a file without a name to the next one
// that is made. Whoever opens or removes that one would find the old file in h.open,
// with what that had paid.
func (h *hostDir) close(fd *descriptor, i *hostInode) error {
	var freed int64
	err := fd.closeAfter(func() { freed = h.closing(i) })
	if err == errno.BADF {
		return err
	}
	h.quota.giveOpen()
	h.quota.giveBytes(freed)
	return err
}

// closing notes that a descriptor is about to be closed. It returns how many bytes
// that frees.
func (h *hostDir) closing(i *hostInode) (freed int64) {
	if i == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if i.refs--; i.refs > 0 {
		return 0
	}
	delete(h.open, i.number)
	if i.gone {
		freed = i.paid
	}
	return freed
}

// write calls f with as many bytes of p as there are paid for, beginning at
// offset. f returns how many it wrote.
func (i *hostInode) write(q *Quota, p []byte, offset int64, f func(p []byte) (int, error)) (n int, err error) {
	end := i.cost(offset + int64(len(p)))
	granted := q.takeBytes(max(end-i.paid, 0))
	room := max(i.covers(i.paid+granted)-offset, 0)
	less := room < int64(len(p))
	if less {
		p = p[:room]
	}
	if len(p) > 0 || !less {
		n, err = f(p)
	}
	grown := int64(0)
	if n > 0 {
		grown = max(i.cost(offset+int64(n))-i.paid, 0)
	}
	i.paid += grown
	q.giveBytes(granted - grown)
	if err == nil && less {
		err = errno.DQUOT
	}
	return n, err
}

// resize calls f, which makes the file size bytes long.
func (i *hostInode) resize(q *Quota, size int64, f func() error) error {
	size = i.cost(size)
	grown := size - i.paid
	if !q.takeAllBytes(grown) {
		return errno.DQUOT
	}
	if err := f(); err != nil {
		q.giveBytes(max(grown, 0))
		return err
	}
	q.giveBytes(max(-grown, 0))
	i.paid = size
	return nil
}
