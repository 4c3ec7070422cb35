package wasi

import (
	"cmp"
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// This file is terrarium_fs_v0: see ABI.md.

// FileModes are those of new files and directories, with vfs.ModeKnown. A zero one
// is the usual one.
type FileModes struct{ File, Dir vfs.Mode }

func (m FileModes) withDefaults() FileModes {
	return FileModes{File: cmp.Or(m.File, vfs.ModeKnown|0o644), Dir: cmp.Or(m.Dir, vfs.ModeKnown|0o755)}
}

// Masked returns the modes that a process with a umask begins with.
func Masked(umask vfs.Mode) FileModes {
	return FileModes{File: vfs.ModeKnown | 0o666&^umask, Dir: vfs.ModeKnown | 0o777&^umask}
}

// putMode puts a mode where preview 1's filestat has nothing, behind the type,
// so that nobody has to ask twice about each file.
func putMode(filestat []byte, m vfs.Mode) {
	binary.LittleEndian.PutUint16(filestat[18:], uint16(m))
}

// fsFeatures is features() -> i64.
func fsFeatures(guest any, _ *engine.Memory, stack []uint64) error {
	const modes, filestats, creating = 1, 2, 4
	if err := guest.(*Process).interrupted(); err != nil {
		return err.(end).error
	}
	stack[0] = modes | filestats | creating
	return nil
}

// flagItself makes a descriptor stand for what it has open.
const flagItself = 2

// file reads what mode_get and mode_set are about. opened is false if it is a
// name.
func (p *Process) file(m memory, fd, flags, ptr, n uint32, byName, byFD rights) (at place, opened *OpenFile, err error) {
	switch {
	case flags&^(lookupFollow|flagItself) != 0:
		return place{}, nil, errno.INVAL
	case flags&flagItself == 0:
		at, err = p.lookup(m, fd, flags, ptr, n, byName)
		return at, nil, err
	case n != 0:
		return place{}, nil, errno.INVAL
	}
	f, err := p.regular(fd, byFD)
	if err != nil {
		return place{}, nil, err
	}
	return place{f.files, vfs.Path{Dir: "/", Name: f.path, Wait: p.wait}}, f, nil
}

// stat describes an open file.
func (p *Process) stat(f *OpenFile) (vfs.Stat, error) {
	if err := p.lock(f); err != nil {
		return vfs.Stat{}, err
	}
	defer f.mu.Unlock()
	file, err := f.open(p.wait)
	if err != nil {
		return vfs.Stat{}, err
	}
	return file.Stat()
}

// mode_get(fd, flags, path, len, *mode)
func fsModeGet(p *Process, m memory, a []uint64) error {
	at, opened, err := p.file(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathFilestatGet, rightFDFilestatGet)
	if err != nil {
		return err
	}
	var s vfs.Stat
	if opened != nil {
		s, err = p.stat(opened)
	} else {
		s, err = at.files.Stat(at.Path)
	}
	switch {
	case err != nil:
		return asErrno(err)
	case s.Mode == 0:
		return errno.NOTSUP
	}
	return m.put32(uint32(a[4]), uint32(s.Mode&^vfs.ModeKnown))
}

// mode_set(fd, flags, path, len, mode)
//
// What a descriptor has open is found by its name. If that means another file
// now, it is ENOTSUP, as in fd_fdstat_set_flags.
func fsModeSet(p *Process, m memory, a []uint64) error {
	at, opened, err := p.file(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathFilestatSetTimes, rightFDFilestatSetTimes)
	if err != nil {
		return err
	}
	mode, err := newMode(uint32(a[4]))
	if err != nil {
		return err
	}
	if opened != nil {
		s, err := p.stat(opened)
		if err != nil {
			return asErrno(err)
		}
		now, err := at.files.Stat(at.Path)
		if err != nil || now.Dev != s.Dev || now.Ino != s.Ino {
			return errno.NOTSUP
		}
	}
	return asErrno(at.files.SetMode(at.Path, mode))
}

// newMode reads a mode to set. The bits above the permissions are dropped.
func newMode(mode uint32) (vfs.Mode, error) {
	if mode > 0o7777 {
		return 0, errno.INVAL
	}
	return vfs.ModeKnown | vfs.Mode(mode)&vfs.ModePerm, nil
}

// creating(files, dirs, *old)
func fsCreating(p *Process, m memory, a []uint64) error {
	old, err := m.room(uint32(a[2]), 8)
	if err != nil {
		return err
	}
	modes := p.modes
	for _, change := range []struct {
		to    uint32
		which *vfs.Mode
	}{{uint32(a[0]), &modes.File}, {uint32(a[1]), &modes.Dir}} {
		const keep = 1<<32 - 1
		if change.to == keep {
			continue
		}
		if *change.which, err = newMode(change.to); err != nil {
			return err
		}
	}
	binary.LittleEndian.PutUint32(old, uint32(p.modes.File&vfs.ModePerm))
	binary.LittleEndian.PutUint32(old[4:], uint32(p.modes.Dir&vfs.ModePerm))
	m.Store(uint32(a[2]), old)
	p.modes = modes
	return nil
}
