package main

import (
	"fmt"
	"os"
	"time"

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
	f, err := createWritten("record", name)
	if err != nil {
		return castFile{}, err
	}
	return castFile{cast.NewWriter(timedFile{f, recordPatience}, h), f}, nil
}

// recordPatience is how long who reads a recording that is a pipe may take no more of it.
const recordPatience = 3 * time.Second

// A timedFile waits no longer than that for a pipe: the command waits for its recording, and
// its end would wait too. What is no pipe is written as ever.
type timedFile struct {
	*os.File
	limit time.Duration
}

func (w timedFile) Write(p []byte) (int, error) {
	w.SetWriteDeadline(time.Now().Add(w.limit)) // an error means that it never waits for a reader
	return w.File.Write(p)
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
