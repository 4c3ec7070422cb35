package wazero

import "golang.org/x/sys/unix"

// kept is how much of a stack, at its end, keeps its memory: most calls need no
// more.
const kept = 16 << 10

// wipe makes a stack's space as good as new.
func wipe(space []byte) error {
	rest := len(space) - len(space)%kept - kept
	clear(space[rest:])
	return unix.Madvise(space[:rest], unix.MADV_DONTNEED)
}
