//go:build linux || darwin

package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A post is what a worker serves: the commands of one session that are handed over
// the same. A worker gives up all other files before its first command. So where a
// directory has come in the place of another, or was not there before, that is
// another post.
type post struct {
	tmp    *tmp   // of the session
	handed string // as handed.what
}

// A service is a worker in a post. All but ready is guarded by services.mu until
// that is closed.
type service struct {
	post
	ready  chan struct{} // closed when one of these is known:
	child  *child
	err    error
	cancel context.CancelFunc // of what finds it out

	users int         // commands that run, or are about to
	over  bool        // it takes no more of them
	timer *time.Timer // ends it, when it has been idle once
}

// services are all workers that serve sessions. It is safe for concurrent use.
type services struct {
	most int  // commands that a worker has at once
	once bool // a worker has one command, and then no other

	mu   sync.Mutex
	all  map[post][]*service
	idle []*service // the one that has been idle for longest comes first
	done bool       // nothing begins or ends any longer

	busy sync.WaitGroup // what begins a service, or ends one
}

// A worker has at most so many threads that wait for something, and so many
// commands at once, whose guests may each take one.
const (
	maxWaiting     = 900 // of maxThreads
	maxCommands    = 16
	wasmtimeGuests = 256 // as many as package wasmtime runs at once
)

// newServices returns services of workers on an engine, which keep to l. A worker
// with deterministic commands has one, alone.
func newServices(engine string, l hostwasm.Limits, deterministic bool) *services {
	guests := maxWaiting
	if engine == "wasmtime" {
		guests = wasmtimeGuests
	}
	return &services{
		most: min(max(guests/max(l.Processes, 1), 1), maxCommands), once: deterministic,
		all: make(map[post][]*service),
	}
}

// idleLimit is how long a worker is kept that runs nothing, and maxIdle how many
// such workers there are: each has compiled code in its memory, 70 MB if that is
// the box.
var (
	idleLimit = time.Minute
	maxIdle   = 16
)

// join returns a service of a post for one more command, which leaves it when it is
// gone. If there is none, begin finds a worker for it, and joined is false.
func (v *services) join(p post, begin func(context.Context) (*child, error)) (s *service, joined bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.all[p] {
		if !s.over && s.users < v.most {
			s.users++
			v.rouse(s)
			return s, true
		}
	}
	s = &service{post: p, ready: make(chan struct{}), users: 1, over: v.once}
	if v.done {
		s.err = errClosed
		close(s.ready)
		return s, true
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	v.all[p] = append(v.all[p], s)
	v.busy.Go(func() { // ends when the worker is ready, or with the host
		defer s.cancel()
		child, err := begin(ctx)
		v.began(s, child, err)
	})
	return s, false
}

// began notes what has become of the beginning of a service.
func (v *services) began(s *service, child *child, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.child, s.err = child, err
	close(s.ready)
	if err != nil {
		v.remove(s)
		return
	}
	go func() { // ends with the worker
		<-child.ended
		v.mu.Lock()
		defer v.mu.Unlock()
		v.remove(s)
	}()
	if s.users == 0 { // nobody waits for it any longer
		v.end(s)
	}
}

// rouse has a service not be idle any longer, if it is. v.mu is held.
func (v *services) rouse(s *service) {
	if s.timer != nil {
		s.timer.Stop()
	}
	v.idle = slices.DeleteFunc(v.idle, func(other *service) bool { return other == s })
}

// leave notes that a command of a service is gone.
func (v *services) leave(s *service) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	select {
	case <-s.ready:
	default:
		s.over = true
		s.cancel() // began does the rest
		return
	}
	switch {
	case s.child == nil:
	case s.over || s.child.worn():
		v.end(s)
	default:
		s.timer = time.AfterFunc(idleLimit, func() { v.expire(s) })
		v.idle = append(v.idle, s)
		if len(v.idle) > maxIdle {
			v.end(v.idle[0])
		}
	}
}

// expire ends a service that is idle.
func (v *services) expire(s *service) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.users == 0 && !s.over {
		v.end(s)
	}
}

// end ends a service that has no commands. v.mu is held.
func (v *services) end(s *service) {
	s.over = true
	v.rouse(s)
	if !v.done {
		v.busy.Go(func() { s.child.close() }) // an error means that it is left behind
	}
}

// remove forgets a service whose worker has ended, or never began. v.mu is held.
func (v *services) remove(s *service) {
	s.over = true
	v.rouse(s)
	v.all[s.post] = slices.DeleteFunc(v.all[s.post], func(other *service) bool { return other == s })
	if len(v.all[s.post]) == 0 {
		delete(v.all, s.post)
	}
}

// giveUp has a service take no more commands.
func (v *services) giveUp(s *service) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.over = true
}

// dismiss ends the workers of a session that runs no command, and waits for them.
func (v *services) dismiss(t *tmp) {
	v.mu.Lock()
	var ending []*service
	for p, all := range v.all {
		if p.tmp == t {
			ending = append(ending, all...)
		}
	}
	for _, s := range ending {
		s.over = true
		s.cancel()
	}
	v.mu.Unlock()
	for _, s := range ending {
		<-s.ready
		if s.child != nil {
			s.child.close() // an error means that it is left behind, and does nothing any more
		}
	}
}

// close waits until nothing begins or ends any longer. All workers must have been
// ended, and no more be started.
func (v *services) close() {
	v.mu.Lock()
	v.done = true
	v.mu.Unlock()
	v.busy.Wait()
}
