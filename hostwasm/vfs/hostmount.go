//go:build linux || darwin

package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/sys/unix"
)

// OpenHost opens a directory of the host to be mounted in a Tree. A guest
// reaches what is in it and nothing else: links lead nowhere but into the Tree,
// and devices, FIFOs and sockets can be seen but not opened.
//
// It refuses what is no directory, and what is not for guests: /proc, /sys,
// /dev, what is hidden, and what is below them, by whatever name. If there is
// such a thing below dir, a guest finds it closed.
func OpenHost(dir string, o HostOptions) (FS, error) {
	h, err := openHost(dir, o)
	if err != nil {
		return nil, fmt.Errorf("mount %s: %w", shown(dir), err)
	}
	h.quota, h.blocks, h.setter, h.names = o.Quota, o.Blocks, o.Setter, o.Names
	if o.ReadOnly {
		return ReadOnly(h), nil
	}
	return h, nil
}

func openHost(dir string, o HostOptions) (*hostDir, error) {
	if dir == "" {
		return nil, errMissing // not the current one
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err == nil {
		resolved, err = filepath.Abs(resolved)
	}
	if err != nil {
		return nil, reason(err)
	}
	for _, system := range []string{"/proc", "/sys", "/dev"} {
		if resolved == system || strings.HasPrefix(resolved, system+"/") {
			return nil, fmt.Errorf("%s is not for guests", system)
		}
	}
	flags := unix.O_RDONLY
	if o.Names != nil {
		flags = searchOnly // we may not read it
	}
	fd, err := o.Hidden.openPath(resolved, flags)
	if err != nil {
		return nil, reason(err)
	}
	h := &hostDir{open: make(map[uint64]*hostInode)}
	h.root.fd = fd
	if h.border, err = o.Hidden.borderOf(fd); err != nil {
		h.Close()
		return nil, err
	}
	h.beneath = bestBeneath(fd)
	return h, nil
}

// borderOf returns that of a directory that is open as fd, or says why it is not
// for guests.
func (h *Hidden) borderOf(fd int) (border, error) {
	var s unix.Stat_t
	if err := ignoringEINTR(func() error { return unix.Fstat(fd, &s) }); err != nil {
		return border{}, err
	}
	if isSystem(fd, uint64(s.Dev)) {
		return border{}, errors.New("this file system is not for guests")
	}
	if err := h.checkMount(fd); err != nil {
		return border{}, err
	}
	return border{dev: uint64(s.Dev), hidden: h, near: h.near(fd, inodeOf(&s))}, nil
}

// shown returns a name for a message, quoted where it would do something to the
// terminal that shows it.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

var errMissing = errors.New("no such directory")

// reason is what err says apart from the name, which the caller has.
func reason(err error) error {
	var pathError *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errMissing
	case errors.Is(err, syscall.ENOTDIR):
		return errors.New("not a directory")
	case errors.As(err, &pathError):
		return pathError.Err
	}
	return err
}
