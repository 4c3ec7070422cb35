//go:build unix

package conform

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPulseFlooded: a command that writes without end holds up nobody who looks.
func TestPulseFlooded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pulse")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pulse{path: path, fd: fd}
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 4 { // one alone may be slower than who reads
		go func() { // ends with p
			for line := make([]byte, 4<<10); ; {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		}()
	}
	defer p.close()
	ended := make(chan bool, 1)
	// The goroutine is left behind where it never returns.
	go func() { ended <- p.await(false, 100*time.Millisecond, nil) }()
	select {
	case over := <-ended:
		if over {
			t.Error("the pulse has ended, and somebody writes")
		}
	case <-time.After(time.Minute):
		t.Fatal("it looks and looks")
	}
}
