package hostwasm

import (
	"crypto/rand"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A Mount hands a directory of the host over to commands.
type Mount struct {
	// Dir is the directory, absolute.
	Dir string
	// Guest is where commands see it, absolute. If empty, at Dir.
	Guest string
	// ReadOnly refuses whatever would change it.
	ReadOnly bool
}

// guest returns where commands see it.
func (m Mount) guest() string {
	if m.Guest == "" {
		return path.Clean(m.Dir)
	}
	return path.Clean(m.Guest)
}

// ours are the places in every tree that mounts must leave alone.
var ours = []string{"/bin", "/dev"}

// check says what is wrong with the mount, as early as it can be told.
func (m Mount) check() error {
	dir, err := vfs.OpenHost(m.Dir, vfs.HostOptions{ReadOnly: m.ReadOnly})
	if err != nil {
		return err
	}
	defer dir.Close()
	switch {
	case !path.IsAbs(m.guest()):
		return fmt.Errorf("mount %s at %s: not an absolute path", m.Dir, m.Guest)
	case slices.Contains(ours, m.guest()):
		return fmt.Errorf("mount %s at %s: that is the sandbox's own", m.Dir, m.guest())
	}
	return nil
}

// tree returns the files that c gets to see.
func (h *Host) tree(c core.Command) (_ *vfs.Tree, err error) {
	l := h.config.Limits
	tree := vfs.New(vfs.Config{MaxBytes: l.Disk, MaxFiles: int64(l.Files)})
	defer func() {
		if err != nil {
			tree.Close()
		}
	}()
	mounted := make(map[string]bool)
	mount := func(dir string, f vfs.FS) error {
		if err := tree.Mount(dir, f); err != nil {
			f.Close()
			return err
		}
		mounted[dir] = true
		return nil
	}
	for _, m := range h.mounts(c) {
		if mounted[m.guest()] {
			continue // handed over twice: the first one counts
		}
		dir, err := vfs.OpenHost(m.Dir, vfs.HostOptions{ReadOnly: m.ReadOnly, Quota: tree.Quota()})
		if err != nil {
			return nil, err
		}
		if err := mount(m.guest(), dir); err != nil {
			return nil, err
		}
	}
	if !mounted["/tmp"] {
		if err := mount("/tmp", h.scratch.of(c.Session)); err != nil {
			return nil, err
		}
	}
	if err := mount("/dev", vfs.Devices(rand.Reader)); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(h.config.Commands))
	if err := mount("/bin", vfs.Bin(names, nil)); err != nil {
		return nil, err
	}
	return tree, nil
}

// mounts returns what is handed over to c: the host's mounts, then the
// session's directories, at their own paths.
func (h *Host) mounts(c core.Command) []Mount {
	mounts := slices.Clone(h.config.Mounts)
	for _, dir := range c.Roots {
		mounts = append(mounts, Mount{Dir: dir})
	}
	return mounts
}

// dir returns c's current directory, which must be one in its tree.
func (h *Host) dir(tree *vfs.Tree, c core.Command) (string, error) {
	dir := c.Cwd
	if dir == "" {
		dir = h.config.Dir
	}
	if mounts := h.mounts(c); dir == "" && len(mounts) > 0 {
		dir = mounts[0].guest()
	}
	if dir == "" {
		return "/", nil
	}
	stat, err := tree.Stat(vfs.Path{Dir: "/", Name: dir, Follow: true})
	if err == nil && stat.Type != vfs.Directory {
		err = errno.NOTDIR
	}
	if err != nil {
		return "", refuse(opCwd, dir, err)
	}
	return path.Clean(dir), nil
}
