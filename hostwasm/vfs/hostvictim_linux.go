package vfs

import "golang.org/x/sys/unix"

// A victim is a file that is about to lose a name. It stays itself if the host
// puts another one there meanwhile.
type victim struct {
	fd   int
	stat unix.Stat_t // before
}

func pin(dir int, name string) (v victim, err error) {
	v.fd, err = open(dir, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return victim{}, err
	}
	if err := unix.Fstat(v.fd, &v.stat); err != nil {
		v.close()
		return victim{}, err
	}
	return v, nil
}

// last says, afterwards, that it has no name left.
func (v *victim) last() bool { return v.now().Nlink == 0 }

// now describes it as it is.
func (v *victim) now() unix.Stat_t {
	s := v.stat
	unix.Fstat(v.fd, &s) // of what is open
	return s
}

func (v *victim) close() { unix.Close(v.fd) }
