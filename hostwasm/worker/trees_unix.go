//go:build linux || darwin

package worker

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// trees are the directories in which we do for a worker what it can't do
// itself, by the names that the worker has for them:
//
//   - in those that its command may write to, set modes, and times by name;
//   - in distant ones, all that takes a name.
//
// They are opened by us, before the guest runs, and names are looked up by us
// below them, without a link anywhere, and nothing of what is hidden. So nothing
// is believed of what a worker says, and one that was taken over reaches nothing
// but what was handed over. A descriptor from it would prove less: Landlock lets
// it open any file with O_PATH, and what is read-only to read.
type trees map[string]vfs.FS

// handed is what is handed over to a command.
type handed struct {
	trees  trees
	nearby []near // what the worker may use by itself
	what   string // tells it from what is handed over to others, or was before
}

// handOver opens what is handed over to a command, each directory once: what is
// judged is what stays open. What can't be opened here the worker can't open either,
// and says so.
func (h *Host) handOver(roots []string, tmp string) handed {
	t := make(trees)
	var nearby, opened []near
	add := func(dir string, readOnly bool, hidden *vfs.Hidden) {
		if t[dir] != nil {
			return
		}
		fs, err := vfs.OpenHost(dir, vfs.HostOptions{Hidden: hidden, ReadOnly: readOnly})
		if err != nil {
			return
		}
		t[dir] = fs
		n, err := h.near(dir, fs)
		opened = append(opened, n)
		if err == nil {
			nearby = append(nearby, n)
		}
	}
	for _, mount := range h.config.Mounts {
		if !mount.ReadOnly {
			add(mount.Dir, false, h.hidden)
		}
	}
	for _, dir := range roots {
		add(dir, false, h.hidden)
	}
	for _, mount := range h.config.Mounts { // the others of them are to be read
		hidden := h.hidden
		if mount.Own {
			hidden = nil
		}
		add(mount.Dir, true, hidden)
	}
	if fs, err := vfs.OpenHost(tmp, vfs.HostOptions{}); err == nil { // which is in what is hidden
		t[tmp] = fs
	}
	for _, c := range h.caches {
		n, _ := nearAt(c.Entries()) // an error means that it is not there
		opened = append(opened, n)
	}
	return handed{t, nearby, tell(roots, nearby, opened)}
}

// tell returns what tells these from others: names are quoted, for they may have anything
// in them.
func tell(roots []string, lists ...[]near) string {
	var p []byte
	for _, dir := range roots {
		p = strconv.AppendQuote(p, dir)
	}
	for _, list := range lists {
		p = append(p, '|')
		for _, n := range list {
			p = strconv.AppendQuote(p, n.Dir)
			p = append(strconv.AppendUint(p, n.Dev, 10), ' ')
			p = append(strconv.AppendUint(p, n.Ino, 10), ' ')
		}
	}
	return string(p)
}

var errDistant = errors.New("what is hidden may be below")

// near returns what a worker is told of a directory, so that it uses this one and
// no other that comes in its place. The error is errDistant if what is hidden may be
// below.
// Landlock lets a worker use a directory with all that is below it, so there it
// has no right at all, and has us open, make, move and remove what its command
// names. Where there is no Landlock, that would be of no use.
func (h *Host) near(dir string, fs vfs.FS) (n near, err error) {
	f, err := fs.Open(".", vfs.How{Read: true, Directory: true})
	if err != nil {
		return n, err
	}
	defer f.Close()
	d, err := vfs.Descriptor(f)
	if err != nil {
		return n, err
	}
	defer d.Close()
	fd, err := descriptor(d)
	if err != nil {
		return n, err
	}
	n, err = nearOf(dir, fd)
	if err == nil && h.landlock && h.hidden.MayBeBelow(d) {
		err = errDistant
	}
	return n, err
}

// nearOf returns what a directory is that is open as fd.
func nearOf(dir string, fd int) (near, error) {
	var s unix.Stat_t
	err := unix.Fstat(fd, &s)
	return near{dir, uint64(s.Dev), s.Ino}, os.NewSyscallError("fstat", err)
}

// nearAt is nearOf for what has a name now.
func nearAt(dir string) (near, error) {
	var s unix.Stat_t
	err := unix.Stat(dir, &s)
	return near{dir, uint64(s.Dev), s.Ino}, os.NewSyscallError("stat", err)
}

func (t trees) close() {
	for _, fs := range t {
		fs.Close()
	}
}

func (c *child) tree(dir string) vfs.FS {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trees[dir]
}

// do answers questions of trees, but askOpen.
func (c *child) do(q *ask) error {
	fs := c.tree(q.Dir)
	if fs == nil {
		return errno.ROFS
	}
	switch q.What {
	case askMode:
		return fs.SetMode(q.Name, q.mode()|vfs.ModeKnown)
	case askTimes:
		return fs.SetTimes(q.Name, vfs.Times(q.Times))
	case askMkdir:
		return fs.Mkdir(q.Name, q.mode())
	case askUnlink:
		return fs.Unlink(q.Name)
	case askRmdir:
		return fs.Rmdir(q.Name)
	case askRename:
		return fs.Rename(q.Name, q.To)
	case askLink:
		return fs.Link(q.Name, q.To)
	case askSymlink:
		return fs.Symlink(q.To, q.Name)
	}
	return errno.INVAL
}

// open answers askOpen.
func (c *child) open(q *ask) (*os.File, error) {
	fs := c.tree(q.Dir)
	if fs == nil {
		return nil, errno.ACCES
	}
	h := q.How
	f, err := fs.Open(q.Name, vfs.How{
		Read: h.Read, Write: h.Write, Append: h.Append, Directory: h.Directory,
		Create: h.Create, Exclusive: h.Exclusive, Mode: q.mode(),
	})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return vfs.Descriptor(f)
}

// mode is what a worker asks for, which may be none.
func (q *ask) mode() vfs.Mode { return vfs.Mode(q.Number) & (vfs.ModeKnown | vfs.ModePerm) }

// status is an error of a tree for a worker.
func status(err error) int64 {
	if err == nil {
		return int64(errno.SUCCESS)
	}
	if e, ok := errors.AsType[errno.Errno](err); ok {
		return int64(e)
	}
	return int64(errno.IO)
}
