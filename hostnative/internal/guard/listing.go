//go:build linux || darwin

package guard

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A listing has what is in a directory, as it was read last.
type listing struct {
	list []string
	of   dirVersion // zero if it may be another by now
}

// A dirVersion changes when something comes into a directory, or goes.
type dirVersion struct {
	dev, ino uint64
	ctime    int64 // in nanoseconds. Mtime a command could set back
}

// settledAfter is how old a change of a directory has to be to tell it from the next one. Some
// systems take the time only when their clock ticks, and some file systems keep seconds, or two.
const settledAfter = 2 * time.Second

// names returns what is in dir. It is read only if it has changed since the last time. The caller
// has State locked, as has who changes dir; the list is not the caller's.
func (l *listing) names(dir string) ([]string, error) {
	now, err := dirVersionOf(dir)
	if err != nil {
		return nil, err
	}
	if l.of == now {
		return l.list, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	*l = listing{}
	for _, e := range entries {
		l.list = append(l.list, e.Name())
	}
	if time.Since(time.Unix(0, now.ctime)) > settledAfter {
		l.of = now
	}
	return l.list, nil
}

func dirVersionOf(dir string) (dirVersion, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return dirVersion{}, &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	return dirVersion{uint64(st.Dev), st.Ino, st.Ctim.Nano()}, nil
}
