//go:build linux || darwin

package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

// A Config says where a Guard keeps what it knows.
type Config struct {
	State string   // an absolute path, of a directory that commands can't write; made when needed
	Homes []string // home directories, whose startup files are protected too
	// Patience is how long to wait for a lock that another program holds. If zero, 2 s.
	Patience time.Duration
	Limits   protect.Limits
}

// A Guard looks after directories. It is safe for concurrent use.
type Guard struct {
	config Config

	mu     sync.Mutex // guards areas, their uses, and what is in State as far as it is ours
	areas  []*area    // that this program uses, and some that it has used
	listed listing    // of State's areas
}

// maxIdle bounds the areas that are remembered without being used.
const maxIdle = 16

// New returns a Guard. It does nothing until Begin.
func New(c Config) *Guard {
	c.Patience = cmp.Or(c.Patience, 2*time.Second)
	return &Guard{config: c}
}

// A Use is a command that runs, with what is looked after for it. It is safe for
// concurrent use.
type Use struct {
	guard *Guard
	areas []*area
	gaps  []protect.Gap

	mu    sync.Mutex // held while it compares
	ended bool
}

// Begin is for the time before a command starts that may write in roots. End it, once it
// has ended with all that it has started, also if the error is not nil: then what could
// be looked after is.
func (g *Guard) Begin(ctx context.Context, roots []string) (*Use, error) {
	u := &Use{guard: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for _, name := range roots {
		root, err := filepath.EvalSymlinks(name)
		if err == nil {
			err = u.begin(ctx, root)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("protected files of %s are not looked after: %w", protect.Printable(name), err))
		}
	}
	return u, errors.Join(errs...)
}

// begin has a directory be looked after. The guard's mu is held.
func (u *Use) begin(ctx context.Context, root string) error {
	for _, a := range u.guard.areas {
		if a.uses > 0 && a.covers(root) && len(a.holes(root)) == 0 && a.still() {
			u.add(a)
			return nil
		}
	}
	lock, err := u.guard.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	known, err := u.guard.active()
	if err != nil {
		return err
	}
	return u.cover(ctx, root, known)
}

// cover adds the areas that have all of root, and makes the one that lacks. State is
// locked.
func (u *Use) cover(ctx context.Context, root string, known []place) error {
	var holes []string
	at := slices.IndexFunc(known, func(p place) bool { return p.covers(root) && p.still() })
	if at >= 0 {
		a, err := u.guard.join(known[at])
		if err != nil {
			return err
		}
		u.add(a)
		holes = a.holes(root)
	} else {
		p, err := newPlace(root, known)
		if err != nil {
			return err
		}
		a, err := u.guard.create(ctx, p)
		if err != nil {
			return err
		}
		u.add(a)
		u.gaps = append(u.gaps, a.tellGaps()...)
		holes = p.Except
	}
	for _, hole := range holes {
		if err := u.cover(ctx, hole, known); err != nil {
			return err
		}
	}
	return nil
}

func (u *Use) add(a *area) {
	if !slices.Contains(u.areas, a) {
		a.uses++
		u.areas = append(u.areas, a)
	}
}

// Gaps says what is not protected, of what was not said before.
func (u *Use) Gaps() []protect.Gap { return u.gaps }

// Compare puts back what was changed, whoever has. The error is about what could not be
// compared.
func (u *Use) Compare(ctx context.Context) ([]protect.Change, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil, nil
	}
	return u.compare(ctx)
}

func (u *Use) compare(ctx context.Context) ([]protect.Change, error) {
	var changes []protect.Change
	var errs []error
	u.guard.mend()
	for _, a := range u.areas {
		c, err := a.compare(ctx, u.guard.config.Patience)
		changes = append(changes, c...)
		if err != nil {
			errs = append(errs, fmt.Errorf("protected files of %s were not compared: %w", protect.Printable(a.Root), err))
		}
	}
	return changes, errors.Join(errs...)
}

// End compares for the last time, as Compare does. Later calls do nothing.
func (u *Use) End(ctx context.Context) ([]protect.Change, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil, nil
	}
	u.ended = true
	changes, err := u.compare(ctx)
	u.guard.leave(u.areas)
	return changes, err
}

// leave is for areas that a command does not use any longer.
func (g *Guard) leave(areas []*area) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range areas {
		if a.uses--; a.uses == 0 {
			a.leave()
		}
	}
	for i := 0; len(g.areas) > maxIdle && i < len(g.areas); {
		if g.areas[i].uses > 0 {
			i++
			continue
		}
		g.areas[i].snapshot.Close()
		g.areas = slices.Delete(g.areas, i, i+1)
	}
}

// Close forgets what is remembered of areas that no command uses.
func (g *Guard) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.areas) == 0 {
		return
	}
	lock, err := g.lock(context.Background())
	if err == nil { // else the next Begin of any program clears away
		defer lock.Close()
		defer g.active()
	}
	g.areas = slices.DeleteFunc(g.areas, func(a *area) bool {
		if a.uses > 0 {
			return false
		}
		a.snapshot.Close()
		return true
	})
}

// lock locks State.
func (g *Guard) lock(ctx context.Context) (*os.File, error) {
	g.mend()
	if err := os.MkdirAll(filepath.Join(g.config.State, "areas"), 0o700); err != nil {
		return nil, err
	}
	return lockFile(ctx, filepath.Join(g.config.State, "lock"), g.config.Patience)
}
