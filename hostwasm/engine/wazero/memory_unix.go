//go:build unix

package wazero

import "golang.org/x/sys/unix"

// reserve returns n zero bytes that cost address space until they are touched.
func reserve(n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	return unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// release gives back what reserve returned. Nothing may use it any longer.
func release(space []byte) {
	if space != nil {
		unix.Munmap(space)
	}
}
