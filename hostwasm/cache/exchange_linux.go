package cache

import "golang.org/x/sys/unix"

// exchange has two directories change places at once.
//
// https://man7.org/linux/man-pages/man2/rename.2.html, RENAME_EXCHANGE
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
