package wasi

import (
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#oflags
const (
	openCreate = 1 << iota
	openDirectory
	openExclusive
	openTruncate
)

// A stdio file stands for a descriptor of whoever opens it: /dev/stdin.
type stdio interface {
	Stdio() int
}

// path_open(fd, lookupflags, path, len, oflags, base, inheriting, fdflags, *newfd)
func pathOpen(p *Process, m memory, a []uint64) error {
	at, err := p.lookup(m, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]), rightPathOpen)
	if err != nil {
		return err
	}
	if err := m.check(uint32(a[8]), 4); err != nil {
		return err
	}
	dir := p.fds.entries[uint32(a[0])]
	o := opening{
		oflags:     uint32(a[4]),
		base:       rights(a[5]) & allRights,
		inheriting: rights(a[6]) & allRights,
		flags:      fdflags(a[7]),
	}
	if uint32(a[7])&^uint32(allFlags) != 0 {
		return errno.INVAL
	}
	how, err := o.check(&dir, p.modes.File)
	if err != nil {
		return err
	}
	if p.fds.free() == 0 {
		return errno.MFILE // before a file is created
	}
	d, err := p.open(at, how, o)
	if err != nil {
		return err
	}
	d.beneath = dir.beneath
	fd, err := p.fds.add(d, 0)
	if err != nil {
		return err
	}
	return m.put32(uint32(a[8]), fd)
}

// An opening is what path_open was asked for.
type opening struct {
	oflags           uint32
	base, inheriting rights
	flags            fdflags
}

// check says how to open, or why not: what may be done with a file is at most
// what is inherited from its directory. mode is that of a file it creates.
func (o opening) check(dir *descriptor, mode vfs.Mode) (vfs.How, error) {
	how := vfs.How{
		Write:     o.base&(rightFDWrite|rightFDAllocate) != 0 || o.oflags&openTruncate != 0,
		Append:    o.flags&flagAppend != 0,
		Create:    o.oflags&openCreate != 0,
		Exclusive: o.oflags&openExclusive != 0,
		Truncate:  o.oflags&openTruncate != 0,
		Directory: o.oflags&openDirectory != 0,
		Mode:      mode,
	}
	how.Read = o.base&rightFDRead != 0 || !how.Write
	var needed rights
	if how.Create {
		needed |= rightPathCreateFile
	}
	if how.Truncate {
		needed |= rightPathFilestatSetSize
	}
	switch {
	case o.oflags&^(openCreate|openDirectory|openExclusive|openTruncate) != 0,
		how.Directory && (how.Create || how.Truncate):
		return how, errno.INVAL
	case dir.may(needed) != nil, (o.base|o.inheriting)&^dir.inheriting != 0:
		return how, errno.NOTCAPABLE
	}
	return how, nil
}

// open opens a file, or duplicates the descriptor that it stands for.
func (p *Process) open(at place, how vfs.How, o opening) (descriptor, error) {
	write := how.Write
	if how.Directory {
		// Whether it is a directory comes before whether one can be written.
		how.Read, how.Write, how.Append = true, false, false
	}
	file, resolved, err := at.files.Open(at.Path, how)
	if err != nil {
		return descriptor{}, asErrno(err)
	}
	if s, ok := file.(stdio); ok && s.Stdio() >= 0 {
		file.Close()
		switch s.Stdio() {
		case vfs.Terminal:
			return p.openTerminal(o)
		case vfs.HTTP:
			return p.openHTTP(o)
		}
		return p.reopen(uint32(s.Stdio()), o)
	}
	s, err := file.Stat()
	if err == nil && write && s.Type == vfs.Directory {
		err = errno.ISDIR
	}
	if err != nil {
		file.Close()
		return descriptor{}, asErrno(err)
	}
	f := &OpenFile{
		typ:    s.Type,
		rights: rightsFor(s.Type),
		files:  at.files,
		path:   resolved,
		file:   file,
		how:    how,
		flags:  o.flags & fileFlags,
	}
	// Another opening must not create or empty the file once more.
	f.how.Create, f.how.Exclusive, f.how.Truncate = false, false, false
	base := o.base
	if base&rightPathOpen != 0 {
		// Go's os.Root opens directories without this right, and then empties
		// files in them.
		base |= rightPathFilestatSetSize & o.inheriting
	}
	return descriptor{
		file:       f,
		base:       base & f.rights,
		inheriting: o.inheriting,
		nonblock:   o.flags&flagNonblock != 0,
	}, nil
}

// reopen opens what descriptor fd stands for.
func (p *Process) reopen(fd uint32, o opening) (descriptor, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return descriptor{}, errno.NOENT
	}
	if missing := o.base & (rightFDRead | rightFDWrite) &^ d.base; missing != 0 {
		return descriptor{}, errno.ACCES
	}
	again := *d
	again.base &= o.base
	again.nonblock = o.flags&flagNonblock != 0
	again.preopened, again.name = false, ""
	return again, nil
}
