//go:build linux || darwin

package vfs

import (
	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

func (d *hostOpenDir) close() error {
	err := d.fd.close()
	if err != errno.BADF {
		d.fs.quota.giveOpen()
		if d.inode != nil {
			d.fs.closed(d.inode)
		}
	}
	return err
}

func (d *hostOpenDir) Stat() (s Stat, err error) {
	err = d.fd.use(func(fd int) error {
		var host unix.Stat_t
		err := unix.Fstat(fd, &host)
		s = stat(&host)
		return err
	})
	return s, err
}

func (d *hostOpenDir) SetTimes(t Times) error {
	return d.fd.use(func(fd int) error { return setTimes(fd, t) })
}

func (d *hostOpenDir) Sync(data bool) error {
	return d.fd.use(func(fd int) error { return syncFile(fd, data) })
}
