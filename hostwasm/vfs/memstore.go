package vfs

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

// nameSize is what a name and what it stands for take in memory, in bytes, at
// the most.
const nameSize = 512

// A store is what a file system in memory may hold.
type store struct {
	quota  *Quota
	charge func(n int64) bool // see MemoryOptions.Charge; nil is always true
}

func (s *store) takeBytes(n int64) error {
	switch {
	case !s.quota.takeAllBytes(n):
		return errno.DQUOT
	case s.charge != nil && !s.charge(n):
		s.quota.giveBytes(n)
		return errno.NOSPC
	}
	return nil
}

func (s *store) giveBytes(n int64) {
	s.quota.giveBytes(n)
	if s.charge != nil && n > 0 {
		s.charge(-n)
	}
}

func (s *store) takeName() error {
	switch {
	case !s.quota.takeFile():
		return errno.DQUOT
	case s.charge != nil && !s.charge(nameSize):
		s.quota.giveFile()
		return errno.NOSPC
	}
	return nil
}

func (s *store) giveName() {
	s.quota.giveFile()
	if s.charge != nil {
		s.charge(-nameSize)
	}
}
