//go:build linux || darwin

package hostnative

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative/internal/guard"
	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

const (
	// compareLimit is how long it may take to compare after a command.
	compareLimit = 30 * time.Second
	// settlePatience is how long a command's end waits for the keeper to say that it has
	// left nobody. One that has left somebody is compared with now, and once more later.
	settlePatience = 20 * time.Millisecond
	// maxRepairs is how many files are told that were put back after one command.
	maxRepairs = 100
)

// A guarded command has the protected files of its directories compared after it.
type guarded struct {
	use   *guard.Use
	tells *refusals // at the end of the output

	once sync.Once // at the command's end

	mu   sync.Mutex // guards list and more
	list []driver.Repair
	more int // that are not in list
}

// guard begins to look after what a command may write. What can't be looked after is told.
func (c *confiner) guard(ctx context.Context, r *rules, tells *refusals) *guarded {
	use, err := c.guards.Begin(ctx, append(append([]string(nil), r.Roots...), r.Write...))
	if err != nil {
		tells.add(err.Error())
	}
	for _, gap := range use.Gaps() {
		tells.add("not protected: " + gap.String())
	}
	return &guarded{use: use, tells: tells}
}

// exited compares when the command has ended. What is left of its tree, if anything, may
// go on; then its end is that of c.
func (g *guarded) exited(c command, closing <-chan struct{}) {
	if g == nil {
		return
	}
	g.once.Do(func() {
		late := time.NewTimer(settlePatience)
		defer late.Stop()
		select {
		case <-c.Settled():
			g.end()
			return
		case <-late.C:
			// It may have come meanwhile, and both at once if this goroutine stood still. Who
			// compares again later, then, undoes what a person has changed since.
			select {
			case <-c.Settled():
				g.end()
				return
			default:
			}
		case <-closing:
			return // and Close compares
		}
		ctx, cancel := context.WithTimeout(context.Background(), compareLimit)
		defer cancel()
		g.tell(g.use.Compare(ctx))
		go func() { // ends with the tree, which Close ends
			select {
			case <-c.Settled():
				g.end()
			case <-closing:
			}
		}()
	})
}

// end compares when nothing of the command is left.
func (g *guarded) end() {
	if g == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), compareLimit)
	defer cancel()
	g.tell(g.use.End(ctx))
}

// tell notes down what was put back, for the end of the output and for Repairs.
func (g *guarded) tell(changes []protect.Change, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range changes {
		g.tells.add("protected: " + c.String())
		g.note(repairOf(c))
	}
	if err != nil {
		g.tells.add(err.Error())
		g.note(driver.Repair{Outcome: driver.Failed, Why: err.Error()})
	}
}

func (g *guarded) note(r driver.Repair) {
	if len(g.list) >= maxRepairs {
		g.more++
		return
	}
	g.list = append(g.list, r)
}

// take returns what was put back since it was last called.
func (g *guarded) take() []driver.Repair {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.list
	if g.more > 0 {
		list = append(list, driver.Repair{Outcome: driver.Failed, Why: fmt.Sprintf("%d more changes are not listed", g.more)})
	}
	g.list, g.more = nil, 0
	return list
}

func repairOf(c protect.Change) driver.Repair {
	r := driver.Repair{Path: c.Path, Change: string(c.Kind), Kept: c.Kept, Why: c.Why, Outcome: driver.PutBack}
	switch {
	case c.Err != nil:
		r.Outcome = driver.Failed
		if r.Why != "" {
			r.Why += "; "
		}
		r.Why += c.Err.Error()
	case c.Left:
		r.Outcome = driver.Left
	case c.Kind == protect.Created:
		r.Outcome = driver.TakenAway
	}
	return r
}
