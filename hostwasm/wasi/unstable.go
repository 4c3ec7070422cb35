package wasi

import (
	"encoding/binary"
	"math"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// This file is what wasi_unstable, also called snapshot 0, does otherwise than
// preview 1. Old modules import it, some of them still in use.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview0/witx/typenames.witx

// unstableFilestat has a link count of 32 bits.
func unstableFilestat(m memory, ptr uint32, s vfs.Stat) error {
	b, err := m.room(ptr, 56)
	if err != nil {
		return err
	}
	clear(b)
	binary.LittleEndian.PutUint64(b[0:], s.Dev)
	binary.LittleEndian.PutUint64(b[8:], s.Ino)
	b[16] = byte(s.Type)
	binary.LittleEndian.PutUint32(b[20:], uint32(min(s.Nlink, math.MaxUint32)))
	binary.LittleEndian.PutUint64(b[24:], s.Size)
	binary.LittleEndian.PutUint64(b[32:], uint64(s.Atim))
	binary.LittleEndian.PutUint64(b[40:], uint64(s.Mtim))
	binary.LittleEndian.PutUint64(b[48:], uint64(s.Ctim))
	m.Store(ptr, b)
	return nil
}

// unstableForm has an identifier, which means nothing, before a clock's id.
var unstableForm = form{size: 56, clock: 24}

func unstableFdFilestatGet(p *Process, m memory, a []uint64) error {
	return p.fdFilestat(m, a, unstableFilestat)
}

func unstablePathFilestatGet(p *Process, m memory, a []uint64) error {
	return p.pathFilestat(m, a, unstableFilestat)
}

func unstablePollOneoff(p *Process, m memory, a []uint64) error {
	return p.pollOneoff(m, a, unstableForm)
}

// unstableFdSeek has other numbers for whence.
func unstableFdSeek(p *Process, m memory, a []uint64) error {
	whence := [...]uint32{0: seekCur, 1: seekEnd, 2: seekSet}
	w := uint32(a[2])
	if w >= uint32(len(whence)) {
		return errno.INVAL
	}
	return p.seek(m, uint32(a[0]), int64(a[1]), whence[w], uint32(a[3]))
}
