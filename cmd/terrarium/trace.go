package main

import (
	"bufio"
	"fmt"
	"os"
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
	f, err := createWritten("trace", name)
	if err != nil {
		return nil, err
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
