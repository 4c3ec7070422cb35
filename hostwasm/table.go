package hostwasm

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A table is the processes of one terminal: those that run, and those that have
// ended and whose parents have not asked how. No process of another terminal
// has a number in it. It is safe for concurrent use.
type table struct {
	mu      sync.Mutex // guards all below, but what entries have of their own
	last    uint32     // the last number that was given
	entries []*entry   // in the order of their numbers
}

// An entry is a process in a table.
type entry struct {
	pid, parent uint32
	guest       *guest // nil when it has ended
	args        []string
	start       time.Time

	fuel   atomic.Uint64
	memory atomic.Int64
}

// maxPID is the last number there is, as where pid_t has 32 bits.
const maxPID = math.MaxInt32

// reserve returns the next number.
func (t *table) reserve() (uint32, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next()
}

// next is reserve with the lock.
func (t *table) next() (uint32, error) {
	if t.last == maxPID {
		return 0, errno.AGAIN
	}
	t.last++
	return t.last, nil
}

// add makes g an entry, with the number pid: one that reserve has given and that
// no process has, or 0 for the next.
func (t *table) add(g *guest, args []string, pid uint32) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if pid == 0 {
		if pid, err = t.next(); err != nil {
			return err
		}
	}
	at, taken := t.find(pid)
	if taken || pid > t.last {
		return errno.INVAL
	}
	g.entry = &entry{pid: pid, parent: g.parent, guest: g, args: args, start: time.Now()}
	t.entries = slices.Insert(t.entries, at, g.entry)
	return nil
}

func (t *table) find(pid uint32) (at int, ok bool) {
	return slices.BinarySearchFunc(t.entries, pid, func(e *entry, pid uint32) int { return cmp.Compare(e.pid, pid) })
}

// maxEndedName is how much is kept of the name of a process that has ended.
const maxEndedName = 64

// end keeps of an entry what is told of a process that has ended.
func (t *table) end(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := e.args[0]
	e.guest, e.args = nil, []string{strings.Clone(name[:min(len(name), maxEndedName)])}
	e.memory.Store(0)
}

func (t *table) remove(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.find(e.pid); ok && t.entries[at] == e {
		t.entries = slices.Delete(t.entries, at, at+1)
	}
}

// lookup returns the guest of that number, nil if it has ended. ok is false
// where there is no such process.
func (t *table) lookup(pid uint32) (g *guest, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.find(pid)
	if !ok {
		return nil, false
	}
	return t.entries[at].guest, true
}

// each calls yield with all entries, which holds the lock.
func (t *table) each(yield func(*entry)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		yield(e)
	}
}

// A listing is the table as one of its guests sees it: a wasi.Processes.
type listing struct{ *guest }

func (l listing) Self() uint32 { return l.entry.pid }

func (l listing) Reserve() (uint32, error) { return l.job.processes.reserve() }

// Each implements wasi.Processes. Where commands are deterministic it tells
// nothing that depends on how fast others are: no time has passed, and nobody
// waits.
func (l listing) Each(yield func(wasi.Listed)) {
	deterministic := l.job.host.config.Deterministic
	l.job.processes.each(func(e *entry) {
		p := wasi.Listed{PID: e.pid, Parent: e.parent, Args: e.args}
		if e.guest == nil {
			p.State = wasi.Ended
		}
		if deterministic {
			p.Start = uint64(wasi.VirtualStart.Milliseconds())
			yield(p)
			return
		}
		if e.guest != nil && e.guest.wasi.Idle() {
			p.State = wasi.Waiting
		}
		p.Start = uint64(e.start.UnixMilli())
		p.Fuel, p.Memory = e.fuel.Load(), uint64(e.memory.Load())
		yield(p)
	})
}

// Signal implements wasi.Processes. As with Process.Signal, what would end a
// process by default ends it, and all else does nothing.
func (l listing) Signal(pid, number uint32) error {
	g, ok := l.job.processes.lookup(pid)
	if !ok {
		return errno.SRCH
	}
	if number == 0 {
		return nil
	}
	s, known := signalByNumber(number)
	switch {
	case !known:
		return errno.INVAL
	case g != nil && s.deadly:
		g.kill(&killError{s.name})
	}
	return nil
}
