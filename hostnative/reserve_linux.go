package hostnative

import (
	"context"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
)

// A reserve has a process that becomes the keeper of the next session that needs one: to start
// a process, and to make the rules that all sessions have in common, takes most of the time
// that the first command of a session waits. One is started when the first command is resolved,
// and then with the second keeper, as most programs have one session. It ends when nobody has
// asked for it in idleLimit.
type reserve struct {
	free *pool // whose keepers it is below

	mu    sync.Mutex
	asked int // keepers
	// closed when process was started, or could not be; nil if it is not being started
	filling chan struct{}
	process *keeper.Reserve // or nil
	above   *kept           // that process is a command of
	closed  bool            // there is none any more
	timer   *time.Timer     // ends the process
}

// take returns the process, and of which keeper it is a command, or nil if there is none. It waits
// for one that is being started.
func (r *reserve) take() (*keeper.Reserve, *kept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if filling := r.filling; filling != nil {
		r.mu.Unlock()
		<-filling // in confineLimit
		r.mu.Lock()
	}
	p, above := r.process, r.above
	r.process, r.above = nil, nil
	if p != nil {
		r.timer.Stop()
	}
	return p, above
}

// begin starts the first process for c, or for what is like it, and does not wait for it.
func (r *reserve) begin(c keeper.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == 0 {
		r.fill(c)
	}
}

// refill starts another one, if more than one keeper was asked for.
func (r *reserve) refill(c keeper.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked > 1 {
		r.fill(c)
	}
}

// fill starts a process, unless there is one. mu is held.
func (r *reserve) fill(c keeper.Config) {
	if r.process != nil || r.filling != nil || r.closed {
		return
	}
	filling := make(chan struct{})
	r.filling = filling
	go func() { // ends when the process is started, or in confineLimit
		defer close(filling)
		p, above, err := r.start(c)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.filling = nil
		switch {
		case err != nil: // the session does without
		case r.closed:
			go p.Close() // ends in a second
		default:
			r.process, r.above = p, above
			r.timer = time.AfterFunc(idleLimit, r.empty)
		}
	}()
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
