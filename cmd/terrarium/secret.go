package main

import (
	"fmt"
	"io"
	"os"
)

// readSecret reads a file that nobody but its owner may read or write. What is no
// file, such as a pipe, has a reader already.
func readSecret(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: mode %04o: others may read or write it: chmod 600", name, info.Mode().Perm())
	}
	return io.ReadAll(io.LimitReader(f, 64<<10))
}
