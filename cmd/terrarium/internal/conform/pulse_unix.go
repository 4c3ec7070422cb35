//go:build unix

package conform

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A pulse shows whether a command lives, and all that it has started: they hold the
// writing end of a FIFO, which ends when the last of them does, and no sooner. No
// process number tells that as well, for numbers differ between namespaces and are
// used again.
type pulse struct {
	path string
	fd   int
	up   bool
}

// hold is the beginning of a script that holds the pulse $1. The rest of it must
// start its processes with it open.
const hold = `exec 9>"$1"; echo >&9; `

// pulse returns a pulse for a script to hold. It ends the trial where there can be
// none.
func (t *trial) pulse() *pulse {
	if t.round.folder == "" {
		t.skip("there is no folder to share with the client's commands")
	}
	path := filepath.Join(t.round.folder, "pulse"+strconv.Itoa(t.client.nextPulse()))
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.skip("no FIFO can be made: %v", err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.skip("the FIFO can't be opened: %v", err)
	}
	p := &pulse{path: path, fd: fd}
	t.pulses = append(t.pulses, p)
	return p
}

// look reports whether the pulse is held. What opened it and has written, held it.
func (p *pulse) look() (held bool) {
	var buf [4 << 10]byte
	for range maxReads {
		n, err := unix.Read(p.fd, buf[:])
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN: // somebody could write
			return true
		case n <= 0:
			return false
		default:
			p.up = true
		}
	}
	return true // somebody writes and writes
}

// maxReads is how often a look reads: often enough for all that a pipe holds, and not for ever.
const maxReads = 1 << 10

// await looks until the pulse has begun, or else has ended, but not longer than d.
func (p *pulse) await(begun bool, d time.Duration, done <-chan struct{}) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	for {
		held := p.look()
		if p.up && (begun || !held) {
			return true
		}
		select {
		case <-late.C:
			return false
		case <-done:
			return false
		case <-time.After(pollInterval):
		}
	}
}

func (p *pulse) close() {
	unix.Close(p.fd)
	os.Remove(p.path)
}
