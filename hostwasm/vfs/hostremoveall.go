//go:build linux || darwin

package vfs

import (
	"context"

	"golang.org/x/sys/unix"
)

// RemoveAll removes a directory of the host and all that is below it, however
// deep that is, with few descriptors. That there is none is no error. If ctx
// ends it stops early and returns ctx's error.
func RemoveAll(ctx context.Context, dir string) error {
	w := treeWalk{
		visit: func(e treeEntry) error {
			if !e.isDir() {
				return removeName(ctx, e.dir, e.name, 0)
			}
			if e.stat.Mode&0o700 == 0o700 {
				return nil
			}
			// Without these rights of our own we could not empty it.
			return unix.Fchmodat(e.dir, e.name, 0o700, 0)
		},
		after: func(at int, name string) error { return removeName(ctx, at, name, unix.AT_REMOVEDIR) },
	}
	var err error
	for range 8 { // a listing may leave out names while others are removed
		err = w.run(unix.AT_FDCWD, dir)
		if err == nil {
			err = removeName(ctx, unix.AT_FDCWD, dir, unix.AT_REMOVEDIR)
		}
		if notEmpty(err) != unix.ENOTEMPTY {
			break
		}
	}
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// removeName removes a name that may have gone, unless ctx has ended.
func removeName(ctx context.Context, dir int, name string, flags int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := ignoringEINTR(func() error { return unix.Unlinkat(dir, name, flags) })
	if err == unix.ENOENT {
		return nil
	}
	return err
}
