package hostnative

import (
	"context"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
)

// A reserve has a process that becomes the keeper of the next session that needs one: to start a
// process, and to make the rules that all sessions have in common, takes most of the time that the
// first command of a session waits. It has none before the second keeper was asked for, as most
// programs have one session, and none that nobody has asked for in idleLimit.
type reserve struct {
	free *pool // whose keepers it is below

	mu      sync.Mutex
	asked   int             // keepers
	process *keeper.Reserve // or nil
	above   *kept           // that process is a command of
	filling bool            // a process is being started
	closed  bool            // there is none any more
	timer   *time.Timer     // ends the process
}

// take returns the process, and of which keeper it is a command, or nil if there is none.
func (r *reserve) take() (*keeper.Reserve, *kept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	p, above := r.process, r.above
	r.process, r.above = nil, nil
	if p != nil {
		r.timer.Stop()
	}
	return p, above
}

// fill starts a process for c, or for what is like it, if there is to be one.
func (r *reserve) fill(c keeper.Config) {
	r.mu.Lock()
	enough := r.asked < 2 || r.process != nil || r.filling || r.closed
	r.filling = r.filling || !enough
	r.mu.Unlock()
	if enough {
		return
	}
	p, above, err := r.start(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.filling = false
	switch {
	case err != nil: // the next session does without
	case r.closed:
		go p.Close() // ends in a second
	default:
		r.process, r.above = p, above
		r.timer = time.AfterFunc(idleLimit, r.empty)
	}
}

func (r *reserve) start(c keeper.Config) (*keeper.Reserve, *kept, error) {
	ctx, cancel := context.WithTimeout(context.Background(), confineLimit)
	defer cancel()
	above, err := r.free.borrow(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := above.Reserve(ctx, c, func() { r.free.giveBack(above) })
	return p, above, err
}

// empty ends the process, if there is one.
func (r *reserve) empty() {
	r.mu.Lock()
	p := r.process
	r.process, r.above = nil, nil
	r.mu.Unlock()
	if p != nil {
		p.Close()
	}
}

// close has there be no process any more.
func (r *reserve) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.empty()
}
