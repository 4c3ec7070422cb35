//go:build linux || darwin

package vfs

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Open opens without waiting and then looks at what it got, since a name can
// stand for something else at any time: only files and directories are kept.
func (h *hostDir) Open(name string, how How) (f File, err error) {
	switch {
	case len(name) > maxPath:
		return nil, errno.NAMETOOLONG
	case name != "." && !plain(name):
		return nil, errno.INVAL
	}
	if !h.quota.takeOpen() {
		return nil, errno.NFILE
	}
	made := false
	err = h.root.use(func(root int) error {
		if h.quota != nil {
			h.removing.RLock()
			defer h.removing.RUnlock()
		}
		fd, err := h.openIn(root, name, how, &made)
		if err != nil {
			return err
		}
		f, err = h.newFile(fd, how)
		if err != nil {
			unix.Close(fd)
		}
		return err
	})
	if err != nil {
		h.quota.giveOpen()
		return nil, err
	}
	if made {
		h.unmask(name, how.Mode)
	}
	if how.Truncate {
		if err := f.(*hostFile).truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// openIn opens the directory of a name first where that may have to pay for what it
// grows by: it is needed for that.
func (h *hostDir) openIn(root int, name string, how How, made *bool) (fd int, err error) {
	if !how.Create || h.names != nil || !h.paysGrowth() {
		return h.openOrCreate(root, name, name, how, made)
	}
	err = h.parent(root, name, func(dir int, base string) error {
		fd, err = h.openOrCreate(dir, base, name, how, made)
		return err
	})
	return fd, err
}

// openOrCreate creates only what is not there, so as to know what to charge. name is
// below root, full below the directory that was handed over.
func (h *hostDir) openOrCreate(root int, name, full string, how How, made *bool) (fd int, err error) {
	flags := openFlags(how)
	for range 8 { // somebody else may create and remove it all the time
		if !how.Create || !how.Exclusive {
			fd, err = h.openPlain(root, name, flags, how)
			if err != unix.ENOENT || !how.Create {
				break
			}
		}
		if !h.quota.takeFile() {
			err = errno.DQUOT
			if how.Exclusive {
				if _, known := h.lstatIn(root, name); known == nil {
					err = unix.EEXIST
				}
			}
			break
		}
		if h.names != nil {
			how := how
			how.Exclusive = true
			fd, err = h.openElsewhere(full, how)
		} else {
			fd, err = h.create(root, name, full, flags|unix.O_CREAT|unix.O_EXCL, uint32(how.Mode.or(0o666)))
		}
		if err == nil {
			*made = true
			return fd, nil
		}
		h.quota.giveFile()
		if err != unix.EEXIST || how.Exclusive {
			break
		}
	}
	switch {
	case err == unix.ENXIO || err == unix.ENODEV:
		// What openPlain looks for has come meanwhile: a FIFO that nobody reads, a
		// socket, a device without a driver.
		err = unix.EPERM
	case err == unix.ENOTDIR && how.Directory:
		if s, known := h.lstatIn(root, name); known == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = unix.ELOOP
		}
	}
	return fd, err
}

// openPlain opens what is there, but no FIFO, socket or device. It looks before
// it opens. To look only at what it has opened would be too late: a program of
// the host that waits to open the other end of a FIFO goes on as soon as we open
// ours, and is then told that nobody is there; a tape rewinds, a watchdog begins
// to count. Between our look and the opening, only programs of the host can put
// such a thing there, since guests cannot make one.
//
// The way to the directory is walked once for both. newFile looks at the border.
func (h *hostDir) openPlain(root int, name string, flags int, how How) (fd int, err error) {
	if h.names != nil { // which look as well
		how.Create, how.Exclusive = false, false
		return h.openElsewhere(name, how)
	}
	if flags&unix.O_DIRECTORY != 0 {
		return h.beneath(root, &h.border, name, flags, 0) // which opens nothing else
	}
	err = h.parent(root, name, func(dir int, base string) error {
		s, err := statAt(dir, base)
		if err == nil && special(s.Mode) {
			err = unix.EPERM
		}
		if err == nil {
			fd, err = h.border.step(dir, base, flags, 0)
		}
		return err
	})
	return fd, err
}

// openElsewhere has names open a file. The error is the host's.
func (h *hostDir) openElsewhere(name string, how How) (fd int, err error) {
	how.Write, how.Truncate = how.Write || how.Truncate, false // we truncate what we have
	f, err := h.names.Open(name, how)
	if err != nil {
		return -1, forHost(err)
	}
	defer f.Close()
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// Descriptor returns another descriptor of a file or directory that an FS of
// OpenHost has opened. It is the caller's.
func Descriptor(f File) (*os.File, error) {
	if r, ok := f.(readOnlyFile); ok {
		f = r.File
	}
	var d *descriptor
	switch f := f.(type) {
	case *hostFile:
		d = &f.fd
	case *hostOpenDir:
		d = &f.fd
	default:
		return nil, errno.NOTSUP
	}
	var file *os.File
	err := d.use(func(fd int) error {
		fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			file = os.NewFile(uintptr(fd), "")
		}
		return err
	})
	return file, err
}

func special[M uint16 | uint32](mode M) bool {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFLNK:
		return false
	}
	return true
}

func (h *hostDir) lstatIn(root int, name string) (s unix.Stat_t, err error) {
	err = h.parent(root, name, func(dir int, base string) error {
		s, err = statAt(dir, base)
		return err
	})
	return s, err
}

func openFlags(how How) int {
	flags := unix.O_NONBLOCK | unix.O_NOCTTY
	changes := how.Write || how.Truncate
	switch {
	case changes && how.Read:
		flags |= unix.O_RDWR
	case changes:
		flags |= unix.O_WRONLY
	}
	if how.Append {
		flags |= unix.O_APPEND
	}
	if how.Directory {
		flags |= unix.O_DIRECTORY
	}
	return flags
}

// newFile makes a File of a descriptor, which it does not close if it cannot.
func (h *hostDir) newFile(fd int, how How) (File, error) {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return nil, err
	}
	if h.border.excludes(fd, &s) {
		return nil, errno.PERM
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if how.Create || how.Truncate {
			return nil, errno.ISDIR
		}
		d := &hostOpenDir{fs: h, ino: opaque(uint64(s.Dev), s.Ino), dev: uint64(s.Dev), next: 2}
		d.hides = h.border.hidden.leads(fd, "", &s)
		d.fd.fd = fd
		if h.paysGrowth() {
			d.inode = h.openedDir(d.ino)
		}
		return d, nil
	case unix.S_IFREG:
		f := &hostFile{fs: h, read: how.Read, write: how.Write, append: how.Append}
		f.fd.fd = fd
		if h.quota == nil {
			return f, nil
		}
		var err error
		if f.inode, err = h.opened(fd, &s); err != nil {
			return nil, err
		}
		return f, nil
	}
	return nil, errno.PERM
}
