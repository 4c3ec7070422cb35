//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A remover removes directories while others go on: 100,000 files may take it
// half a minute. The zero value is ready, and safe for concurrent use.
type remover struct {
	mu      sync.Mutex
	queue   []leaving // what is removed now comes first
	total   amount    // of queue
	stop    context.CancelFunc
	context context.Context
	busy    sync.WaitGroup // what close waits for
}

// A leaving is a directory that is to be removed, what it has, and what is to be
// done before.
type leaving struct {
	dir   string
	has   amount
	first func()
}

// leaving returns what the directories have that are not yet removed.
func (r *remover) leaving() amount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// remove has a directory removed, and first be called before.
func (r *remover) remove(dir string, has amount, first func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, leaving{dir, has, first})
	r.total.add(has, 1)
	if len(r.queue) == 1 {
		r.start(r.empty)
	}
}

// empty removes what is in the queue, one after the other.
func (r *remover) empty(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) > 0 && ctx.Err() == nil {
		next := r.queue[0]
		r.mu.Unlock()
		next.first()
		vfs.RemoveAll(ctx, next.dir) // what can't be removed goes with the scratch, or stays
		r.mu.Lock()
		r.queue = r.queue[1:]
		r.total.add(next.has, -1)
	}
}

// sweep has what dead hosts have left in base removed.
func (r *remover) sweep(base string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start(func(ctx context.Context) { sweep(ctx, base) })
}

// start calls f on a goroutine that close ends and waits for. r.mu is held.
func (r *remover) start(f func(context.Context)) {
	if r.context == nil {
		r.context, r.stop = context.WithCancel(context.Background())
	}
	ctx := r.context
	r.busy.Go(func() { f(ctx) })
}

// close leaves the rest as it is, and the remover ready for more.
func (r *remover) close() {
	r.mu.Lock()
	if r.stop != nil {
		r.stop()
	}
	r.mu.Unlock()
	r.busy.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue, r.total, r.context, r.stop = nil, amount{}, nil, nil
}

// sweep removes the directories of scratches whose hosts are dead. What can't be
// removed is left.
func sweep(ctx context.Context, base string) {
	dirs, err := filepath.Glob(filepath.Join(base, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		fd, err := unix.Open(filepath.Join(dir, lockName), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue // not one of ours
		}
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && int(stat.Uid) == os.Geteuid() && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			removeScratch(ctx, dir)
		}
		unix.Close(fd)
	}
}

// removeScratch removes a scratch's directory. The file that is its lock goes
// last: a directory without one is nobody's, and would never be swept if we were
// killed half-way, or failed.
func removeScratch(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, vfs.RemoveAll(ctx, filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return vfs.RemoveAll(ctx, dir)
}
