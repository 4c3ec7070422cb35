package hostwasm

import (
	"sync"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxScratch is how many sessions have a /tmp at once. Nobody tells a host that
// a session is over, so the one that was used longest ago goes first.
const maxScratch = 64

// scratch has the /tmp of each session, in memory: what one command leaves
// there the next one finds. It is safe for concurrent use.
type scratch struct {
	size    int64    // of each, in bytes
	account *account // of all, for the memory that they take

	mu    sync.Mutex
	all   map[core.SessionID]*tmp
	clock int64 // counts uses
}

// bytesPerName is how many bytes of /tmp come with each name: an empty file takes
// some of ours too: 250 to 500 with its name.
const bytesPerName = 1 << 10

// A tmp is a session's /tmp. What it holds is booked until it is freed.
type tmp struct {
	vfs.FS
	scratch *scratch
	booked  atomic.Int64

	// Guarded by scratch.mu.
	users     int   // trees that it is mounted in
	last      int64 // scratch.clock when it was last used
	forgotten bool  // its session lost it
}

// Close leaves the files there for the session's next command.
func (t *tmp) Close() error {
	t.scratch.mu.Lock()
	defer t.scratch.mu.Unlock()
	t.users--
	t.free()
	return nil
}

// free gives back what t has, if it is of no use any longer. scratch.mu is held.
func (t *tmp) free() {
	if t.forgotten && t.users == 0 {
		t.scratch.account.giveMemory(t.booked.Swap(0))
	}
}

// charge is vfs.MemoryOptions.Charge.
func (t *tmp) charge(n int64) bool {
	if n > 0 && !t.scratch.account.takeMemory(n) {
		return false
	}
	if n < 0 {
		t.scratch.account.giveMemory(-n)
	}
	t.booked.Add(n)
	return true
}

// newScratch returns one where all sessions together may have a quarter of
// memory, so that those that fill theirs leave room for commands. size is each
// one's; all in bytes.
func newScratch(size, memory int64, all *account) *scratch {
	if memory > 0 { // or there is no limit
		memory = max(memory/4, 1)
	}
	return &scratch{size: size, account: newAccount(all, -1, memory, -1), all: make(map[core.SessionID]*tmp)}
}

// of returns a session's /tmp. A session that lost its own to others gets an
// empty one; commands that run keep what they have.
func (s *scratch) of(session core.SessionID) (vfs.FS, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.all[session]
	if t == nil {
		if len(s.all) >= maxScratch {
			s.forget(s.oldest())
		}
		t = &tmp{scratch: s}
		t.FS = vfs.Memory(vfs.MemoryOptions{
			Quota:  vfs.NewQuota(s.size, (s.size+bytesPerName-1)/bytesPerName),
			Charge: t.charge,
		})
		s.all[session] = t
	}
	s.clock++
	t.last = s.clock
	t.users++
	return t, nil
}

// forget takes a session's /tmp away. s.mu is held.
func (s *scratch) forget(session core.SessionID) {
	t := s.all[session]
	delete(s.all, session)
	t.forgotten = true
	t.free()
}

func (s *scratch) oldest() (session core.SessionID) {
	first := s.clock + 1
	for id, t := range s.all {
		if t.last < first {
			session, first = id, t.last
		}
	}
	return session
}
