package hostnative_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Whoever renames directories all the time does not get a command to start in
// another one than Start has looked at.
func TestCwdRace(t *testing.T) {
	_, cwd, other := directories(t)
	h := newHost(t, hostnative.Config{})
	e, err := h.Resolve(context.Background(), core.Command{Command: "cat", Args: []string{"name"}, Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				unix.Renameat2(unix.AT_FDCWD, cwd, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
			}
		}
	})
	late := time.Now().Add(patience)
	for started := 0; started < 100; {
		if time.Now().After(late) {
			t.Errorf("got %d commands started after %v, want 100", started, patience)
			break
		}
		p, err := h.Start(context.Background(), e)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Error(err)
			break
		}
		started++
		if got := outputOf(t, p); got != "cwd" {
			t.Errorf("started in %q, want %q", got, "cwd")
			break
		}
	}
	close(done)
	swapper.Wait()
}
