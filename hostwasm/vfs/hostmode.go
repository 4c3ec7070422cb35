//go:build linux || darwin

package vfs

import (
	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

func (h *hostDir) SetMode(name string, mode Mode) error {
	switch {
	case len(name) > maxPath:
		return errno.NAMETOOLONG
	case name != "." && !plain(name):
		return errno.INVAL
	}
	if h.setter != nil {
		return h.setter.SetMode(name, mode)
	}
	return h.root.use(func(root int) error {
		fd, err := h.beneath(root, &h.border, name, lookOnly|unix.O_NOFOLLOW, 0)
		if err == unix.ELOOP {
			if s, known := h.lstatIn(root, name); known == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK {
				err = errno.NOTSUP // the way there was none
			}
		}
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var s unix.Stat_t
		if err := unix.Fstat(fd, &s); err != nil {
			return err
		}
		if h.border.hidden.leads(fd, "", &s) {
			return errno.PERM // or nobody could get to what is hidden, or everybody
		}
		switch s.Mode & unix.S_IFMT {
		case unix.S_IFREG, unix.S_IFDIR:
			was := stat(&s)
			return changeMode(fd, uint32(mode.over(was.Mode, was.Type)&allBits))
		}
		return errno.NOTSUP
	})
}

// unmask gives what was just made the permissions that it was asked to have and
// that this program's umask has taken: a guest has an umask of its own, which
// can be less. Where that fails it has fewer.
func (h *hostDir) unmask(name string, mode Mode) {
	if mode&ModeKnown != 0 && mode&Umask() != 0 {
		h.SetMode(name, mode)
	}
}
