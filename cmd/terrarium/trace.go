package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// A traceFile is what --trace writes: a script of package coretest. It holds
// what commands read and write and the variables they are given, so nobody
// but its owner may read it.
type traceFile struct {
	name string

	mu   sync.Mutex // guards what follows: a stuck writer may still trace after close
	file *os.File
	buf  *bufio.Writer // keeps the first error
	done bool
}

// createTrace returns nil for an empty name.
func createTrace(name string) (*traceFile, error) {
	if name == "" {
		return nil, nil
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if filepath.Dir(filepath.Clean(name)) != "/dev" { // where /dev/stderr is a link
		// A command that was handed the directory may have left a link there to
		// a file that it can't write to. Without this we would write to that.
		flags |= openNoFollow
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil, fmt.Errorf("trace: %s: a symbolic link: name the file that it leads to", name)
		}
		return nil, fmt.Errorf("trace: %w", err)
	}
	// A file that was there keeps its mode otherwise. What is not a file of
	// ours (a terminal, /dev/null) has no secrets in it, so errors don't count.
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		f.Chmod(0o600)
	}
	return &traceFile{name: name, file: f, buf: bufio.NewWriterSize(f, 64<<10)}, nil
}

func (t *traceFile) line(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done {
		t.buf.WriteString(s)
		t.buf.WriteByte('\n')
	}
}

// close writes what is left. A trace that could not be written whole is worth
// a warning, and no more. It does nothing on nil.
func (t *traceFile) close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = true
	err := t.buf.Flush()
	if closeErr := t.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		warn(os.Stderr, fmt.Errorf("trace: %w: its end is missing", err))
	}
}
