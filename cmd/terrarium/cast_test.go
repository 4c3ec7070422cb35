package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestStuckRecording gives up a recording that is a pipe of which nobody takes anything.
func TestStuckRecording(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	// With a reader there, to open it for writing does not wait.
	reader, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.SetWriteDeadline(time.Time{}) != nil {
		t.Skip("NOT RUN: pipes with names have no deadlines on this system")
	}
	w := timedFile{f, 10 * time.Millisecond}
	// It is more than a pipe holds, and hangs if it waits.
	if _, err := w.Write(make([]byte, 4<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want %v", err, os.ErrDeadlineExceeded)
	}
}
