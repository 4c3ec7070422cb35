package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// memory is a guest's memory during one call. What does not lie in it is
// EFAULT. Nothing needs to be aligned.
type memory []byte

// bytes returns n bytes at ptr, without a copy.
func (m memory) bytes(ptr, n uint32) ([]byte, error) {
	end := uint64(ptr) + uint64(n)
	if end > uint64(len(m)) {
		return nil, errno.FAULT
	}
	return m[ptr:end:end], nil
}

// array returns n elements of size bytes each.
func (m memory) array(ptr, n, size uint32) ([]byte, error) {
	end := uint64(ptr) + uint64(n)*uint64(size)
	if end > uint64(len(m)) {
		return nil, errno.FAULT
	}
	return m[ptr:end:end], nil
}

func (m memory) put32(ptr, v uint32) error {
	b, err := m.bytes(ptr, 4)
	if err == nil {
		binary.LittleEndian.PutUint32(b, v)
	}
	return err
}

func (m memory) put64(ptr uint32, v uint64) error {
	b, err := m.bytes(ptr, 8)
	if err == nil {
		binary.LittleEndian.PutUint64(b, v)
	}
	return err
}

// check returns EFAULT if n bytes at ptr are not there. Functions check where
// their results go before they do anything.
func (m memory) check(ptr, n uint32) error {
	_, err := m.bytes(ptr, n)
	return err
}
