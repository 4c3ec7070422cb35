//go:build unix

package dirlock_test

import (
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
)

// TestLock has one at a time have a directory, however many want it.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				unlock, err := dirlock.Lock(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two have it locked")
				}
				for range 10 {
					runtime.Gosched() // so that another one might come in
				}
				inside.Add(-1)
				unlock()
			}
		})
	}
	all.Wait()
	if _, err := dirlock.Lock(dir + "/none"); err == nil {
		t.Error("a directory that is not there was locked")
	}
}

// TestTry does not wait for who has the directory.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	unlock, err := dirlock.Try(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dirlock.Try(dir); !errors.Is(err, dirlock.ErrLocked) {
		t.Errorf("got %v, want %v", err, dirlock.ErrLocked)
	}
	unlock()
	if unlock, err = dirlock.Try(dir); err != nil {
		t.Fatalf("got %v, want that it is free", err)
	}
	unlock()
}

// TestWithin waits for who has the directory, but not for ever. Who has given up does not have it
// later.
func TestWithin(t *testing.T) {
	dir := t.TempDir()
	unlock, err := dirlock.Try(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dirlock.Within(dir, time.Millisecond); !errors.Is(err, dirlock.ErrLocked) {
		t.Errorf("got %v, want %v", err, dirlock.ErrLocked)
	}
	next := make(chan error)
	go func() {
		unlock, err := dirlock.Within(dir, time.Hour)
		if err == nil {
			if _, err := dirlock.Try(dir); !errors.Is(err, dirlock.ErrLocked) {
				t.Errorf("got %v, want %v", err, dirlock.ErrLocked)
			}
			unlock()
		}
		next <- err
	}()
	unlock()
	if err := <-next; err != nil {
		t.Errorf("who waits: got %v, want that it has it next", err)
	}
	if unlock, err = dirlock.Within(dir, 2*time.Minute); err != nil {
		t.Fatalf("when all have it no more: got %v", err)
	}
	unlock()
	if _, err := dirlock.Within(dir+"/none", time.Hour); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
}
