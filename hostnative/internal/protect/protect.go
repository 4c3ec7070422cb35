//go:build linux || darwin

package protect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A Snapshot has what the protected files of some directories were. It is safe for concurrent use:
// its methods follow one another.
type Snapshot struct {
	limits Limits
	keep   string

	mu    sync.Mutex // guards what is below
	roots []*root

	changed     bool   // what it compares with may have, since Save
	looks       int    // at the roots, up to 2
	watch       *watch // nil if there is none
	watched     bool   // it has all that was looked at, and that is what it compares with
	unwatchable bool
}

// A root is one of the directories.
type root struct {
	path   string // without links
	fd     int
	id     info
	open   beneath
	home   bool
	homes  map[string]bool // below it
	except map[string]bool // below it, what is not looked at
	base   *scan
	extras map[string]kind // what configuration and links lead to, which is protected too
	// extrasAt changes with extras.
	extrasAt int
	lost     error // it is not there any more
}

// Config says what to protect.
type Config struct {
	Roots []string // directories, which may be below one another
	// where versions are kept aside: a directory of ours that commands can't write. It is made when
	// needed
	Keep  string
	Homes []string // home directories, whose startup files are protected if they are in Roots
	// Except are directories below Roots that are another's to protect. With what is in Keep, they
	// are not looked at.
	Except []string
	Limits
}

// Take remembers the protected files in the roots. Close releases it.
func Take(ctx context.Context, c Config) (*Snapshot, error) {
	s, err := Open(c)
	if err != nil {
		return nil, err
	}
	if err := s.Update(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Open returns a Snapshot that has seen nothing yet: Update or Load comes next. Close releases it.
func Open(c Config) (*Snapshot, error) {
	s := &Snapshot{limits: c.Limits.withDefaults(), keep: c.Keep}
	if !filepath.IsAbs(c.Keep) {
		return nil, fmt.Errorf("protect: %q can't keep what is set aside: it has to be an absolute path", c.Keep)
	}
	paths, err := outermost(c.Roots)
	if err != nil {
		return nil, err
	}
	keep := confine.Resolve(c.Keep)
	for _, p := range paths {
		if p == keep || within(p, keep) {
			s.Close()
			return nil, fmt.Errorf("protect: %q can't keep what is set aside: commands have all that is in it", c.Keep)
		}
		r, err := openRoot(p, c.Homes, append(slices.Clip(c.Except), keep))
		if err != nil {
			s.Close()
			return nil, err
		}
		s.roots = append(s.roots, r)
	}
	return s, nil
}

// outermost returns the directories that no other has, without links.
func outermost(roots []string) ([]string, error) {
	var paths []string
	for _, name := range roots {
		p, err := filepath.EvalSymlinks(name)
		if err == nil {
			p, err = filepath.Abs(p)
		}
		if err != nil {
			return nil, fmt.Errorf("protect: %w", err)
		}
		paths = append(paths, p)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(paths, func(o string) bool { return o != p && within(p, o) })
	}), nil
}

// within reports whether a path is a directory, or below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

func openRoot(name string, homes, except []string) (*root, error) {
	fd, err := again(func() (int, error) {
		return unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("protect: %w", &os.PathError{Op: "open", Path: name, Err: err})
	}
	r := &root{path: name, fd: fd, open: bestBeneath(fd), homes: map[string]bool{}, except: map[string]bool{}, base: newScan()}
	if r.id, err = stat(fd, ""); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("protect: %w", &os.PathError{Op: "stat", Path: name, Err: err})
	}
	for _, h := range homes {
		h = confine.Resolve(h)
		switch {
		case h == name:
			r.home = true
		case within(h, name):
			r.homes[r.below(h)] = true
		}
	}
	for _, e := range except {
		if e = confine.Resolve(e); within(e, name) {
			r.except[r.below(e)] = true
		}
	}
	return r, nil
}

// Close releases the directories. What has changed stays.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		unix.Close(r.fd)
	}
	s.roots = nil
	s.unwatch()
	return nil
}

// Update takes what is there now for what is to be there. It is for the time before a command, when
// no other is running: what has changed since is a person's doing.
func (s *Snapshot) Update(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quiet() {
		return nil
	}
	s.changed = true
	for range maxHops {
		s.forget()
		found, err := s.look(ctx, false)
		if err != nil {
			return err
		}
		again := false
		room := s.limits.Total
		for i, r := range s.roots {
			room = r.rebase(found[i].now, s.limits, room)
			again = r.follow() || again
		}
		again = again || s.cover()
		if !again {
			break
		}
	}
	return nil
}

// maxHops is how often configuration and links lead further.
const maxHops = 5

// rebase takes a scan as the base. Of files that are as they were what is held is used again.
func (r *root) rebase(now *scan, limits Limits, room int64) int64 {
	for name, l := range now.leaves {
		if was := r.base.leaves[name]; was != nil && was.loaded && was.untouched(l) {
			l.adopt(was)
		}
		room -= r.load(name, l, limits, room)
	}
	r.base = now
	return room
}

// look walks through all roots.
func (s *Snapshot) look(ctx context.Context, repair bool) ([]*walker, error) {
	dirs, files := s.limits.Dirs, s.limits.Files
	for _, r := range s.roots {
		dirs -= len(r.base.dirs)
		files -= len(r.base.leaves)
	}
	start := time.Now()
	var walkers []*walker
	for _, r := range s.roots {
		w := &walker{root: r, was: r.base, limits: s.limits, start: start, newDirs: dirs, newFiles: files, repair: repair}
		if err := r.still(); err != nil {
			r.lost = err
			w.now = newScan()
			w.now.unseen["."] = err.Error()
		} else if err := w.walk(ctx); err != nil {
			return nil, err
		} else {
			r.lost, dirs, files = nil, w.newDirs, w.newFiles
		}
		walkers = append(walkers, w)
	}
	return walkers, nil
}

var errMoved = errors.New("the directory is not there any more, or another one is")

// still returns an error if a root's path leads elsewhere. Where a directory above is closed to us
// nobody knows: its mode is what a command can change, and what is open is looked at all the same.
func (r *root) still() error {
	var st unix.Stat_t
	err := unix.Lstat(r.path, &st)
	if err == unix.EACCES {
		return nil
	}
	if err != nil || st.Ino != r.id.ino || uint64(st.Dev) != r.id.dev {
		return errMoved
	}
	return nil
}

// Left says what is not protected, the outermost paths only, and at most 100.
func (s *Snapshot) Left() []Gap {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gaps []Gap
	for _, r := range s.roots {
		for _, name := range slices.Sorted(maps.Keys(r.base.unseen)) {
			if len(gaps) == maxGaps {
				return append(gaps, Gap{r.path, "more is left out"})
			}
			gaps = append(gaps, Gap{r.full(name), r.base.unseen[name]})
		}
		for _, name := range slices.Sorted(maps.Keys(r.base.leaves)) {
			l := r.base.leaves[name]
			if len(gaps) < maxGaps && l.info.kind() == unix.S_IFREG && !l.held {
				gaps = append(gaps, Gap{r.full(name), "it is too large to be put back, or can't be read"})
			}
		}
	}
	return gaps
}

const maxGaps = 100

// Restore compares the files with what they were, puts back what is not, and says what it found. It
// is for the time after a command. The state that it leaves is what the next one compares with.
//
// What can't be put back has an error in its Change, and gets tried anew each time. Restore itself
// fails if ctx ends, and then some of it may be done.
func (s *Snapshot) Restore(ctx context.Context) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := &restoring{Snapshot: s, keeping: keeping{in: s.keep, limit: s.limits.Kept}, failed: map[string]bool{}}
	if s.quiet() {
		return nil, nil
	}
	s.changed = true
	// What another command changes meanwhile is found by the next round. The last only tells.
	for round := range maxRounds {
		s.forget()
		found, err := s.look(ctx, true)
		if err != nil {
			return run.changes, err
		}
		if run.round(found, round == maxRounds-1) == 0 && !s.cover() {
			break
		}
	}
	if len(run.failed) > 0 || run.unstable {
		s.watched = false // they are tried again
	}
	return run.changes, run.keeping.trim()
}

const maxRounds = 4
