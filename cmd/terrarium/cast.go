package main

import (
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
)

// A castFile is a recording of a terminal in a file. Nothing runs at the terminal for it. It may
// show secrets, so nobody but its owner may read it. The zero value records nothing.
type castFile struct {
	*cast.Writer
	file *os.File
}

// createCast returns one that records nothing for an empty name.
func createCast(name string, h cast.Header) (castFile, error) {
	if name == "" {
		return castFile{}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return castFile{}, fmt.Errorf("record: %w", err)
	}
	return castFile{cast.NewWriter(f, h), f}, nil
}

// close writes what is left. A recording that could not be written whole is worth a warning, and no
// more.
func (c castFile) close() {
	if c.file == nil {
		return
	}
	err := c.Close()
	if closeErr := c.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		warn(os.Stderr, fmt.Errorf("record: %w: its end is missing", err))
	}
}
