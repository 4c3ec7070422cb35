//go:build linux || darwin

package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxScratch is how many sessions have a /tmp at once, apart from those that
// run commands. Nobody tells a host that a session is over, so the one that
// was used longest ago goes first.
const maxScratch = 64

// A scratch is a directory with one of each session's in it, its /tmp: workers
// have no memory in common. While the host lives it holds a lock on a file
// there; a directory whose lock is free is a dead host's. It is safe for
// concurrent use.
type scratch struct {
	base string

	mu    sync.Mutex
	dir   string   // empty until it is needed
	lock  *os.File // in dir
	all   map[core.SessionID]*tmp
	clock int64 // counts uses
}

type tmp struct {
	dir   string
	users int
	last  int64 // scratch.clock when it was last used
}

const lockName = "lock"

func newScratch(base string) *scratch {
	if base == "" {
		base = os.TempDir()
	}
	return &scratch{base: base, all: make(map[core.SessionID]*tmp)}
}

// prefix begins the names of our directories, and no other user's.
func prefix() string { return "terrarium-" + strconv.Itoa(os.Geteuid()) + "-" }

// open makes the directory. s.mu is held.
func (s *scratch) open() error {
	if s.dir != "" {
		return nil
	}
	s.sweep()
	dir, err := os.MkdirTemp(s.base, prefix())
	if err != nil {
		return fmt.Errorf("hostwasm/worker: directory for /tmp: %w", err)
	}
	lock, err := locked(dir)
	if err != nil {
		os.RemoveAll(dir)
		return fmt.Errorf("hostwasm/worker: directory for /tmp: %w", err)
	}
	s.dir, s.lock = dir, lock
	return nil
}

// locked makes a file in dir that has its name when it is locked.
func locked(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "")
	if err != nil {
		return nil, err
	}
	fd, err := descriptor(f)
	if err == nil {
		err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, lockName))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes what dead hosts have left. What can't be removed is left.
func (s *scratch) sweep() {
	dirs, err := filepath.Glob(filepath.Join(s.base, prefix()+"*"))
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
			os.RemoveAll(dir)
		}
		unix.Close(fd)
	}
}

// use returns a session's directory. leave says that its command has ended.
func (s *scratch) use(session core.SessionID) (dir string, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return "", nil, err
	}
	t := s.all[session]
	if t == nil {
		t = new(tmp)
		if t.dir, err = os.MkdirTemp(s.dir, "tmp-"); err != nil {
			return "", nil, err
		}
		s.all[session] = t
		s.evict()
	}
	s.clock++
	t.last = s.clock
	t.users++
	return t.dir, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.users--
	}, nil
}

// evict forgets the session that was used longest ago, if there are too many.
func (s *scratch) evict() {
	var oldest core.SessionID
	var found *tmp
	idle := 0
	for id, t := range s.all {
		if t.users > 0 || t.last == 0 {
			continue
		}
		idle++
		if found == nil || t.last < found.last {
			oldest, found = id, t
		}
	}
	if idle > maxScratch {
		delete(s.all, oldest)
		os.RemoveAll(found.dir)
	}
}

func (s *scratch) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	err := os.RemoveAll(s.dir)
	s.lock.Close()
	s.dir, s.all = "", make(map[core.SessionID]*tmp)
	return err
}

// tmp opens a session's /tmp to look something up.
func (h *Host) tmp(session core.SessionID) (vfs.FS, error) {
	dir, leave, err := h.scratch.use(session)
	if err != nil {
		return nil, err
	}
	defer leave()
	return vfs.OpenHost(dir, vfs.HostOptions{ReadOnly: true})
}

// openTmp opens a session's /tmp, of which all files together may have so many
// bytes, and names.
func openTmp(dir string, bytes, names int64) (vfs.FS, error) {
	var used, files int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		files++
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			used += info.Size()
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// 0 would be no limit.
	quota := vfs.NewQuota(max(bytes-used, 1), max(names-files, 1))
	return vfs.OpenHost(dir, vfs.HostOptions{Quota: quota})
}
