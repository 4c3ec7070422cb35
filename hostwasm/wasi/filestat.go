package wasi

import (
	"encoding/binary"
	"math"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A layout is how a filestat lies in memory: preview1's or wasi_unstable's.
type layout func(m memory, ptr uint32, s vfs.Stat) error

// filestat is preview1's.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#filestat
func filestat(m memory, ptr uint32, s vfs.Stat) error {
	b, err := m.room(ptr, 64)
	if err != nil {
		return err
	}
	clear(b)
	binary.LittleEndian.PutUint64(b[0:], s.Dev)
	binary.LittleEndian.PutUint64(b[8:], s.Ino)
	b[16] = byte(s.Type)
	putMode(b, s.Mode)
	binary.LittleEndian.PutUint64(b[24:], s.Nlink)
	binary.LittleEndian.PutUint64(b[32:], s.Size)
	binary.LittleEndian.PutUint64(b[40:], uint64(s.Atim))
	binary.LittleEndian.PutUint64(b[48:], uint64(s.Mtim))
	binary.LittleEndian.PutUint64(b[56:], uint64(s.Ctim))
	m.Store(ptr, b)
	return nil
}

// fd_filestat_get(fd, *filestat)
func fdFilestatGet(p *Process, m memory, a []uint64) error {
	return p.fdFilestat(m, a, filestat)
}

func (p *Process) fdFilestat(m memory, a []uint64, put layout) error {
	d, err := p.fds.use(uint32(a[0]), rightFDFilestatGet)
	if err != nil {
		return err
	}
	f := d.file
	if f.stream != nil {
		return put(m, uint32(a[1]), vfs.Stat{Type: f.typ})
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	file, err := f.open(p.wait)
	if err != nil {
		return err
	}
	s, err := file.Stat()
	if err != nil {
		return asErrno(err)
	}
	return put(m, uint32(a[1]), s)
}

// regular returns a descriptor's file, or EINVAL if it is a stream. Whoever
// uses it must hold d.file.mu.
func (p *Process) regular(fd uint32, r rights) (*OpenFile, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return nil, err
	}
	if d.file.stream != nil {
		return nil, errno.INVAL
	}
	return d.file, d.may(r)
}

// content is regular for what only makes sense if it is no directory.
func (p *Process) content(fd uint32, r rights) (*OpenFile, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return nil, err
	}
	if d.file.typ == vfs.Directory {
		return nil, errno.ISDIR
	}
	return p.regular(fd, r)
}

// fd_filestat_set_size(fd, size)
func fdFilestatSetSize(p *Process, _ memory, a []uint64) error {
	f, err := p.content(uint32(a[0]), rightFDFilestatSetSize)
	if err != nil {
		return err
	}
	if a[1] > math.MaxInt64 {
		return errno.INVAL
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	return asErrno(f.file.Truncate(int64(a[1])))
}

// fd_allocate(fd, offset, len)
func fdAllocate(p *Process, _ memory, a []uint64) error {
	f, err := p.content(uint32(a[0]), rightFDAllocate)
	if err != nil {
		return err
	}
	offset, length := a[1], a[2]
	switch {
	case length == 0 || offset > math.MaxInt64 || length > math.MaxInt64:
		return errno.INVAL
	case offset+length > math.MaxInt64:
		return errno.FBIG
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	return asErrno(f.file.Allocate(int64(offset), int64(length)))
}

// fd_advise(fd, offset, len, advice) has no effect.
func fdAdvise(p *Process, _ memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	const noreuse = 5
	switch {
	case d.file.stream != nil:
		return errno.SPIPE
	case d.file.typ == vfs.Directory:
		return errno.ISDIR
	case uint32(a[3]) > noreuse, a[1] > math.MaxInt64, a[2] > math.MaxInt64:
		return errno.INVAL
	}
	return d.may(rightFDAdvise)
}

// fd_sync(fd)
func fdSync(p *Process, _ memory, a []uint64) error {
	return p.sync(uint32(a[0]), rightFDSync, false)
}

// fd_datasync(fd)
func fdDatasync(p *Process, _ memory, a []uint64) error {
	return p.sync(uint32(a[0]), rightFDDatasync, true)
}

func (p *Process) sync(fd uint32, r rights, data bool) error {
	f, err := p.regular(fd, r)
	if err != nil {
		return err
	}
	if err := p.settle(f); err != nil {
		return err
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	file, err := f.open(p.wait)
	if err != nil {
		return err
	}
	return asErrno(file.Sync(data))
}

// fd_filestat_set_times(fd, atim, mtim, flags)
func fdFilestatSetTimes(p *Process, _ memory, a []uint64) error {
	f, err := p.regular(uint32(a[0]), rightFDFilestatSetTimes)
	if err != nil {
		return err
	}
	t, err := p.times(a[1], a[2], uint32(a[3]))
	if err != nil {
		return err
	}
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	file, err := f.open(p.wait)
	if err != nil {
		return err
	}
	return asErrno(file.SetTimes(t))
}

// times reads fstflags.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#fstflags
func (p *Process) times(atim, mtim uint64, flags uint32) (vfs.Times, error) {
	const setAtim, atimNow, setMtim, mtimNow = 1, 2, 4, 8
	switch {
	case flags&^(setAtim|atimNow|setMtim|mtimNow) != 0,
		flags&(setAtim|atimNow) == setAtim|atimNow,
		flags&(setMtim|mtimNow) == setMtim|mtimNow:
		return vfs.Times{}, errno.INVAL
	}
	t := vfs.Times{
		Atim: int64(toTime(atim)), SetAtim: flags&(setAtim|atimNow) != 0,
		Mtim: int64(toTime(mtim)), SetMtim: flags&(setMtim|mtimNow) != 0,
	}
	if flags&(atimNow|mtimNow) != 0 {
		now := int64(p.clock.Realtime())
		if flags&atimNow != 0 {
			t.Atim = now
		}
		if flags&mtimNow != 0 {
			t.Mtim = now
		}
	}
	return t, nil
}
