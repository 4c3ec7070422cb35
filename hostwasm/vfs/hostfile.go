//go:build linux || darwin

package vfs

import (
	"math"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A hostFile is an open file of the host.
type hostFile struct {
	fd     descriptor
	fs     *hostDir
	inode  *hostInode // nil without a quota
	read   bool
	write  bool
	append bool
}

func (f *hostFile) Close() error {
	if f.inode != nil {
		f.inode.mu.Lock() // until what is under way has paid
		defer f.inode.mu.Unlock()
	}
	return f.fs.close(&f.fd, f.inode)
}

func (f *hostFile) Stat() (s Stat, err error) {
	err = f.fd.use(func(fd int) error {
		var host unix.Stat_t
		err := unix.Fstat(fd, &host)
		s = stat(&host)
		return err
	})
	return s, err
}

func (f *hostFile) ReadAt(p []byte, offset int64) (n int, err error) {
	switch {
	case !f.read:
		return 0, errno.BADF
	case offset < 0:
		return 0, errno.INVAL
	}
	p = p[:min(int64(len(p)), math.MaxInt64-offset)] // or it were EINVAL
	err = f.fd.use(func(fd int) error {
		for n < len(p) {
			m, err := unix.Pread(fd, p[n:], offset+int64(n))
			if err != nil || m == 0 {
				return err
			}
			n += m
		}
		return nil
	})
	if n > 0 {
		return n, nil // an error will come again
	}
	return 0, err
}

func (f *hostFile) WriteAt(p []byte, offset int64) (n int, err error) {
	switch {
	case !f.write:
		return 0, errno.BADF
	case offset < 0 && !f.append:
		return 0, errno.INVAL
	case offset > math.MaxInt64-int64(len(p)) && !f.append:
		return 0, errno.FBIG
	}
	if f.inode == nil {
		return f.pwrite(p, offset)
	}
	f.inode.mu.Lock()
	defer f.inode.mu.Unlock()
	if f.append {
		s, err := f.Stat()
		if err != nil {
			return 0, err
		}
		offset = int64(s.Size)
	}
	return f.inode.write(f.fs.quota, p, offset, func(p []byte) (int, error) { return f.pwrite(p, offset) })
}

func (f *hostFile) pwrite(p []byte, offset int64) (n int, err error) {
	err = f.fd.use(func(fd int) error {
		for n < len(p) {
			m, err := 0, error(nil)
			if f.append {
				m, err = unix.Write(fd, p[n:])
			} else {
				m, err = unix.Pwrite(fd, p[n:], offset+int64(n))
			}
			if err != nil {
				return err
			}
			n += m
		}
		return nil
	})
	return n, err
}

func (f *hostFile) Truncate(size int64) error {
	switch {
	case !f.write:
		return errno.BADF
	case size < 0:
		return errno.INVAL
	}
	return f.truncate(size)
}

func (f *hostFile) truncate(size int64) error {
	change := func() error {
		return f.fd.use(func(fd int) error { return unix.Ftruncate(fd, size) })
	}
	if f.inode == nil {
		return change()
	}
	f.inode.mu.Lock()
	defer f.inode.mu.Unlock()
	return f.inode.resize(f.fs.quota, size, change)
}

func (f *hostFile) Allocate(offset, length int64) error {
	switch {
	case !f.write:
		return errno.BADF
	case offset < 0 || length <= 0:
		return errno.INVAL
	case offset > math.MaxInt64-length:
		return errno.FBIG
	}
	change := func() error {
		return f.fd.use(func(fd int) error { return allocate(fd, offset, length) })
	}
	if f.inode == nil {
		return change()
	}
	f.inode.mu.Lock()
	defer f.inode.mu.Unlock()
	return f.inode.resize(f.fs.quota, max(offset+length, f.inode.paid), change)
}

func (f *hostFile) SetTimes(t Times) error {
	return f.fd.use(func(fd int) error { return setTimes(fd, t) })
}

func (f *hostFile) Sync(data bool) error {
	return f.fd.use(func(fd int) error { return syncFile(fd, data) })
}

func (f *hostFile) ReadDir(uint64, int) ([]Entry, error) { return nil, errno.NOTDIR }

// extend makes a file at least size bytes long.
func extend(fd int, size int64) error {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil || s.Size >= size {
		return err
	}
	return unix.Ftruncate(fd, size)
}
