package wasi

import (
	"io"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// maxPiece is how many bytes are moved, at most, between two looks at whether
// the guest must end.
const maxPiece = 1 << 20

// random_get(buf, len)
func randomGet(p *Process, m memory, a []uint64) error {
	ptr, left := uint32(a[0]), uint32(a[1])
	if err := m.check(ptr, left); err != nil {
		return err
	}
	for left > 0 {
		if err := p.interrupted(); err != nil {
			return err
		}
		n := min(left, maxPiece)
		if err := p.work(int(n) * fuelPerByte); err != nil {
			return err
		}
		b, err := m.room(ptr, n)
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(p.random, b); err != nil {
			return errno.IO
		}
		m.Store(ptr, b)
		ptr, left = ptr+n, left-n
	}
	return nil
}
