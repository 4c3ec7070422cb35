//go:build linux || darwin

package worker

import (
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// modes are the directories in which a worker may have modes set, and times by
// name, which it can't do itself: those that its command may write to, by the
// names that the worker has for them.
//
// They are opened by us, before the guest runs, and names are looked up by us
// below them, without a link anywhere. So nothing is believed of what a worker
// says, and one that was taken over reaches nothing but what it may write to. A
// descriptor from it would prove less: Landlock lets it open any file with
// O_PATH, and what is read-only to read.
type modes map[string]vfs.FS

// writable opens what a command may write to. What can't be opened here the
// worker can't open either, and says so.
func (h *Host) writable(roots []string, tmp string) modes {
	m := make(modes)
	add := func(dir string, hidden *vfs.Hidden) {
		if m[dir] != nil {
			return
		}
		if fs, err := vfs.OpenHost(dir, vfs.HostOptions{Hidden: hidden}); err == nil {
			m[dir] = fs
		}
	}
	for _, mount := range h.config.Mounts {
		if !mount.ReadOnly {
			add(mount.Dir, h.hidden)
		}
	}
	for _, dir := range roots {
		add(dir, h.hidden)
	}
	add(tmp, nil) // which is in what is hidden
	return m
}

func (m modes) close() {
	for _, fs := range m {
		fs.Close()
	}
}

// set answers askMode and askTimes. A file system that does not answer keeps us
// from other questions of this worker, and of no other.
func (c *child) set(q *ask) errno.Errno {
	c.mu.Lock()
	fs := c.modes[q.Dir]
	c.mu.Unlock()
	if fs == nil {
		return errno.ROFS
	}
	var err error
	if q.What == askTimes {
		err = fs.SetTimes(q.Name, vfs.Times(q.Times))
	} else {
		err = fs.SetMode(q.Name, vfs.ModeKnown|vfs.Mode(q.Number)&vfs.ModePerm)
	}
	switch err := err.(type) {
	case nil:
		return errno.SUCCESS
	case errno.Errno:
		return err
	}
	return errno.IO
}
