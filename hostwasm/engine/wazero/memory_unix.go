//go:build unix

package wazero

import "golang.org/x/sys/unix"

// reserve returns n bytes of address space. What is to be used of it has to be
// exposed first: so a limit on memory, RLIMIT_DATA, counts that and no more.
func reserve(n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	return unix.Mmap(-1, 0, int(n), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// expose has the bytes from one place in space to another, which are multiples of
// a page, be read and written. They are zero at first, and cost memory when they
// are touched.
func expose(space []byte, from, to uint64) error {
	if from == to {
		return nil
	}
	return unix.Mprotect(space[from:to], unix.PROT_READ|unix.PROT_WRITE)
}

// release gives back what reserve returned. Nothing may use it any longer.
func release(space []byte) {
	if space != nil {
		unix.Munmap(space)
	}
}
