package hostwasm

import (
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxScratch is how many sessions have a /tmp at once. Nobody tells a host that
// a session is over, so the one that was used longest ago goes first.
const maxScratch = 64

// scratch has the /tmp of each session, in memory: what one command leaves
// there the next one finds. It is safe for concurrent use.
type scratch struct {
	size int64 // of each, in bytes

	mu    sync.Mutex
	all   map[core.SessionID]*tmp
	clock int64 // counts uses
}

// bytesPerName is how many bytes of /tmp come with each name: an empty file takes
// some of ours too: 250 to 500 with its name.
const bytesPerName = 1 << 10

type tmp struct {
	vfs.FS
	last int64 // scratch.clock when it was last used
}

// Close leaves the files there for the session's next command.
func (*tmp) Close() error { return nil }

func newScratch(size int64) *scratch {
	return &scratch{size: size, all: make(map[core.SessionID]*tmp)}
}

// of returns a session's /tmp. A session that lost its own to others gets an
// empty one; commands that run keep what they have.
func (s *scratch) of(session core.SessionID) (vfs.FS, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.all[session]
	if t == nil {
		if len(s.all) >= maxScratch {
			delete(s.all, s.oldest())
		}
		t = &tmp{FS: vfs.Memory(vfs.MemoryOptions{Quota: vfs.NewQuota(s.size, (s.size+bytesPerName-1)/bytesPerName)})}
		s.all[session] = t
	}
	s.clock++
	t.last = s.clock
	return t, nil
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
