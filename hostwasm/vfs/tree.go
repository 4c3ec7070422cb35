package vfs

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Config says what guests may add to a [Tree]. The zero value is of use.
type Config struct {
	// MaxBytes is by how many bytes files may grow together; 0 is 1 GiB.
	MaxBytes int64
	// MaxFiles is how many names may be added; 0 is 262,144.
	MaxFiles int64
	// MaxOpen is how many files and directories of the host may be open at
	// once, each of which is a descriptor of this process; 0 is 1,024. One
	// more is ENFILE.
	MaxOpen int64
}

// What a name may be, as on Linux. They bound what resolving one costs.
const (
	maxPath  = 4096 // bytes of a path, also with a link's target put in
	maxName  = 255  // bytes of a component
	maxLinks = 40   // links followed
	maxSteps = 4096 // components looked at, those of links included
)

// A Tree is the files that guests see: file systems at their mount points, and
// the directories that lead there, which are read-only and list nothing else.
// Mount all before the first use, and close it after the last; the other
// methods are safe for concurrent use, and their errors are of type
// errno.Errno.
type Tree struct {
	root   node
	nodes  uint64
	mounts []*mount
	quota  *Quota
}

// New returns a Tree that has only an empty root.
func New(c Config) *Tree {
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 30
	}
	if c.MaxFiles == 0 {
		c.MaxFiles = 1 << 18
	}
	if c.MaxOpen == 0 {
		c.MaxOpen = 1 << 10
	}
	t := &Tree{root: node{ino: 1}, nodes: 1, quota: NewQuota(c.MaxBytes, c.MaxFiles)}
	t.quota.open.max = c.MaxOpen
	return t
}

// Quota is the account of the whole Tree. Give it, or parts of it, to the file
// systems before they are mounted.
func (t *Tree) Quota() *Quota { return t.quota }

// Mount makes fs appear at dir, an absolute and clean path, and hides what the
// file system around it has there. Directories that lead to it need not exist
// there. They and dir cannot be removed or renamed as long as the Tree lives.
// The Tree closes fs, unless Mount fails.
func (t *Tree) Mount(dir string, fs FS) error {
	if err := t.begin(&walker{}, Path{Name: dir}); err != nil || !path.IsAbs(dir) || path.Clean(dir) != dir {
		return fmt.Errorf("mount at %q: not an absolute, clean path", dir)
	}
	n := &t.root
	for name := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if name != "" {
			n = n.child(t, name)
		}
	}
	if n.mount != nil {
		return fmt.Errorf("mount at %s: something is mounted there", dir)
	}
	t.nodes++
	// The Tree itself is device 1.
	waits, _ := fs.(Waiting)
	n.mount = &mount{fs: fs, waits: waits, dev: uint64(len(t.mounts)) + 2}
	t.mounts = append(t.mounts, n.mount)
	return nil
}

// Close closes the file systems. Open files stay usable.
func (t *Tree) Close() error {
	var errs []error
	for _, m := range t.mounts {
		errs = append(errs, m.fs.Close())
	}
	t.mounts = nil
	return errors.Join(errs...)
}
