package wazero

import (
	"fmt"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// memory is an instance's linear memory: address space for all it may ever
// have, so that growing copies nothing, and pages when they are touched.
type memory struct {
	space []byte // its length is the most that the guest may have
	size  uint64 // what it has
	grow  func(from, to uint64) bool
}

// newMemory reserves the memory of an instance of p, at most max bytes, and
// takes what it starts with: wazero does not survive a refusal there.
func (p *program) newMemory(max uint64, grow func(from, to uint64) bool) (*memory, error) {
	var min uint64
	for _, d := range p.module.ExportedMemories() { // core/meter lets no module have two
		if min = uint64(d.Min()) << 16; min > max {
			return nil, engine.ErrMemory
		}
		if pages, ok := d.Max(); ok && uint64(pages)<<16 < max {
			max = uint64(pages) << 16
		}
	}
	if p.image != nil && p.image.size > max {
		return nil, engine.ErrMemory
	}
	if min > 0 && grow != nil && !grow(0, min) {
		return nil, engine.ErrMemory
	}
	space, err := reserve(max)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of memory: %w", max, err)
	}
	err = expose(space, 0, min)
	if err == nil && p.image != nil {
		err = p.image.put(space)
	}
	if err != nil {
		release(space)
		return nil, err
	}
	return &memory{space: space, size: min, grow: grow}, nil
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(cap, max uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. Its size never shrinks.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.size {
		if size > uint64(len(m.space)) || m.grow != nil && !m.grow(m.size, size) || expose(m.space, m.size, size) != nil {
			return nil
		}
		m.size = size
	}
	return m.space[:size:size]
}

// Free implements experimental.LinearMemory, for nothing: the memory outlives
// the instance by a moment, until release.
func (m *memory) Free() {}
