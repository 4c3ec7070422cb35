package cache

import "golang.org/x/sys/unix"

// exchange has two directories change places at once: see rename(2), RENAME_SWAP.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
