package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// fd_close(fd)
//
// It is closed whatever is wrong with what was written to it before.
func fdClose(p *Process, _ memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if err = p.settle(d.file); err != engine.ErrWait {
		p.fds.close(uint32(a[0]))
	}
	return err
}

// fd_renumber(from, to)
func fdRenumber(p *Process, _ memory, a []uint64) error {
	if d, err := p.fds.get(uint32(a[1])); err == nil && a[0] != a[1] {
		if p.settle(d.file) == engine.ErrWait {
			return engine.ErrWait
		}
	}
	return p.fds.renumber(uint32(a[0]), uint32(a[1]))
}

// fd_fdstat_get(fd, *fdstat)
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#fdstat
func fdFdstatGet(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	flags, err := p.flags(d)
	if err != nil {
		return err
	}
	b, err := m.room(uint32(a[1]), 24)
	if err != nil {
		return err
	}
	clear(b)
	b[0] = byte(d.file.typ)
	binary.LittleEndian.PutUint16(b[2:], uint16(flags))
	binary.LittleEndian.PutUint64(b[8:], uint64(d.base))
	binary.LittleEndian.PutUint64(b[16:], uint64(d.inheriting))
	m.Store(uint32(a[1]), b)
	return nil
}

func (p *Process) flags(d *descriptor) (fdflags, error) {
	if err := p.lock(d.file); err != nil {
		return 0, err
	}
	defer d.file.mu.Unlock()
	f := d.file.flags
	if d.nonblock {
		f |= flagNonblock
	}
	return f, nil
}

// fd_fdstat_set_flags(fd, flags)
func fdFdstatSetFlags(p *Process, _ memory, a []uint64) error {
	d, err := p.fds.use(uint32(a[0]), rightFDSetFlags)
	if err != nil {
		return err
	}
	flags := fdflags(a[1])
	if uint32(a[1])&^uint32(allFlags) != 0 {
		return errno.INVAL
	}
	if d.file.typ != vfs.Directory && d.file.stream == nil {
		if err := p.setFlags(d.file, flags&fileFlags); err != nil {
			return err
		}
	}
	d.nonblock = flags&flagNonblock != 0
	return nil
}

// setFlags opens a file again if flagAppend changes, since appending is a
// matter of how a file is opened. ENOTSUP if its name means another file now.
func (p *Process) setFlags(f *OpenFile, flags fdflags) error {
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	if (f.flags^flags)&flagAppend == 0 {
		f.flags = flags
		return nil
	}
	if p.trying {
		return engine.ErrWait
	}
	how := f.how
	how.Append = flags&flagAppend != 0
	again, _, err := f.files.Open(vfs.Path{Dir: "/", Name: f.path, Wait: p.wait}, how)
	if err != nil {
		return errno.NOTSUP
	}
	if !sameFile(f.file, again) {
		again.Close()
		return errno.NOTSUP
	}
	f.file.Close()
	f.file, f.how, f.flags = again, how, flags
	return nil
}

func sameFile(a, b vfs.File) bool {
	s, err := a.Stat()
	t, err2 := b.Stat()
	return err == nil && err2 == nil && s.Dev == t.Dev && s.Ino == t.Ino
}

// fd_fdstat_set_rights(fd, base, inheriting)
func fdFdstatSetRights(p *Process, _ memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	base, inheriting := rights(a[1]), rights(a[2])
	if base&^d.base != 0 || inheriting&^d.inheriting != 0 {
		return errno.NOTCAPABLE
	}
	d.base, d.inheriting = base, inheriting
	return nil
}
