package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// direntSize is a dirent without its name.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#dirent
const direntSize = 24

// fd_readdir(fd, buf, len, cookie, *used)
//
// It fills the buffer to the last byte, if need be with half an entry, since
// less than a full buffer is how a guest learns that there are no more.
func fdReaddir(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	f := d.file
	if f.typ != vfs.Directory {
		return errno.NOTDIR
	}
	if err := d.may(rightFDReaddir); err != nil {
		return err
	}
	if err := m.check(uint32(a[1]), uint32(a[2])); err != nil {
		return err
	}
	if err := m.check(uint32(a[4]), 4); err != nil {
		return err
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	dir, err := f.open(p.wait)
	if err != nil {
		return err
	}
	if err := vfs.Settle(dir, p.wait); err != nil {
		return asErrno(err)
	}
	n, err := p.readdir(dir, m, uint32(a[1]), uint32(a[2]), a[3])
	if err != nil {
		return err
	}
	return m.put32(uint32(a[4]), n)
}

// readdir fills size bytes at ptr with the entries from cookie on.
func (p *Process) readdir(dir vfs.File, m memory, ptr, size uint32, cookie uint64) (n uint32, err error) {
	const batch = 128
	for n < size {
		if err := p.interrupted(); err != nil {
			return 0, err
		}
		entries, err := dir.ReadDir(cookie, int(min(batch, (size-n)/direntSize+1)))
		if err != nil {
			return 0, asErrno(err)
		}
		if len(entries) == 0 {
			break
		}
		cookie = entries[len(entries)-1].Next
		names := 0
		for i := range entries {
			names += len(entries[i].Name)
		}
		if err := p.work(names * fuelPerByte); err != nil {
			return 0, err
		}
		b, err := m.room(ptr+n, min(uint32(len(entries)*direntSize+names), size-n))
		if err != nil {
			return 0, err
		}
		for at := 0; at < len(b); entries = entries[1:] {
			at += putDirent(b[at:], &entries[0])
		}
		m.Store(ptr+n, b)
		n += uint32(len(b))
	}
	return n, nil
}

// putDirent stores as much of an entry as there is room for.
func putDirent(b []byte, e *vfs.Entry) int {
	var head [direntSize]byte
	binary.LittleEndian.PutUint64(head[0:], e.Next)
	binary.LittleEndian.PutUint64(head[8:], e.Ino)
	binary.LittleEndian.PutUint32(head[16:], uint32(len(e.Name)))
	head[20] = byte(e.Type)
	n := copy(b, head[:])
	return n + copy(b[n:], e.Name)
}
