package wasi

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

// fdflags are a descriptor's flags, in WASI's bits.
type fdflags uint16

const (
	flagAppend fdflags = 1 << iota
	flagDsync
	flagNonblock
	flagRsync
	flagSync

	// fileFlags are shared by all descriptors of a file. flagNonblock is not:
	// a Go program sets it on its standard descriptors, and a C program that
	// has the same ones would not expect EAGAIN.
	fileFlags = flagAppend | flagDsync | flagRsync | flagSync
	allFlags  = fileFlags | flagNonblock
)

// A descriptor is an entry of a process's table. The zero value is free.
type descriptor struct {
	file       *OpenFile
	base       rights // what may be done with it
	inheriting rights // what may be done with what is opened from it
	nonblock   bool
	preopened  bool
	name       string // of a preopened directory
	beneath    bool   // names can't leave this directory
}

// A table has a process's descriptors, by number.
type table struct {
	entries []descriptor
	max     int
}

// get returns a descriptor, until the table changes.
func (t *table) get(fd uint32) (*descriptor, error) {
	if uint64(fd) >= uint64(len(t.entries)) || t.entries[fd].file == nil {
		return nil, errno.BADF
	}
	return &t.entries[fd], nil
}

// add gives d the lowest free number that is at least low, and a share in its
// file.
func (t *table) add(d descriptor, low uint32) (fd uint32, err error) {
	for fd := uint64(low); fd < uint64(t.max); fd++ {
		if fd >= uint64(len(t.entries)) || t.entries[fd].file == nil {
			t.set(uint32(fd), d)
			return uint32(fd), nil
		}
	}
	return 0, errno.MFILE
}

// set makes d descriptor fd, which is free and less than t.max.
func (t *table) set(fd uint32, d descriptor) {
	for uint64(len(t.entries)) <= uint64(fd) {
		t.entries = append(t.entries, descriptor{})
	}
	d.file.retain()
	t.entries[fd] = d
}

// free returns how many more descriptors there may be.
func (t *table) free() int {
	n := t.max
	for i := range t.entries {
		if t.entries[i].file != nil {
			n--
		}
	}
	return n
}

func (t *table) close(fd uint32) error {
	d, err := t.get(fd)
	if err != nil {
		return err
	}
	f := d.file
	*d = descriptor{}
	f.release()
	return nil
}

func (t *table) closeAll() {
	for fd := range t.entries {
		t.close(uint32(fd)) // EBADF if it is free
	}
}

// renumber moves a descriptor to the place of another, which is closed.
func (t *table) renumber(from, to uint32) error {
	f, err := t.get(from)
	if err != nil {
		return err
	}
	d, err := t.get(to)
	if err != nil {
		return err
	}
	if from == to {
		return nil
	}
	old := d.file
	*d, *f = *f, descriptor{}
	old.release()
	return nil
}

// use returns a descriptor that may be used for all of r.
func (t *table) use(fd uint32, r rights) (*descriptor, error) {
	d, err := t.get(fd)
	if err != nil {
		return nil, err
	}
	return d, d.may(r)
}

// may returns nil if d may be used for all of r. Reading and writing what was
// not opened for it is EBADF, as in POSIX.
func (d *descriptor) may(r rights) error {
	switch missing := r &^ d.base; {
	case missing == 0:
		return nil
	case missing&(rightFDRead|rightFDWrite) != 0:
		return errno.BADF
	}
	return errno.NOTCAPABLE
}
