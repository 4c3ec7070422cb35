package vfs

import (
	"io"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Devices returns what belongs at /dev: null, zero, full, random and urandom,
// which read from random, and stdin, stdout, stderr and tty, which are Stdio.
// One Read of random is under way at a time. Where fetches is true there is
// http too, a Stdio that is HTTP.
func Devices(random io.Reader, fetches bool) FS {
	null := device{
		read:  func([]byte) (int, error) { return 0, nil },
		write: func(p []byte) (int, error) { return len(p), nil },
	}
	zero := null
	zero.read = func(p []byte) (int, error) { clear(p); return len(p), nil }
	full := zero
	full.write = func(p []byte) (int, error) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, errno.NOSPC
	}
	dice := null
	var mu sync.Mutex // one reader at a time
	dice.read = func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		n, err := io.ReadFull(random, p)
		if err != nil {
			return n, errno.IO
		}
		return n, nil
	}
	files := map[string]made{
		"null": null, "zero": zero, "full": full, "random": dice, "urandom": dice,
		"stdin": stdio(0), "stdout": stdio(1), "stderr": stdio(2), "tty": stdio(Terminal),
	}
	if fetches {
		files["http"] = stdio(HTTP)
	}
	return newFlat(files)
}

// A device is a character device that keeps nothing. Offsets mean nothing to it.
type device struct {
	read, write func(p []byte) (int, error)
}

func (device) kind() Type   { return CharacterDevice }
func (device) mode() Mode   { return ModeKnown | 0o666 }
func (device) size() uint64 { return 0 }

func (d device) open(how How, s Stat) (File, error) {
	if !how.Read {
		d.read = nil
	}
	if !how.Write {
		d.write = nil
	}
	return openDevice{d, s}, nil
}

// An openDevice is a device whose functions are nil where it was not opened
// for them.
type openDevice struct {
	device
	made Stat
}

func (d openDevice) ReadAt(p []byte, _ int64) (int, error) {
	if d.read == nil {
		return 0, errno.BADF
	}
	return d.read(p)
}

func (d openDevice) WriteAt(p []byte, _ int64) (int, error) {
	if d.write == nil {
		return 0, errno.BADF
	}
	return d.write(p)
}

func (d openDevice) Stat() (Stat, error)                { return d.made, nil }
func (openDevice) Truncate(int64) error                 { return errno.INVAL }
func (openDevice) Allocate(int64, int64) error          { return errno.NODEV }
func (openDevice) SetTimes(Times) error                 { return errno.ROFS }
func (openDevice) Sync(bool) error                      { return errno.INVAL }
func (openDevice) ReadDir(uint64, int) ([]Entry, error) { return nil, errno.NOTDIR }
func (openDevice) Close() error                         { return nil }

// stdio is a device that stands for a descriptor. Itself it does nothing.
type stdio int

func (stdio) kind() Type   { return CharacterDevice }
func (stdio) mode() Mode   { return ModeKnown | 0o620 }
func (stdio) size() uint64 { return 0 }

func (d stdio) open(_ How, s Stat) (File, error) {
	return openStdio{openDevice{made: s}, int(d)}, nil
}

type openStdio struct {
	openDevice
	fd int
}

func (d openStdio) Stdio() int { return d.fd }
