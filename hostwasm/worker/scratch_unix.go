//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// maxScratch is how many sessions have a /tmp at once, apart from those that
// run commands. Nobody tells a host that a session is over, so the one that
// was used longest ago goes first.
const maxScratch = 64

// A scratch is a directory with one of each session's in it, its /tmp: workers
// have no memory in common. While the host lives it holds a lock on a file
// there; a directory whose lock is free is a dead host's. What may be in them
// workers ask for. It is safe for concurrent use.
type scratch struct {
	base     string
	each     amount // what a session may have
	together amount // what all of them may have

	dismiss func(*tmp) // ends what may still write to one that is to be removed

	mu      sync.Mutex
	dir     string   // empty until it is needed
	lock    *os.File // in dir
	all     map[core.SessionID]*tmp
	used    amount // by all
	clock   int64  // counts uses
	remover remover
}

type tmp struct {
	asker asker
	dir   string
	// what was there when the last worker had ended, and what others were granted since
	used  amount
	users int
	last  int64 // scratch.clock when it was last used; 0 when it was evicted
}

// An amount is what a directory has, or may have.
type amount struct{ bytes, names int64 }

// add adds b, n times.
func (a *amount) add(b amount, n int64) {
	a.bytes += n * b.bytes
	a.names += n * b.names
}

// within reports whether a keeps to a limit, where a negative number is none.
func (a amount) within(limit amount) bool {
	return (limit.bytes < 0 || a.bytes <= limit.bytes) && (limit.names < 0 || a.names <= limit.names)
}

const lockName = "lock"

// bytesPerName is how many bytes of all come with each name.
const bytesPerName = 1 << 10

func newScratch(base string, together int64, l hostwasm.Limits) *scratch {
	if together == 0 {
		together = 1 << 30
	}
	return &scratch{
		base: ScratchDir(base), all: make(map[core.SessionID]*tmp), dismiss: func(*tmp) {},
		each:     amount{l.Scratch, int64(l.Files)},
		together: amount{together, together / bytesPerName},
	}
}

// prefix begins the names of hosts' directories in the base.
const prefix = "host-"

// makeBase makes the directory that our own is in, and returns its name. If
// another user was there first, it is a new one, which other hosts don't know:
// then it is not hidden from their guests.
func makeBase(base string) (string, error) {
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	var stat unix.Stat_t
	err := unix.Lstat(base, &stat)
	if err == nil && stat.Mode&^0o700 == unix.S_IFDIR && int(stat.Uid) == os.Geteuid() {
		return base, nil
	}
	return os.MkdirTemp(filepath.Dir(base), filepath.Base(base)+"-")
}

// start makes the directory, so that it can be hidden, and returns its base.
func (s *scratch) start() (base string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.open()
	return s.base, err
}

// open makes the directory. s.mu is held.
func (s *scratch) open() error {
	if s.dir != "" {
		return nil
	}
	dir, err := s.makeDir()
	if err != nil {
		return fmt.Errorf("hostwasm/worker: directory for /tmp: %w", err)
	}
	lock, err := locked(dir)
	if err != nil {
		os.RemoveAll(dir)
		return fmt.Errorf("hostwasm/worker: directory for /tmp: %w", err)
	}
	s.dir, s.lock = dir, lock
	s.remover.sweep(s.base)
	return nil
}

// makeDir makes the directory in the base.
func (s *scratch) makeDir() (dir string, err error) {
	for range 10 { // another host may find the base empty, and remove it
		if s.base, err = makeBase(s.base); err != nil {
			return "", err
		}
		if dir, err = os.MkdirTemp(s.base, prefix); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return dir, err
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

// use returns a session's directory. leave says that its command has ended.
func (s *scratch) use(session core.SessionID) (t *tmp, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, nil, err
	}
	t = s.all[session]
	if t == nil {
		t = &tmp{asker: askerOf(session)}
		if t.dir, err = os.MkdirTemp(s.dir, "tmp-"); err != nil {
			return nil, nil, err
		}
		// As /tmp is everywhere, which nobody else reaches: s.dir is ours alone.
		if err = os.Chmod(t.dir, 0o777|os.ModeSticky); err != nil {
			return nil, nil, err
		}
		s.all[session] = t
		if s.idle() > maxScratch {
			s.evict()
		}
	}
	s.clock++
	t.last = s.clock
	t.users++
	return t, func() { s.leave(t) }, nil
}

// leave takes back what was granted to a session and not used, when its last
// command has ended: before, nobody can tell.
func (s *scratch) leave(t *tmp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.users--
	for t.users == 0 && t.last > 0 { // else it was evicted, and has nothing
		last := t.last
		s.mu.Unlock()
		bytes, names, err := vfs.Measure(t.dir)
		s.mu.Lock()
		if t.last == last { // nobody came meanwhile
			// What can't be counted keeps all that it was granted: a guest may
			// have hidden it.
			if err == nil {
				s.used.add(t.used, -1)
				t.used = amount{bytes, names}
				s.used.add(t.used, 1)
			}
			return
		}
	}
}

// Workers ask for so much at once, if they need less.
var portion = amount{1 << 20, 64}

// maxAsked is more than any write wants at once, and little enough that sums of it
// don't wrap around.
const maxAsked = 1 << 40

// grant books what a worker asks for on its session: as much as a portion, or
// as that. It returns nothing where there is no room, or to a worker of a session
// that was evicted. Sessions that run no command go first.
func (s *scratch) grant(t *tmp, asked amount) amount {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.last == 0 || asked.bytes < 0 || asked.bytes > maxAsked || asked.names < 0 || asked.names > maxAsked {
		return amount{}
	}
	for {
		for _, a := range []amount{asked.roundedUp(), asked} {
			session, all := t.used, s.used
			session.add(a, 1)
			all.add(a, 1)
			if session.within(s.each) && all.within(s.together) {
				t.used, s.used = session, all
				return a
			}
		}
		session := t.used
		if session.add(asked, 1); !session.within(s.each) || !s.evict() {
			return amount{}
		}
	}
}

// roundedUp returns a in whole portions.
func (a amount) roundedUp() amount {
	up := func(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
	return amount{up(a.bytes, portion.bytes), up(a.names, portion.names)}
}

// idle returns how many sessions run no command.
func (s *scratch) idle() (n int) {
	for _, t := range s.all {
		if t.users == 0 && t.last > 0 {
			n++
		}
	}
	return n
}

// evict forgets the session that was used longest ago, of those that run no
// command, if there is one. Its files are removed later, by somebody else:
// meanwhile others start commands. They no longer count, so as long as there are
// many of them nothing more is evicted.
func (s *scratch) evict() bool {
	var oldest core.SessionID
	var found *tmp
	for id, t := range s.all {
		if t.users == 0 && t.last > 0 && (found == nil || t.last < found.last) {
			oldest, found = id, t
		}
	}
	if found == nil || !s.remover.leaving().within(amount{s.together.bytes / 4, s.together.names / 4}) {
		return false
	}
	delete(s.all, oldest)
	s.used.add(found.used, -1)
	s.remover.remove(found.dir, found.used, func() { s.dismiss(found) })
	found.used, found.last = amount{}, 0
	return true
}

func (s *scratch) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	s.remover.close()
	err := removeScratch(context.Background(), s.dir)
	s.lock.Close()
	os.Remove(s.base) // unless other hosts are there
	s.dir, s.all = "", make(map[core.SessionID]*tmp)
	return err
}

// tmp opens a session's /tmp to look something up.
func (h *Host) tmp(session core.SessionID) (vfs.FS, error) {
	t, leave, err := h.scratch.use(session)
	if err != nil {
		return nil, err
	}
	defer leave()
	return vfs.OpenHost(t.dir, vfs.HostOptions{ReadOnly: true})
}
