package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// memory is a guest's memory during one call. What does not lie in it is
// EFAULT. Nothing needs to be aligned. What a call reads or writes at once is
// bounded before it asks for it, since the memory may have to be copied.
type memory struct{ *engine.Memory }

// bytes returns n bytes at ptr, to be read.
func (m memory) bytes(ptr, n uint32) ([]byte, error) {
	b, ok := m.In(ptr, n)
	if !ok {
		return nil, errno.FAULT
	}
	return b, nil
}

// array is bytes for n elements of size bytes each.
func (m memory) array(ptr, n, size uint32) ([]byte, error) {
	if err := m.checkArray(ptr, n, size); err != nil {
		return nil, err
	}
	return m.bytes(ptr, n*size)
}

// room returns n bytes at ptr, to be written and then handed to Store.
func (m memory) room(ptr, n uint32) ([]byte, error) {
	b, ok := m.Out(ptr, n)
	if !ok {
		return nil, errno.FAULT
	}
	return b, nil
}

func (m memory) put32(ptr, v uint32) error {
	b, err := m.room(ptr, 4)
	if err == nil {
		binary.LittleEndian.PutUint32(b, v)
		m.Store(ptr, b)
	}
	return err
}

func (m memory) put64(ptr uint32, v uint64) error {
	b, err := m.room(ptr, 8)
	if err == nil {
		binary.LittleEndian.PutUint64(b, v)
		m.Store(ptr, b)
	}
	return err
}

// check returns EFAULT if n bytes at ptr are not there. Functions check where
// their results go before they do anything.
func (m memory) check(ptr, n uint32) error {
	if !m.Holds(ptr, n) {
		return errno.FAULT
	}
	return nil
}

// checkArray is check for n elements of size bytes each.
func (m memory) checkArray(ptr, n, size uint32) error {
	if uint64(ptr)+uint64(n)*uint64(size) > m.Size() {
		return errno.FAULT
	}
	return nil
}
