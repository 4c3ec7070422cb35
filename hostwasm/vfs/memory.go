package vfs

import (
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// MemoryOptions say what a file system in memory may hold.
type MemoryOptions struct {
	// Quota bounds the names and the bytes that files really take, in pages of
	// 4 KiB: holes are free. nil is without limit.
	Quota *Quota
	// Charge, if not nil, is asked for memory, in bytes, for pages, targets of
	// links and names; ENOSPC is where it returns false. With a negative
	// number it is told what is free again. It is called by whoever uses the
	// files, must not use them itself, and is not asked when all of them are
	// forgotten.
	Charge func(n int64) bool
	// Now is the clock for the times of files; nil is time.Now. Reading does
	// not change a time.
	Now func() time.Time
}

// Memory returns an empty file system in memory, such as a private /tmp.
func Memory(o MemoryOptions) FS {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &memory{store: store{o.Quota, o.Charge}, now: func() int64 { return o.Now().UnixNano() }}
	m.root = m.newNode(Directory, 0o1777) // as /tmp has it
	m.root.nlink = 1
	return m
}

type memory struct {
	store store
	now   func() int64 // ns since 1970

	mu     sync.RWMutex // guards all nodes
	root   *memNode
	number uint64 // of the last node
}

// maxLink is how many names a file may have, as on ext4.
const maxLink = 65000

// A memNode is a file, directory or symbolic link.
type memNode struct {
	ino              uint64
	typ              Type
	mode             Mode
	nlink            uint64 // its names
	open             int    // files that are open
	atim, mtim, ctim int64  // ns since 1970

	entries memEntries // of a directory
	parent  *memNode   // of a directory; nil for the root
	target  string     // of a symbolic link
	pages   pages      // of a file
}

func (m *memory) newNode(t Type, mode Mode) *memNode {
	m.number++
	now := m.now()
	return &memNode{ino: m.number, typ: t, mode: ModeKnown | mode, atim: now, mtim: now, ctim: now}
}

func (n *memNode) stat() Stat {
	s := Stat{Ino: n.ino, Type: n.typ, Mode: n.mode, Nlink: n.nlink, Atim: n.atim, Mtim: n.mtim, Ctim: n.ctim}
	switch n.typ {
	case RegularFile:
		s.Size = uint64(n.pages.size)
	case SymbolicLink:
		s.Size = uint64(len(n.target))
	case Directory:
		s.Nlink++ // its own "."
	}
	return s
}

func (n *memNode) setTimes(t Times, now int64) {
	if t.SetAtim {
		n.atim = t.Atim
	}
	if t.SetMtim {
		n.mtim = t.Mtim
	}
	n.ctim = now
}

// find returns what name stands for.
func (m *memory) find(name string) (*memNode, error) {
	if name == "." {
		return m.root, nil
	}
	dir, base, err := m.parent(name)
	if err != nil {
		return nil, err
	}
	if e := dir.entries.names[base]; e != nil {
		return e.node, nil
	}
	return nil, errno.NOENT
}

// parent returns the directory that has, or would have, name.
func (m *memory) parent(name string) (dir *memNode, base string, err error) {
	dir = m.root
	for {
		component, rest, more := strings.Cut(name, "/")
		switch {
		case dir.typ == SymbolicLink:
			return nil, "", errno.LOOP
		case dir.typ != Directory:
			return nil, "", errno.NOTDIR
		case !more:
			return dir, component, nil
		}
		e := dir.entries.names[component]
		if e == nil {
			return nil, "", errno.NOENT
		}
		dir, name = e.node, rest
	}
}

// add gives node a name, which nothing must have yet.
func (m *memory) add(name string, node *memNode) error {
	dir, base, err := m.parent(name)
	switch {
	case err != nil:
		return err
	case dir.entries.names[base] != nil || name == ".":
		return errno.EXIST
	}
	if err := m.store.takeName(); err != nil {
		return err
	}
	m.put(dir, base, node)
	return nil
}

func (m *memory) put(dir *memNode, base string, node *memNode) {
	now := m.now()
	dir.entries.add(base, node)
	dir.mtim, dir.ctim = now, now
	node.ctim = now
	node.nlink++
	if node.typ == Directory {
		node.parent = dir
	}
}

// take is the opposite of put: it removes a name, and the node if that was the
// last that held it.
func (m *memory) take(dir *memNode, base string) {
	node := dir.entries.remove(base)
	dir.mtim, dir.ctim = m.now(), m.now()
	node.ctim = dir.ctim
	node.nlink--
	m.free(node)
}

func (m *memory) free(n *memNode) {
	if n.nlink == 0 && n.open == 0 {
		n.pages.truncate(0, &m.store)
		m.store.giveBytes(int64(len(n.target)))
		n.target = ""
	}
}

// Close does nothing: memory is freed when nobody refers to it.
func (m *memory) Close() error { return nil }
