//go:build linux || darwin

package vfs

import "golang.org/x/sys/unix"

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
