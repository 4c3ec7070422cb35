//go:build unix

package plugins_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins"
)

// Who no longer waits ends the go command with all that it has started.
func TestBuildEnds(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		b := plugins.Builder{Dir: tree(t, "hangs "+begun)}
		ended <- b.Build(ctx, dir)
	}()
	pid, err := os.ReadFile(begun)
	if err != nil || len(pid) == 0 {
		t.Fatalf("got %q, %v", pid, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	empty(t, dir)
}

// What does not heed SIGTERM is killed.
func TestBuildEndsDeaf(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		b := plugins.Builder{Dir: tree(t, "deaf "+fifo)}
		ended <- b.Build(ctx, t.TempDir())
	}()
	begun, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	lines := bufio.NewReader(begun)
	line, err := lines.ReadString('\n')
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 {
		t.Fatalf("got %q, %v", line, err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	over := make(chan struct{})
	go func() { // ends with the process
		lines.ReadByte()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(time.Minute):
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the build lives on that does not heed SIGTERM")
	}
}

// What is no file is refused at once, and not read: a FIFO would never end.
func TestBuildOfFIFO(t *testing.T) {
	for _, name := range []string{"go.sum", "core/fifo"} {
		from, dir := tree(t, ""), t.TempDir()
		fifo := filepath.Join(from, filepath.FromSlash(name))
		os.Remove(fifo)
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		built := make(chan error, 1)
		go func() {
			b := plugins.Builder{Dir: from}
			built <- b.Build(t.Context(), dir)
		}()
		select {
		case err := <-built:
			if err == nil || !strings.HasSuffix(err.Error(), fifo+": not a regular file") {
				t.Errorf("%s: got %v, want that it is no regular file", name, err)
			}
			empty(t, dir)
		case <-time.After(time.Minute):
			t.Fatalf("%s: it is still read", name)
		}
	}
}
