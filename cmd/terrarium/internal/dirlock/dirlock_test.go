//go:build unix

package dirlock_test

import (
	"errors"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
)

// TestLock has one at a time have a directory. Who waits has it next.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := dirlock.Try(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dirlock.Try(dir); !errors.Is(err, dirlock.ErrLocked) {
		t.Errorf("got %v, want %v", err, dirlock.ErrLocked)
	}
	next := make(chan func())
	go func() {
		unlock, err := dirlock.Lock(dir)
		if err != nil {
			t.Error(err)
		}
		next <- unlock
	}()
	select {
	case <-next:
		t.Fatal("two have it locked")
	default:
	}
	unlock()
	if unlock := <-next; unlock != nil {
		unlock()
	}
	if unlock, err := dirlock.Try(dir); err != nil {
		t.Errorf("got %v, want that it is free", err)
	} else {
		unlock()
	}
	if _, err := dirlock.Lock(dir + "/none"); err == nil {
		t.Error("a directory that is not there was locked")
	}
}
