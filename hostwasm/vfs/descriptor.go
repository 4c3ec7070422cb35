//go:build linux || darwin

package vfs

import (
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A descriptor is one of the host's. It is not closed while somebody uses it,
// when its number might already stand for another file.
type descriptor struct {
	mu sync.RWMutex // held by users for reading
	fd int          // -1 when closed
}

// use calls f, again if a signal interrupts it. The error is one for guests.
func (d *descriptor) use(f func(fd int) error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.fd < 0 {
		return errno.BADF
	}
	return forGuest(ignoringEINTR(func() error { return f(d.fd) }))
}

func (d *descriptor) close() error { return d.closeAfter(func() {}) }

// closeAfter calls f once nobody uses the descriptor, and then closes it. It does
// neither where the descriptor is closed already.
func (d *descriptor) closeAfter(f func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fd < 0 {
		return errno.BADF
	}
	f()
	// After EINTR it is closed on Linux, and may be another's.
	err := unix.Close(d.fd)
	d.fd = -1
	if err == unix.EINTR {
		return nil
	}
	return forGuest(err)
}

func ignoringEINTR(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}
