package wasi

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxDerived is how many directories of the root are preopened, if nobody says
// which. The others are found through "/".
const maxDerived = 64

// preopen returns descriptors for c.Preopens.
func (p *Process) preopen(c Config) (list []descriptor, err error) {
	if c.Files == nil {
		return nil, nil
	}
	if c.Preopens == nil {
		return p.derive()
	}
	for _, o := range c.Preopens {
		d, err := p.preopenAt(o.Name, o.Path)
		if err != nil {
			return nil, err
		}
		d.beneath = o.Beneath
		list = append(list, d)
	}
	return list, nil
}

// preopenAt returns a descriptor for a directory that may be behind links.
func (p *Process) preopenAt(name, path string) (descriptor, error) {
	f, resolved, err := p.files.Open(vfs.Path{Dir: "/", Name: path, Follow: true, Wait: p.wait}, vfs.How{Read: true, Directory: true})
	if err != nil {
		return descriptor{}, fmt.Errorf("wasi: preopen %s: %w", path, asErrno(err))
	}
	f.Close() // it was only a question
	return p.preopened(name, resolved), nil
}

func (p *Process) preopened(name, path string) descriptor {
	return descriptor{
		file:       &OpenFile{typ: vfs.Directory, rights: dirRights, files: p.files, path: path},
		base:       dirRights,
		inheriting: allRights,
		preopened:  true,
		name:       name,
	}
}

// derive returns the descriptors of a process that was not told which.
func (p *Process) derive() ([]descriptor, error) {
	list := []descriptor{p.preopened("/", "/")}
	entries, err := directories(p.files)
	if err != nil {
		return nil, fmt.Errorf("wasi: list the root: %w", err)
	}
	for _, e := range entries {
		name := "/" + e.Name
		if e.Type == vfs.Directory {
			list = append(list, p.preopened(name, name))
		} else if d, err := p.preopenAt(name, name); err == nil {
			list = append(list, d)
		}
	}
	if p.dir == "/" {
		return list, nil
	}
	d, err := p.preopenAt(".", p.dir)
	return append(list, d), err
}

// directories lists the directories in the root by name, and the links, which
// may be some too.
func directories(files Files) ([]vfs.Entry, error) {
	root, _, err := files.Open(vfs.Path{Dir: "/", Name: "/"}, vfs.How{Read: true, Directory: true})
	if err != nil {
		return nil, asErrno(err)
	}
	defer root.Close()
	var list []vfs.Entry
	for cookie := uint64(0); len(list) < maxDerived; {
		entries, err := root.ReadDir(cookie, 100)
		if err != nil {
			return nil, asErrno(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			cookie = e.Next
			isDir := e.Type == vfs.Directory && e.Name != "." && e.Name != ".."
			if isDir || e.Type == vfs.SymbolicLink {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return list[:min(len(list), maxDerived)], nil
}

// fd_prestat_get(fd, *prestat)
func fdPrestatGet(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if !d.preopened {
		return errno.BADF // which is how guests learn that there are no more
	}
	b, err := m.room(uint32(a[1]), 8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(b, 0) // a directory
	binary.LittleEndian.PutUint32(b[4:], uint32(len(d.name)))
	m.Store(uint32(a[1]), b)
	return nil
}

// fd_prestat_dir_name(fd, buf, len)
func fdPrestatDirName(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if !d.preopened {
		return errno.BADF
	}
	if err := m.check(uint32(a[1]), uint32(a[2])); err != nil {
		return err
	}
	if int64(uint32(a[2])) < int64(len(d.name)) {
		return errno.NAMETOOLONG
	}
	b, err := m.room(uint32(a[1]), uint32(len(d.name)))
	if err != nil {
		return err
	}
	copy(b, d.name)
	m.Store(uint32(a[1]), b)
	return nil
}
