//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// hide puts a file of so many bytes into dir, below more directories than a path
// has room for.
func hide(t *testing.T, dir string, bytes int64) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for range 2500 {
		if err == nil {
			err = unix.Mkdirat(at, "d", 0o777)
		}
		var next int
		if err == nil {
			next, err = unix.Openat(at, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(at)
		at = next
	}
	defer unix.Close(at)
	f, err := unix.Openat(at, "f", unix.O_WRONLY|unix.O_CREAT, 0o666)
	if err == nil {
		err = errors.Join(unix.Ftruncate(f, bytes), unix.Close(f))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What lies deeper than any path reaches counts as well, and goes when the
// scratch does, or its session makes room for others.
func TestScratchDeep(t *testing.T) {
	base := t.TempDir()
	s := newScratch(base, 0, hostwasm.Limits{Scratch: 1 << 20, Files: 10_000})
	tmp, leave, err := s.use("a")
	if err != nil {
		t.Fatal(err)
	}
	hide(t, tmp.dir, 1000)
	leave()
	if want := (amount{2501 << 12, 2501}); tmp.used != want || s.used != want {
		t.Errorf("got %v of the session and %v in all, want %v", tmp.used, s.used, want)
	}
	if !s.evict() {
		t.Error("the session that runs no command was not evicted")
	}
	s.remover.busy.Wait()
	if _, err := os.Lstat(tmp.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("evicted: got %v, want nothing to be left", err)
	}
	if left := s.remover.leaving(); left != (amount{}) {
		t.Errorf("removed: %v is still said to be left", left)
	}

	if tmp, leave, err = s.use("b"); err != nil {
		t.Fatal(err)
	}
	hide(t, tmp.dir, 1000)
	leave()
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("closed: got %v, %v, want nothing", left, err)
	}
}

// While much is still to be removed, no more is evicted: it would no longer
// count, and be there.
func TestScratchEvictsNoFaster(t *testing.T) {
	s := newScratch(t.TempDir(), 1<<20, hostwasm.Limits{Scratch: 1 << 20, Files: 100})
	t.Cleanup(func() { s.close() })
	_, leave, err := s.use("a")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	s.remover.mu.Lock()
	s.remover.total = amount{bytes: 1 << 19}
	s.remover.mu.Unlock()
	if s.evict() {
		t.Error("evicted beside half of all that may be there")
	}
	s.remover.mu.Lock()
	s.remover.total = amount{}
	s.remover.mu.Unlock()
	if !s.evict() {
		t.Error("not evicted, with nothing left to remove")
	}
}

// What was evicted has nothing any longer: a worker of its session, which was taken
// over and has not been dismissed yet, gets nothing more there, since nobody would
// ever take that back.
func TestScratchGrantsNothingEvicted(t *testing.T) {
	s := newScratch(t.TempDir(), 1<<30, hostwasm.Limits{Scratch: 1 << 20, Files: 100})
	t.Cleanup(func() { s.close() })
	tmp, leave, err := s.use("a")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if got := s.grant(tmp, amount{bytes: 1, names: 1}); got == (amount{}) {
		t.Error("before: got nothing")
	}
	if !s.evict() {
		t.Fatal("the session that runs no command was not evicted")
	}
	if got := s.grant(tmp, amount{bytes: 1, names: 1}); got != (amount{}) || s.used != (amount{}) {
		t.Errorf("got %v, and %v are used in all, want nothing", got, s.used)
	}
}

// A session that is evicted while what it has is counted has nothing, whatever is
// counted: it is removed later.
func TestScratchEvictsWhatIsCounted(t *testing.T) {
	s := newScratch(t.TempDir(), 1<<30, hostwasm.Limits{Scratch: 1 << 30, Files: 10_000})
	t.Cleanup(func() { s.close() })
	removing := make(chan struct{})
	s.dismiss = func(*tmp) { <-removing }
	tmp, leave, err := s.use("a")
	if err != nil {
		t.Fatal(err)
	}
	hide(t, tmp.dir, 1000) // it takes a while to count
	left := make(chan struct{})
	go func() {
		leave()
		close(left)
	}()
	for evicted := false; !evicted; time.Sleep(100 * time.Microsecond) {
		s.mu.Lock()
		evicted = s.evict()
		s.mu.Unlock()
	}
	<-left
	s.mu.Lock()
	if s.used != (amount{}) {
		t.Errorf("got %v used in all, want nothing", s.used)
	}
	s.mu.Unlock()
	close(removing)
}

// A removal that is not finished leaves the lock, so that the next host
// finds the directory.
func TestScratchLockGoesLast(t *testing.T) {
	s := newScratch(t.TempDir(), 0, hostwasm.Limits{})
	if _, _, err := s.use("a"); err != nil {
		t.Fatal(err)
	}
	dir := s.dir
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := removeScratch(ended, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := os.Lstat(filepath.Join(dir, lockName)); err != nil {
		t.Error(err)
	}
	s.remover.busy.Wait() // its own sweep, which would have the lock next
	s.lock.Close()        // the host dies
	sweep(t.Context(), s.base)
	if left, err := os.ReadDir(s.base); err != nil || len(left) > 0 {
		t.Errorf("swept: got %v, %v, want nothing", left, err)
	}
}
