package vfs

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// listBytes is how much of a directory is read at once.
const listBytes = 8 << 10

// A hostOpenDir is an open directory of the host. A cookie from 2 on is the
// kernel's offset and 2, so that going back costs no more than going on.
type hostOpenDir struct {
	directory
	fs  *hostDir
	fd  descriptor
	ino uint64
	dev uint64 // the host's
	// hides says that a hidden directory may be in it.
	hides bool
	inode *hostInode // nil where nobody pays for what directories grow by

	mu   sync.Mutex // guards what follows, and the descriptor's position
	buf  []byte     // listBytes, once it is read
	rest []byte     // what of buf is not yet returned
	next uint64     // the cookie of rest
}

func (d *hostOpenDir) ReadDir(cookie uint64, max int) (entries []Entry, err error) {
	entries = dots(nil, d.ino, cookie, max)
	cookie += uint64(len(entries))
	if len(entries) >= max {
		return entries, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	err = d.fd.use(func(fd int) error {
		if err := d.seek(fd, cookie); err != nil {
			return err
		}
		for len(entries) < max {
			if len(d.rest) == 0 {
				if err := d.fill(fd); err != nil || len(d.rest) == 0 {
					return err
				}
			}
			if e, ok := d.entry(fd); ok {
				entries = append(entries, e)
			}
		}
		return nil
	})
	if len(entries) > 0 {
		return entries, nil // an error will come again
	}
	return nil, err
}

func (d *hostOpenDir) seek(fd int, cookie uint64) error {
	if cookie == d.next {
		return nil
	}
	offset := int64(cookie - 2)
	if offset < 0 {
		return errno.INVAL
	}
	if _, err := unix.Seek(fd, offset, unix.SEEK_SET); err != nil {
		return err
	}
	d.rest, d.next = nil, cookie
	return nil
}

func (d *hostOpenDir) fill(fd int) error {
	if d.buf == nil {
		d.buf = make([]byte, listBytes)
	}
	n, err := unix.Getdents(fd, d.buf)
	d.rest = d.buf[:max(n, 0)]
	return err
}

// entry takes a linux_dirent64 off rest. Some have nothing for a guest.
//
// https://man7.org/linux/man-pages/man2/getdents.2.html
func (d *hostOpenDir) entry(fd int) (e Entry, ok bool) {
	const header = 19
	ino := binary.NativeEndian.Uint64(d.rest)
	d.next = binary.NativeEndian.Uint64(d.rest[8:]) + 2
	size := binary.NativeEndian.Uint16(d.rest[16:])
	typ := d.rest[18]
	name := d.rest[header:size]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	d.rest = d.rest[size:]
	e = Entry{Name: string(name), Ino: opaque(d.dev, ino), Next: d.next}
	if e.Name == "." || e.Name == ".." || !utf8.Valid(name) || d.hides && d.fs.isHidden(fd, e.Name) {
		return Entry{}, false
	}
	switch typ {
	case unix.DT_REG:
		e.Type = RegularFile
	case unix.DT_DIR:
		e.Type = Directory
	case unix.DT_LNK:
		e.Type = SymbolicLink
	case unix.DT_CHR:
		e.Type = CharacterDevice
	case unix.DT_BLK:
		e.Type = BlockDevice
	case unix.DT_SOCK:
		e.Type = SocketStream
	case unix.DT_UNKNOWN:
		if s, err := statAt(fd, e.Name); err == nil {
			e.Type = stat(&s).Type
		}
	}
	return e, true
}

func (d *hostOpenDir) Close() error { return d.fs.close(&d.fd, d.inode) }
