package vfs

import (
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A mount is a file system in a Tree.
type mount struct {
	fs    FS
	waits Waiting // fs, if it may have to wait
	dev   uint64
}

// A node is a mount point or a directory that leads to one. Such paths are
// pinned: the Tree knows them for directories, whatever a file system says.
type node struct {
	mount    *mount // nil if nothing is mounted here
	children map[string]*node
	ino      uint64
}

// child returns the node of that name and adds it if there is none.
func (n *node) child(t *Tree, name string) *node {
	if n.children[name] == nil {
		if n.children == nil {
			n.children = make(map[string]*node)
		}
		t.nodes++
		n.children[name] = &node{ino: t.nodes}
	}
	return n.children[name]
}

// stat describes a directory that only the Tree has.
func (n *node) stat() Stat {
	return Stat{Dev: 1, Ino: n.ino, Type: Directory, Mode: ModeKnown | 0o755, Nlink: uint64(2 + len(n.children))}
}

// A place is where a path ends: in the file system that has it.
type place struct {
	tree  *Tree
	path  string // absolute, clean, and without links but for the last component
	mount *mount // nil where only the Tree has directories
	name  string // in mount
	node  *node  // nil unless the path is pinned
	end   end
	slash bool // slashes followed
	wait  Wait // of the Path
}

// fs is the file system that has the place, for this call.
func (at place) fs() FS {
	if at.mount.waits == nil || at.wait == nil {
		return at.mount.fs
	}
	return at.mount.waits.Waiting(at.wait)
}

// An end is what the last component of a path was. All but named are
// directories which exist.
type end uint8

const (
	named  end = iota
	dot        // "."
	dotdot     // ".."
	root       // none: "/"
)

// place finds who has a path, which is absolute and clean.
func (t *Tree) place(p string, wait Wait) place {
	at := place{tree: t, path: p, mount: t.root.mount, node: &t.root, wait: wait}
	inside := 1 // where the name within the mount begins
	for from := 1; from < len(p); {
		to := len(p)
		if i := strings.IndexByte(p[from:], '/'); i >= 0 {
			to = from + i
		}
		at.node = at.node.children[p[from:to]]
		if at.node == nil {
			break
		}
		from = to + 1
		if at.node.mount != nil {
			at.mount, inside = at.node.mount, from
		}
	}
	at.name = "."
	if inside < len(p) {
		at.name = p[inside:]
	}
	return at
}

// isDir says that the place is known to be a directory.
func (at place) isDir() bool { return at.node != nil || at.end != named }

// lstat describes what is there, without following a link.
func (at place) lstat() (Stat, error) {
	switch {
	case at.node == nil && at.mount == nil:
		return Stat{}, errno.NOENT
	case at.node == nil || at.node.mount != nil:
		return at.inMount()
	case at.mount != nil:
		if s, err := at.inMount(); err == nil && s.Type == Directory {
			return s, nil
		}
	}
	return at.node.stat(), nil
}

// inMount is lstat for what the mount has.
func (at place) inMount() (Stat, error) {
	s, err := at.fs().Lstat(at.name)
	s.Dev = at.mount.dev
	return s, err
}

// missing is why nothing can be made at a place that no file system has.
func (at place) missing() error {
	if at.tree.place(path.Dir(at.path), nil).node == nil {
		return errno.NOENT
	}
	return errno.ROFS
}
