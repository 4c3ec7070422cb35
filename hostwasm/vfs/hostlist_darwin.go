package vfs

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// listNames is how much of a directory is read at once.
const listNames = 256

// A hostOpenDir is an open directory of the host. A cookie from 2 on counts
// entries. Going back further than what was read last begins anew.
type hostOpenDir struct {
	directory
	fs  *hostDir
	fd  descriptor
	ino uint64
	dev uint64 // the host's
	// hides says that a hidden directory may be in it.
	hides bool
	inode *hostInode // nil where nobody pays for what directories grow by

	mu    sync.Mutex // guards what follows, and the descriptor's position
	file  *os.File   // a duplicate of fd, once it is read
	batch []fs.DirEntry
	next  uint64 // the cookie of batch
}

func (d *hostOpenDir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file != nil {
		d.file.Close()
		d.file = nil
	}
	return d.fs.close(&d.fd, d.inode)
}

func (d *hostOpenDir) ReadDir(cookie uint64, max int) (entries []Entry, err error) {
	entries = dots(nil, d.ino, cookie, max)
	cookie += uint64(len(entries))
	d.mu.Lock()
	defer d.mu.Unlock()
	err = d.fd.use(func(fd int) error {
		for len(entries) < max {
			if err := d.seek(fd, cookie); err != nil {
				return err
			}
			e := d.batch[cookie-d.next]
			cookie++
			if utf8.ValidString(e.Name()) && !(d.hides && d.fs.isHidden(fd, e.Name())) {
				entries = append(entries, Entry{Name: e.Name(), Type: typeOf(e.Type()), Next: cookie})
			}
		}
		return nil
	})
	if err == io.EOF || len(entries) > 0 {
		err = nil // an error will come again
	}
	return entries, err
}

// seek has the entry of cookie in batch. It returns io.EOF if there is none.
func (d *hostOpenDir) seek(fd int, cookie uint64) error {
	if d.file == nil {
		dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return err
		}
		d.file = os.NewFile(uintptr(dup), "")
	}
	if cookie < d.next {
		if _, err := d.file.Seek(0, io.SeekStart); err != nil {
			return errno.IO
		}
		d.batch, d.next = nil, 2
	}
	for cookie >= d.next+uint64(len(d.batch)) {
		d.next += uint64(len(d.batch))
		var err error
		d.batch, err = d.file.ReadDir(listNames)
		if len(d.batch) == 0 {
			if err == nil || err == io.EOF {
				return io.EOF
			}
			return errno.IO
		}
	}
	return nil
}

func typeOf(mode fs.FileMode) Type {
	switch mode.Type() {
	case 0:
		return RegularFile
	case fs.ModeDir:
		return Directory
	case fs.ModeSymlink:
		return SymbolicLink
	case fs.ModeSocket:
		return SocketStream
	case fs.ModeDevice:
		return BlockDevice
	case fs.ModeDevice | fs.ModeCharDevice:
		return CharacterDevice
	}
	return Unknown
}
