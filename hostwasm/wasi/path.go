package wasi

import (
	"bytes"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxPath is how long a name may be, in bytes: Linux's PATH_MAX.
const maxPath = 4096

// lookupFollow is the one of lookupflags.
const lookupFollow = 1

// name reads a file name. What else it may not be is for Files to say.
func (m memory) name(ptr, n uint32) (string, error) {
	switch err := m.check(ptr, n); {
	case err != nil:
		return "", err
	case n == 0:
		return "", errno.NOENT
	case n > maxPath:
		return "", errno.NAMETOOLONG
	}
	b, err := m.bytes(ptr, n)
	switch {
	case err != nil:
		return "", err
	case bytes.IndexByte(b, 0) >= 0:
		return "", errno.INVAL
	}
	return string(b), nil
}

// A place is a name in a tree: that of the process, or of the parent that
// handed over the directory in which the name begins.
type place struct {
	files Files
	vfs.Path
}

// path reads a name that begins in directory fd, which must have rights r.
func (p *Process) path(m memory, fd, ptr, n uint32, r rights) (place, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return place{}, err
	}
	if d.file.typ != vfs.Directory {
		return place{}, errno.NOTDIR
	}
	if err := d.may(r); err != nil {
		return place{}, err
	}
	name, err := m.name(ptr, n)
	return place{d.file.files, vfs.Path{Dir: d.file.path, Name: name, Beneath: d.beneath, Steps: &p.steps, Wait: p.wait}}, err
}

// lookup reads a name with lookupflags.
func (p *Process) lookup(m memory, fd, flags, ptr, n uint32, r rights) (place, error) {
	at, err := p.path(m, fd, ptr, n, r)
	at.Follow = flags&lookupFollow != 0
	return at, err
}

// path_create_directory(fd, path, len)
func pathCreateDirectory(p *Process, m memory, a []uint64) error {
	at, err := p.path(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), rightPathCreateDirectory)
	if err != nil {
		return err
	}
	return asErrno(at.files.Mkdir(at.Path, p.modes.Dir))
}

// path_remove_directory(fd, path, len)
func pathRemoveDirectory(p *Process, m memory, a []uint64) error {
	at, err := p.path(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), rightPathRemoveDirectory)
	if err != nil {
		return err
	}
	return asErrno(at.files.Rmdir(at.Path))
}

// path_unlink_file(fd, path, len)
func pathUnlinkFile(p *Process, m memory, a []uint64) error {
	at, err := p.path(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), rightPathUnlinkFile)
	if err != nil {
		return err
	}
	return asErrno(at.files.Unlink(at.Path))
}

// path_filestat_get(fd, lookupflags, path, len, *filestat)
func pathFilestatGet(p *Process, m memory, a []uint64) error {
	return p.pathFilestat(m, a, filestat)
}

func (p *Process) pathFilestat(m memory, a []uint64, put layout) error {
	at, err := p.lookup(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathFilestatGet)
	if err != nil {
		return err
	}
	s, err := at.files.Stat(at.Path)
	if err != nil {
		return asErrno(err)
	}
	return put(m, uint32(a[4]), s)
}

// path_filestat_set_times(fd, lookupflags, path, len, atim, mtim, flags)
func pathFilestatSetTimes(p *Process, m memory, a []uint64) error {
	at, err := p.lookup(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathFilestatSetTimes)
	if err != nil {
		return err
	}
	t, err := p.times(a[4], a[5], uint32(a[6]))
	if err != nil {
		return err
	}
	return asErrno(at.files.SetTimes(at.Path, t))
}

// path_link(fd, lookupflags, path, len, newfd, newpath, newlen)
func pathLink(p *Process, m memory, a []uint64) error {
	from, err := p.lookup(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathLinkSource)
	if err != nil {
		return err
	}
	to, err := p.path(m, uint32(a[4]), uint32(a[5]), uint32(a[6]), rightPathLinkTarget)
	if err != nil {
		return err
	}
	if from.files != to.files {
		return errno.XDEV
	}
	return asErrno(from.files.Link(from.Path, to.Path))
}

// path_rename(fd, path, len, newfd, newpath, newlen)
func pathRename(p *Process, m memory, a []uint64) error {
	from, err := p.path(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), rightPathRenameSource)
	if err != nil {
		return err
	}
	to, err := p.path(m, uint32(a[3]), uint32(a[4]), uint32(a[5]), rightPathRenameTarget)
	if err != nil {
		return err
	}
	if from.files != to.files {
		return errno.XDEV
	}
	return asErrno(from.files.Rename(from.Path, to.Path))
}

// path_symlink(target, len, fd, path, len)
func pathSymlink(p *Process, m memory, a []uint64) error {
	at, err := p.path(m, uint32(a[2]), uint32(a[3]), uint32(a[4]), rightPathSymlink)
	if err != nil {
		return err
	}
	target, err := m.name(uint32(a[0]), uint32(a[1]))
	if err != nil {
		return err
	}
	if at.Beneath && target[0] == '/' {
		return errno.PERM
	}
	return asErrno(at.files.Symlink(target, at.Path))
}

// path_readlink(fd, path, len, buf, buflen, *used)
func pathReadlink(p *Process, m memory, a []uint64) error {
	at, err := p.path(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), rightPathReadlink)
	if err != nil {
		return err
	}
	if err := m.check(uint32(a[3]), uint32(a[4])); err != nil {
		return err
	}
	if err := m.check(uint32(a[5]), 4); err != nil {
		return err
	}
	target, err := at.files.Readlink(at.Path)
	if err != nil {
		return asErrno(err)
	}
	b, err := m.room(uint32(a[3]), uint32(min(len(target), int(uint32(a[4])))))
	if err != nil {
		return err
	}
	copy(b, target)
	m.Store(uint32(a[3]), b)
	return m.put32(uint32(a[5]), uint32(len(b)))
}
