package vfs

import "golang.org/x/sys/unix"

// A victim is a file that is about to lose a name. If the host puts another
// one there meanwhile, or its size changes, the quota is off by the difference.
type victim struct {
	stat unix.Stat_t // before
}

func pin(dir int, name string) (v victim, err error) {
	v.stat, err = statAt(dir, name)
	return v, err
}

// last says, afterwards, that it has no name left.
func (v *victim) last() bool { return v.stat.Nlink == 1 }

// now describes it as it was: nothing leads to it any more.
func (v *victim) now() unix.Stat_t { return v.stat }

func (v *victim) close() {}
