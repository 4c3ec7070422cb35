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
	b, err := m.bytes(uint32(a[0]), uint32(a[1]))
	if err != nil {
		return err
	}
	for len(b) > 0 {
		if err := p.interrupted(); err != nil {
			return err
		}
		n := min(len(b), maxPiece)
		if err := p.work(n * fuelPerByte); err != nil {
			return err
		}
		if _, err := io.ReadFull(p.random, b[:n]); err != nil {
			return errno.IO
		}
		b = b[n:]
	}
	return nil
}
