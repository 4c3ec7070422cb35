package hostwasm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A Mount hands a directory of the host over to commands, or a file system.
type Mount struct {
	// Dir is the directory, absolute.
	Dir string
	// FS is a file system of yours in place of Dir, such as vfs.Memory. All
	// commands see the same one, and it is yours to close after the Host.
	// Limits.Disk and Limits.Files do not count what is written to it: it
	// keeps a quota of its own, or is ReadOnly.
	FS vfs.FS
	// Guest is where commands see it, absolute. If empty, at Dir.
	Guest string
	// ReadOnly refuses whatever would change it.
	ReadOnly bool
	// Own says that Dir may be hidden, by Config.Hidden, or lie in what is: files
	// of yours that commands may read at Guest, and reach nowhere else, such as the
	// library of a language. It must be ReadOnly, and no command starts in it
	// because nothing else is handed over.
	Own bool

	from func(dir string) (vfs.FS, error) // if not nil, what opens Dir
}

// guest returns where commands see it.
func (m Mount) guest() string {
	if m.Guest == "" {
		return path.Clean(m.Dir)
	}
	return path.Clean(m.Guest)
}

// places names it in messages.
func (m Mount) places() string {
	return strings.TrimSpace(printable(m.Dir) + " at " + printable(m.guest()))
}

// ours are the places in every tree that mounts must leave alone.
var ours = []string{"/bin", "/dev"}

// checkPlace says why nothing can be mounted at m.guest().
func (m Mount) checkPlace() error {
	guest := m.guest()
	for _, dir := range ours {
		if guest == dir || strings.HasPrefix(guest, dir+"/") {
			return fmt.Errorf("mount %s: %s is the sandbox's own", m.places(), dir)
		}
	}
	if !path.IsAbs(guest) {
		return fmt.Errorf("mount %s: not an absolute path", m.places())
	}
	return nil
}

// check says what is wrong with the mount, as early as it can be told.
func (m Mount) check(hidden *vfs.Hidden) error {
	switch {
	case m.FS != nil && m.Dir != "":
		return fmt.Errorf("mount %s: it has a file system too: want one of them", m.Dir)
	case m.FS != nil && m.Guest == "":
		return errors.New("mount a file system: Guest says where, and is empty")
	case m.Own && (m.FS != nil || !m.ReadOnly):
		return fmt.Errorf("mount %s: what is your own can be handed over as a ReadOnly directory only", m.places())
	case m.Own:
		hidden = nil
	}
	dir, err := m.open(vfs.HostOptions{Hidden: hidden})
	if err != nil {
		return err
	}
	dir.Close()
	return m.checkPlace()
}

// open opens what is mounted. o is for Dir.
func (m Mount) open(o vfs.HostOptions) (vfs.FS, error) {
	switch {
	case m.from != nil:
		return m.from(m.Dir)
	case m.FS == nil:
		o.ReadOnly = m.ReadOnly
		return vfs.OpenHost(m.Dir, o)
	case m.ReadOnly:
		return lend(vfs.ReadOnly(m.FS)), nil
	}
	return lend(m.FS), nil
}

// lent is a file system that outlives the trees it is mounted in.
type lent struct{ vfs.FS }

// Close leaves it to its owner.
func (lent) Close() error { return nil }

// A waitingLent is one that may have to wait.
type waitingLent struct {
	lent
	waits vfs.Waiting
}

// Waiting implements vfs.Waiting.
func (l waitingLent) Waiting(wait vfs.Wait) vfs.FS { return l.waits.Waiting(wait) }

// lend lends a file system.
func lend(fs vfs.FS) vfs.FS {
	if w, ok := fs.(vfs.Waiting); ok {
		return waitingLent{lent{fs}, w}
	}
	return lent{fs}
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
	mounts := h.mounts(c)
	for _, dir := range c.Roots {
		if h.config.Root == nil && isRoot(dir) { // else it is whatever Root makes of it
			return nil, &core.InvalidError{Param: "cwd", Reason: "root_directory"}
		}
	}
	for _, m := range mounts {
		if mounted[m.guest()] {
			continue // handed over twice: the first one counts
		}
		if err := m.checkPlace(); err != nil { // a session's; the host's were checked
			return nil, err
		}
		o := h.options(m, tree.Quota())
		if o.Hidden, err = o.Hidden.And(m.protected(mounts)...); err != nil {
			return nil, err
		}
		dir, err := m.open(o)
		if err != nil {
			return nil, err
		}
		if err := mount(m.guest(), dir); err != nil {
			return nil, err
		}
	}
	if !mounted["/tmp"] {
		tmp, err := h.config.Tmp(c.Session)
		if err != nil {
			return nil, err
		}
		if err := mount("/tmp", tmp); err != nil {
			return nil, err
		}
	}
	fetches, err := h.fetches(c)
	if err != nil {
		return nil, err
	}
	if err := mount("/dev", vfs.Devices(rand.Reader, fetches)); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(h.config.Commands))
	if err := mount("/bin", vfs.Bin(names, h.commandFile)); err != nil {
		return nil, err
	}
	return tree, nil
}

// protected returns directories in m's that are handed over read-only at a place
// inside m's. The Tree knows them by that place alone. The host may have other
// names for them: "SECRET" for "secret" where it does not tell capital letters
// apart, or a bind mount. By such a name a guest would get to the same files
// through m, and could write them.
func (m Mount) protected(mounts []Mount) (dirs []string) {
	if m.FS != nil || m.from != nil || m.ReadOnly {
		return nil
	}
	for _, inner := range mounts {
		if inner.FS == nil && inner.ReadOnly && inside(inner.guest(), m.guest()) && insideHost(inner.Dir, m.Dir) {
			dirs = append(dirs, inner.Dir)
		}
	}
	return dirs
}

// inside reports whether a clean path is below a directory, and not the same.
func inside(name, dir string) bool {
	return name != dir && strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// insideHost is inside for two directories of the host, by whatever name.
func insideHost(name, dir string) bool {
	name, nameErr := filepath.EvalSymlinks(name)
	dir, dirErr := filepath.EvalSymlinks(dir)
	return nameErr == nil && dirErr == nil && inside(name, dir)
}

// isRoot reports whether a directory is the host's root, by whatever name.
func isRoot(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && real == "/"
}

// options are how m's directory is opened for a command with that quota.
func (h *Host) options(m Mount, quota *vfs.Quota) vfs.HostOptions {
	o := vfs.HostOptions{Quota: quota, Hidden: h.hidden}
	if m.Own {
		o.Hidden = nil
	}
	if h.config.Setter != nil {
		o.Setter = h.config.Setter(m.Dir)
	}
	if h.config.Names != nil {
		o.Names = h.config.Names(m.Dir)
	}
	return o
}

// mounts returns what is handed over to c: the host's mounts, then the
// session's directories, at their own paths.
func (h *Host) mounts(c core.Command) []Mount {
	mounts := slices.Clone(h.config.Mounts)
	for _, dir := range c.Roots {
		mounts = append(mounts, Mount{Dir: dir, from: h.config.Root})
	}
	return mounts
}

// dir returns c's current directory, which must be one in its tree.
func (h *Host) dir(ctx context.Context, tree *vfs.Tree, c core.Command) (string, error) {
	dir := c.Cwd
	if dir == "" {
		dir = h.config.Dir
	}
	mounts := slices.DeleteFunc(h.mounts(c), func(m Mount) bool { return m.Own })
	if dir == "" && len(mounts) > 0 {
		dir = mounts[0].guest()
	}
	if dir == "" {
		return "/", nil
	}
	stat, err := tree.Stat(vfs.Path{Dir: "/", Name: dir, Follow: true, Wait: until(ctx)})
	if err == nil && stat.Type != vfs.Directory {
		err = errno.NOTDIR
	}
	if err != nil {
		return "", refuse(opCwd, dir, err)
	}
	return path.Clean(dir), nil
}
