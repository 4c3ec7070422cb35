//go:build linux || darwin

package guard

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

// An area is a place that this program looks after, maybe with others.
type area struct {
	place
	snapshot *protect.Snapshot
	told     bool // its gaps were

	uses  int      // commands; guarded by the guard's mu
	users *os.File // the lock that says so to other programs; nil if there are none

	begun atomic.Uint64 // how often it began to be compared; changes with mu held

	mu     sync.Mutex // held while it is compared; guards base and failed
	base   version    // of the file, as it was when we read or wrote it
	failed error      // why the last time it was not compared
}

// A version tells a file from another one that has taken its name.
type version struct {
	ino   uint64
	mtime int64
}

// join uses a place that some program does. State is locked.
func (g *Guard) join(p place) (*area, error) {
	a, err := g.areaOf(p)
	if err == nil && a.users == nil {
		a.base = version{} // there is a newer one
		err = a.enter()
	}
	return a, err
}

// create uses a place that no program does. State is locked.
func (g *Guard) create(ctx context.Context, p place) (*area, error) {
	p.dir = filepath.Join(g.config.State, "areas", p.key())
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	a, err := g.areaOf(p)
	if err != nil {
		return nil, err
	}
	if err := a.snapshot.Update(ctx); err != nil {
		return nil, err
	}
	if err := a.describe(); err != nil {
		return nil, err
	}
	if err := a.save(); err != nil {
		return nil, err
	}
	return a, a.enter()
}

// describe tells other programs what the area is. Its files are there if we have used it before,
// and nobody has removed them since.
func (a *area) describe() error {
	name := filepath.Join(a.dir, "place")
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	text, err := json.Marshal(a.place)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

// areaOf returns our area of a place.
func (g *Guard) areaOf(p place) (*area, error) {
	if a := g.own(p.dir); a != nil {
		return a, nil
	}
	s, err := protect.Open(protect.Config{
		Roots: []string{p.Root}, Keep: filepath.Join(g.config.State, "kept"),
		Homes: g.config.Homes, Except: p.Except, Limits: g.config.Limits,
	})
	if err != nil {
		return nil, err
	}
	a := &area{place: p, snapshot: s}
	g.areas = append(g.areas, a)
	return a, nil
}

// own returns our area whose files are in dir, or nil.
func (g *Guard) own(dir string) *area {
	i := slices.IndexFunc(g.areas, func(a *area) bool { return a.dir == dir })
	if i < 0 {
		return nil
	}
	return g.areas[i]
}

// enter tells other programs that we use the area. State is locked.
func (a *area) enter() error {
	f, err := openLock(filepath.Join(a.dir, "users"), unix.O_CREAT)
	if err != nil {
		return err
	}
	if err := flock(f, unix.LOCK_SH); err != nil {
		f.Close()
		return err
	}
	a.users = f
	return nil
}

// leave tells them that we don't. Its files stay, for the next time.
func (a *area) leave() {
	a.users.Close()
	a.users = nil
}

// compare puts back what was changed since the base was taken.
func (a *area) compare(ctx context.Context, patience time.Duration) ([]protect.Change, error) {
	return a.compareSince(ctx, patience, a.begun.Load())
}

// compareSince is compare for who has asked when begun was asked. Where it was begun later, for
// somebody else, there is nothing left to do: of many commands that end at once each would
// wait for all before it, which takes minutes in a directory that they have filled.
func (a *area) compareSince(ctx context.Context, patience time.Duration, asked uint64) ([]protect.Change, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun.Load() != asked && a.failed == nil {
		return nil, nil
	}
	a.begun.Add(1)
	changes, err := a.compareNow(ctx, patience)
	a.failed = err
	return changes, err
}

// compareNow is compare with mu held.
func (a *area) compareNow(ctx context.Context, patience time.Duration) ([]protect.Change, error) {
	mendArea(a.dir)
	work, err := lockFile(ctx, filepath.Join(a.dir, "work"), patience)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	if err := a.refresh(); err != nil {
		return nil, err
	}
	changes, err := a.snapshot.Restore(ctx)
	return changes, errors.Join(err, a.save())
}

// refresh reads the base if another program has written it.
func (a *area) refresh() error {
	name := filepath.Join(a.dir, "base")
	now, err := versionOf(name)
	if err != nil || now == a.base {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := a.snapshot.Load(data); err != nil {
		return err
	}
	a.base = now
	return nil
}

// save writes the base for other programs, if the file has another one.
func (a *area) save() error {
	name := filepath.Join(a.dir, "base")
	if now, err := versionOf(name); err == nil && now == a.base && !a.snapshot.Changed() {
		return nil
	}
	data, err := a.snapshot.Save()
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	a.base, err = versionOf(name)
	return err
}

func versionOf(name string) (version, error) {
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		return version{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return version{st.Ino, st.Mtim.Nano()}, nil
}

// tellGaps returns what is not protected, once.
func (a *area) tellGaps() []protect.Gap {
	if a.told {
		return nil
	}
	a.told = true
	return slices.Clip(a.snapshot.Left())
}
