package hostnative

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

const (
	// maxKeepers is how many a pool has at once. All but one are for starts that
	// hang, each of which takes one.
	maxKeepers = 8

	// lostLimit is how long Close waits for the end of what a dead keeper has left. That is for the
	// next keeper to see to, which may take 20 s to start and 8 s to sweep.
	lostLimit = 30 * time.Second
)

var errHang = &fault{fmt.Sprintf("%d programs hang in their start", maxKeepers), unix.EAGAIN}

// A pool has keepers that are alike: most of the time one.
type pool struct {
	// start starts a keeper, and says of which other one it is a command. One that is
	// of none leaves its commands to the next one to end.
	start func() (one *keeper.Keeper, above *kept, err error)

	memory bool // that of commands is limited

	mu      sync.Mutex
	keepers []*kept       // that have not ended
	opening *opening      // the keeper that is being started, or nil
	freed   chan struct{} // closed when a keeper can be given a start
	closed  bool

	outdated []*kept // those that were replaced, had commands, and have not ended

	// idle, if not nil, is called some time after a command has ended. It is for
	// pools that are not for good.
	idle  func()
	timer *time.Timer
}

// An opening is the start of a keeper.
type opening struct {
	done chan struct{} // closed when err is known
	err  error
}

// A kept is a keeper and what we know of it.
type kept struct {
	*keeper.Keeper
	above    *kept         // that it is a command of, or nil
	since    time.Time     // when the start that it is busy with began, or zero
	spare    *room         // of its next command, or nil; guarded by the pool's mu
	cleared  chan struct{} // closed when it has ended, and what it has left was killed
	clearErr error         // why that was not so
}

func newPool(start func() (one *keeper.Keeper, above *kept, err error), l tree.Limits) *pool {
	return &pool{start: start, memory: l.Memory > 0, freed: make(chan struct{})}
}

// prepare starts the first keeper, if none was yet, and does not wait for it.
func (p *pool) prepare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keepers) == 0 && p.opening == nil {
		p.open()
	}
}

// open starts a keeper. mu is held, and opening is nil.
func (p *pool) open() {
	o := &opening{done: make(chan struct{})}
	p.opening = o
	go func() { // ends when the keeper is ready, or in some seconds
		one, above, err := p.start()
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil {
			p.add(one, above)
		} else {
			o.err = noKeeper(err)
		}
		p.opening = nil
		close(o.done)
	}()
}

// noKeeper is the error of a start when no keeper can be started.
func noKeeper(err error) error {
	f := &fault{text: "no keeper of commands: " + err.Error()}
	if errno, ok := errors.AsType[unix.Errno](err); ok && isTransient(errno) {
		f.cause = errno
	}
	return f
}

// add begins to use a keeper. mu is held.
func (p *pool) add(one *keeper.Keeper, above *kept) {
	added := &kept{Keeper: one, above: above, cleared: make(chan struct{})}
	p.keepers = append(p.keepers, added)
	p.free()
	go p.watch(added) // ends with the keeper
}

// free wakes all who wait for a keeper. mu is held.
func (p *pool) free() {
	close(p.freed)
	p.freed = make(chan struct{})
}

// watch waits for a keeper's end, and for that of all commands that it has left.
func (p *pool) watch(ended *kept) {
	<-ended.Gone()
	p.mu.Lock()
	isIt := func(other *kept) bool { return other == ended }
	p.keepers = slices.DeleteFunc(p.keepers, isIt)
	p.outdated = slices.DeleteFunc(p.outdated, isIt)
	p.free()
	p.mu.Unlock()
	p.endSpare(ended)
	ended.clearErr = ended.Ended()
	switch {
	case ended.above == nil && ended.Left():
		ended.clearErr = p.replace()
	case ended.above != nil && errors.Is(ended.clearErr, keeper.ErrGone):
		<-ended.above.cleared // that one has ended, too
		ended.clearErr = ended.above.clearErr
	}
	close(ended.cleared)
}

// replace starts a keeper to kill what another one has left.
func (p *pool) replace() error {
	next, _, err := p.start()
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.add(next, nil)
	closed := p.closed
	p.mu.Unlock()
	err = next.Swept()
	if closed {
		next.Close()
	}
	return err
}

// begin starts a command.
func (p *pool) begin(ctx context.Context, s spec) (command, error) {
	files := []int{int(s.files[0].Fd()), int(s.files[1].Fd()), int(s.files[2].Fd())}
	if s.cwd != nil {
		files = append(files, s.cwd.fd)
	}
	if stays := p.replaceOutdated(); stays && s.refused != nil {
		s.refused.add(fmt.Sprintf("what has come into its directories lately is out of its reach, while %d older commands run", maxOutdated))
	}
	for {
		one, err := p.borrow(ctx)
		if err != nil {
			return nil, err
		}
		c, err := p.startIn(ctx, one, keeper.Spec{Path: s.path, Argv: s.argv, Env: s.env, Ctty: s.ctty, Files: files})
		switch {
		case err == nil:
			return c, nil
		case err != keeper.ErrEnded:
			return nil, err
		}
	}
}

// startIn starts a command in a keeper that was borrowed, and in a room, if the keeper is
// one that is not believed.
func (p *pool) startIn(ctx context.Context, one *kept, s keeper.Spec) (command, error) {
	in, cgroup, err := p.roomFor(one)
	if err != nil {
		p.giveBack(one)
		return nil, err
	}
	if in == nil {
		c, err := one.Start(ctx, s, func() { p.giveBack(one) })
		if err != nil {
			return nil, err
		}
		return &remote{Command: c, keeper: one, pool: p}, nil
	}
	defer unix.Close(cgroup)
	s.Cgroup = cgroup
	answered := make(chan struct{})
	c, err := one.Start(ctx, s, func() {
		p.giveBack(one)
		close(answered)
	})
	if err == nil && !in.has(c.Pid()) {
		c.End(func() {})
		err = errNotInRoom
	}
	if err != nil {
		go func() { // ends when the keeper answers, or ends
			<-answered
			in.End(func() {})
		}()
		return nil, err
	}
	return &remote{Command: c, keeper: one, pool: p, room: in}, nil
}

// maxOutdated bounds how many keepers that were replaced a pool has at once: each lives as long as
// its commands. With more, the next stays, and its commands don't reach what has come since. Those
// whose last command has ended don't count: they need some time for their own end, and commands
// that are started quickly, one after the other, would be refused what they were handed over. Both
// together are maxEnding at the most, should their end take long.
const (
	maxOutdated = 4
	maxEnding   = 32
)

// replaceOutdated gives up keepers whose rules are not what they would be now: the next
// start has a new one. It reports whether one has to stay.
func (p *pool) replaceOutdated() (stays bool) {
	p.mu.Lock()
	keepers := slices.Clone(p.keepers)
	p.mu.Unlock()
	// To look takes a while where file systems are slow, and so no lock.
	keepers = slices.DeleteFunc(keepers, func(one *kept) bool { return one.above == nil || !one.Outdated() })
	p.mu.Lock()
	defer p.mu.Unlock()
	busy := 0
	for _, one := range p.outdated {
		if !one.Idle() {
			busy++
		}
	}
	for _, one := range keepers {
		at := slices.Index(p.keepers, one)
		if at < 0 || !one.since.IsZero() {
			continue // it has ended, or is starting a command just now
		}
		if busy == maxOutdated || len(p.outdated) == maxEnding {
			stays = true
			continue
		}
		p.keepers = slices.Delete(p.keepers, at, at+1)
		if !one.Idle() {
			p.outdated = append(p.outdated, one)
			busy++
		}
		go one.Close() // ends in a second, and the keeper with its last command
	}
	return stays
}

// borrow returns a keeper that can be given a start, until giveBack.
func (p *pool) borrow(ctx context.Context) (*kept, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var (
		tried  *opening // that was waited for
		waited bool     // for one of all keepers that there may be
	)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.keepers = slices.DeleteFunc(p.keepers, hasEnded)
		now := time.Now()
		patience := hangLimit
		for _, one := range p.keepers {
			if one.since.IsZero() {
				one.since = now
				return one, nil
			}
			patience = min(patience, hangLimit-now.Sub(one.since))
		}
		if !slices.ContainsFunc(p.keepers, func(one *kept) bool { return !one.hangs(now) }) {
			patience = hangLimit
			switch {
			case tried != nil && tried.err != nil:
				return nil, tried.err
			case p.opening != nil:
			case len(p.keepers) >= maxKeepers && waited:
				return nil, errHang
			case len(p.keepers) >= maxKeepers:
				waited = true // one may go on just now
			default:
				p.open()
			}
		}
		var opened <-chan struct{}
		if tried = p.opening; tried != nil {
			opened = tried.done
		}
		freed := p.freed
		p.mu.Unlock()
		wait(ctx, freed, opened, max(patience, time.Millisecond))
		p.mu.Lock()
	}
}

// hangs reports whether the start that it is busy with hangs.
func (one *kept) hangs(now time.Time) bool {
	return !one.since.IsZero() && now.Sub(one.since) >= hangLimit
}

func hasEnded(one *kept) bool {
	select {
	case <-one.Gone():
		return true
	default:
		return false
	}
}

// wait returns when one of these has happened.
func wait(ctx context.Context, freed, opened <-chan struct{}, patience time.Duration) {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-opened:
	case <-freed:
	case <-ctx.Done():
	case <-late.C:
	}
}

// giveBack says that the keeper has answered. One that was started because another
// hung is not kept for longer than its commands: the first that does not hang stays.
func (p *pool) giveBack(one *kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.since = time.Time{}
	stays := slices.IndexFunc(p.keepers, func(other *kept) bool { return !other.hangs(time.Now()) })
	for i := len(p.keepers) - 1; i > stays && stays >= 0; i-- {
		if other := p.keepers[i]; other.since.IsZero() {
			p.keepers = slices.Delete(p.keepers, i, i+1)
			go other.Close() // ends in a second
		}
	}
	p.free()
}

// idleLimit is how long a keeper that is not for good waits for another command.
const idleLimit = time.Minute

// ended says that a command has ended.
func (p *pool) ended() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.idle == nil:
	case p.timer == nil:
		p.timer = time.AfterFunc(idleLimit, p.idle)
	default:
		p.timer.Reset(idleLimit)
	}
}

// closeIdle ends the keepers that have no commands, and reports whether there are no
// others.
func (p *pool) closeIdle() (none bool) {
	p.mu.Lock()
	var idle []*kept
	p.keepers = slices.DeleteFunc(p.keepers, func(one *kept) bool {
		if !one.since.IsZero() || !one.Idle() {
			return false
		}
		idle = append(idle, one)
		return true
	})
	none = len(p.keepers) == 0 && p.opening == nil && len(p.outdated) == 0
	p.mu.Unlock()
	for _, one := range idle {
		one.Close()
		p.endSpare(one)
	}
	return none
}

// close ends the keepers that have no commands, and the others with their last one.
// What is started from then on has another one.
func (p *pool) close() {
	p.mu.Lock()
	for p.opening != nil {
		done := p.opening.done
		p.mu.Unlock()
		<-done
		p.mu.Lock()
	}
	keepers := p.keepers
	p.closed, p.keepers = true, nil
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	for _, one := range keepers {
		one.Close()
		p.endSpare(one)
	}
}

// A remote is the command of a keeper.
type remote struct {
	*keeper.Command
	keeper *kept
	pool   *pool

	mu   sync.Mutex
	room *room // or nil; from End on it may be another command's. Guarded by mu

	hasLeft atomic.Bool // nobody of the tree is in the room, nor will be
}

// in returns the room that the command is in, or nil if it has none, or none any longer.
func (r *remote) in() *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.room
}

// Cgroup returns the cgroup that the command was started in, or "".
func (r *remote) Cgroup() string {
	if in := r.in(); in != nil {
		return in.Cgroup()
	}
	return r.Command.Cgroup()
}

// Wait is tree.Tree's. Who is in a room is killed for its memory behind its keeper's back.
func (r *remote) Wait() (core.Exit, error) {
	exit, err := r.Command.Wait()
	if exit.Status.Signal == "SIGKILL" && exit.Reason == core.ReasonNone && r.outOfMemory() {
		exit.Reason = core.ReasonMemory
	}
	return exit, err
}

// Beyond is tree.Tree's. What the kernel has killed, the keeper may not have noticed yet.
func (r *remote) Beyond() core.Reason {
	why := r.Command.Beyond()
	if why == core.ReasonNone && r.outOfMemory() {
		why = core.ReasonMemory
	}
	return why
}

// Settled is keeper.Command's. That nobody is left in a room, which who is held by Landlock can't
// leave, the kernel says sooner than the keeper, which looks for orphans; and it is believed.
func (r *remote) Settled() <-chan struct{} {
	if in := r.in(); in != nil && r.keeper.HoldsFiles() && r.Exited() && in.isEmpty() {
		r.hasLeft.Store(true)
		return nobodyLeft
	}
	return r.Command.Settled()
}

// outOfMemory reports whether the kernel has killed somebody in the command's cgroup because of
// its limit. What a confined keeper says of its cgroups is not believed.
func (r *remote) outOfMemory() bool {
	if !r.pool.memory || r.in() == nil && r.keeper.above != nil {
		return false
	}
	c := strays.Cgroup(r.Cgroup())
	return c != "" && c.OutOfMemory()
}

// Signal is tree.Tree's.
func (r *remote) Signal(sig unix.Signal) error {
	err := r.Command.Signal(sig)
	if sig != unix.SIGKILL {
		return err
	}
	r.mu.Lock()
	in := r.room
	if in != nil {
		in.killed.Store(true) // before End could give the room to the next command
	}
	r.mu.Unlock()
	if in != nil {
		err = errors.Join(err, in.Signal(sig)) // whatever its keeper has done
	}
	return err
}

// End is tree.Tree's. What a keeper has left that has ended is killed when it returns.
func (r *remote) End(killed func()) error {
	errs := []error{r.Command.End(killed)}
	r.mu.Lock()
	in := r.room
	r.room = nil
	r.mu.Unlock()
	if in != nil {
		errs = append(errs, r.pool.vacate(r.keeper, in, r.hasLeft.Load()))
	}
	r.pool.ended()
	isGone := func(err error) bool { return errors.Is(err, keeper.ErrGone) }
	if !slices.ContainsFunc(errs, isGone) {
		return errors.Join(errs...)
	}
	late := time.NewTimer(lostLimit)
	defer late.Stop()
	select {
	case <-r.keeper.cleared:
		errs = append(slices.DeleteFunc(errs, isGone), r.keeper.clearErr)
	case <-late.C:
	}
	return errors.Join(errs...)
}
