package wasi

import (
	"math"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#whence
const (
	seekSet = 0
	seekCur = 1
	seekEnd = 2
)

// fd_seek(fd, offset, whence, *position)
func fdSeek(p *Process, m memory, a []uint64) error {
	return p.seek(m, uint32(a[0]), int64(a[1]), uint32(a[2]), uint32(a[3]))
}

// fd_tell(fd, *position)
func fdTell(p *Process, m memory, a []uint64) error {
	return p.seek(m, uint32(a[0]), 0, seekCur, uint32(a[1]))
}

func (p *Process) seek(m memory, fd uint32, offset int64, whence, result uint32) error {
	d, err := p.fds.get(fd)
	if err != nil {
		return err
	}
	f := d.file
	if f.stream != nil {
		return errno.SPIPE
	}
	if f.typ == vfs.Directory {
		return errno.ISDIR
	}
	tells := offset == 0 && whence == seekCur
	if err := d.may(rightFDSeek); err != nil && !(tells && d.may(rightFDTell) == nil) {
		return err
	}
	if err := m.check(result, 8); err != nil {
		return err
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	from, err := f.origin(whence)
	if err != nil {
		return err
	}
	if offset > 0 && from > math.MaxInt64-offset {
		return errno.OVERFLOW
	}
	if from+offset < 0 {
		return errno.INVAL
	}
	f.offset = from + offset
	return m.put64(result, uint64(f.offset))
}

// origin is where a whence counts from, with f.mu held.
func (f *OpenFile) origin(whence uint32) (int64, error) {
	switch whence {
	case seekSet:
		return 0, nil
	case seekCur:
		return f.offset, nil
	case seekEnd:
		s, err := f.file.Stat()
		return int64(min(s.Size, math.MaxInt64)), asErrno(err)
	}
	return 0, errno.INVAL
}
