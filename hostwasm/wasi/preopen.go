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
func (p *Process) preopen(c Config) ([]descriptor, error) {
	if c.Files == nil {
		return nil, nil
	}
	list := c.Preopens
	if list == nil {
		var err error
		if list, err = p.derive(); err != nil {
			return nil, fmt.Errorf("wasi: list the root: %w", err)
		}
	}
	var preopened []descriptor
	for _, o := range list {
		f, resolved, err := c.Files.Open(vfs.Path{Dir: "/", Name: o.Path, Follow: true}, vfs.How{Read: true, Directory: true})
		if err != nil {
			return nil, fmt.Errorf("wasi: preopen %q: %w", o.Path, asErrno(err))
		}
		f.Close() // it was only a question
		preopened = append(preopened, descriptor{
			file:       &OpenFile{typ: vfs.Directory, rights: dirRights, files: c.Files, path: resolved},
			base:       dirRights,
			inheriting: allRights,
			preopened:  true,
			name:       o.Name,
			beneath:    o.Beneath,
		})
	}
	return preopened, nil
}

// derive lists the preopens of a process that was given none.
func (p *Process) derive() ([]Preopen, error) {
	list := []Preopen{{Name: "/", Path: "/"}}
	names, err := directories(p.files)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		list = append(list, Preopen{Name: "/" + name, Path: "/" + name})
	}
	if p.dir != "/" {
		list = append(list, Preopen{Name: ".", Path: p.dir})
	}
	return list, nil
}

// directories returns the names of the directories in the root, sorted, also
// of links to directories.
func directories(files Files) ([]string, error) {
	root, _, err := files.Open(vfs.Path{Dir: "/", Name: "/"}, vfs.How{Read: true, Directory: true})
	if err != nil {
		return nil, asErrno(err)
	}
	defer root.Close()
	var names []string
	for cookie := uint64(0); ; {
		entries, err := root.ReadDir(cookie, 100)
		if err != nil {
			return nil, asErrno(err)
		}
		for _, e := range entries {
			cookie = e.Next
			if e.Name != "." && e.Name != ".." && isDir(files, e) {
				names = append(names, e.Name)
			}
		}
		if len(entries) == 0 || len(names) >= maxDerived {
			break
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names[:min(len(names), maxDerived)], nil
}

func isDir(files Files, e vfs.Entry) bool {
	if e.Type != vfs.SymbolicLink {
		return e.Type == vfs.Directory
	}
	s, err := files.Stat(vfs.Path{Dir: "/", Name: e.Name, Follow: true})
	return err == nil && s.Type == vfs.Directory
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
	b, err := m.bytes(uint32(a[1]), 8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(b, 0) // a directory
	binary.LittleEndian.PutUint32(b[4:], uint32(len(d.name)))
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
	b, err := m.bytes(uint32(a[1]), uint32(a[2]))
	if err != nil {
		return err
	}
	if len(b) < len(d.name) {
		return errno.NAMETOOLONG
	}
	copy(b, d.name)
	return nil
}
