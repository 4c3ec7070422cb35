package hostnative

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

const (
	// hangLimit is how long a start may take before others go to another keeper.
	hangLimit = time.Second

	// maxKeepers is how many a Host has at once. All but one are for starts that
	// hang, each of which takes one.
	maxKeepers = 8

	// sweepLimit is how long a Host without a keeper waits for what dead hosts have
	// left to die, and Close for what a dead keeper has left.
	sweepLimit = 2 * time.Second
	lostLimit  = 10 * time.Second
)

var (
	errNoHelper = errors.New("no Config.Helper, and the program's main does not begin with helper.Main()")
	errNoKeeper = errors.New("turned off by the configuration")
	errHang     = &fault{fmt.Sprintf("%d programs hang in their start", maxKeepers), unix.EAGAIN}
)

// A keeping is what a Host has its commands kept by: keepers, or where there are none
// this program itself. The first keeper is started with the first command.
type keeping struct {
	config keeper.Config

	mu      sync.Mutex
	keepers []*kept       // that have not ended
	opening chan struct{} // closed when a keeper that is being started is there, or is not
	freed   chan struct{} // closed when a keeper can be given a start
	closed  bool
	local   *tree.Containment // used if err is not nil
	err     error             // why there are no keepers
}

// A kept is a keeper and what we know of it.
type kept struct {
	*keeper.Keeper
	since    time.Time     // when the start that it is busy with began, or zero
	cleared  chan struct{} // closed when it has ended, and what it has left was killed
	clearErr error         // why that was not so
}

func newKeeping(c Config) *keeping {
	k := &keeping{
		config: keeper.Config{Helper: c.Helper, Env: c.Env, NoCgroup: c.NoCgroup, MaxProcesses: c.MaxProcesses},
		freed:  make(chan struct{}),
	}
	if c.Helper == "" && keeper.HasMain.Load() {
		k.config.Helper = "/proc/self/exe"
	}
	_, nested := os.LookupEnv(keeper.Env)
	switch {
	case c.NoKeeper:
		k.doWithout(errNoKeeper)
	case k.config.Helper == "":
		k.doWithout(errNoHelper)
	case nested:
		// A program that was to be a keeper has come here because its main does
		// not begin with helper.Main. It must not start itself again.
		k.doWithout(fmt.Errorf("%s is set: we are a helper ourselves", keeper.Env))
	}
	return k
}

// doWithout has this program keep its commands itself. Nothing else has happened yet,
// or mu is held.
func (k *keeping) doWithout(err error) {
	k.local = tree.New(tree.Config{NoCgroup: k.config.NoCgroup, MaxProcesses: k.config.MaxProcesses})
	k.err = err
	sweepOnce()
}

var sweepOnce = sync.OnceFunc(func() { strays.Sweep(sweepLimit) })

// limits says why commands can't be limited to so many processes, or nil.
func (k *keeping) limits() error { return tree.New(tree.Config{NoCgroup: k.config.NoCgroup}).Limits() }

// prepare starts the first keeper, if none was yet, and does not wait for it.
func (k *keeping) prepare() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil && len(k.keepers) == 0 && k.opening == nil {
		k.open()
	}
}

// open starts a keeper. mu is held, and opening is nil.
func (k *keeping) open() {
	opening := make(chan struct{})
	k.opening = opening
	first := len(k.keepers) == 0
	go func() { // ends when the keeper is ready, or in some seconds
		one, err := keeper.Open(k.config)
		k.mu.Lock()
		defer k.mu.Unlock()
		switch {
		case err == nil:
			k.add(one)
		case first:
			k.doWithout(err)
		}
		k.opening = nil
		close(opening)
	}()
}

// add begins to use a keeper. mu is held.
func (k *keeping) add(one *keeper.Keeper) {
	added := &kept{Keeper: one, cleared: make(chan struct{})}
	k.keepers = append(k.keepers, added)
	k.free()
	go k.watch(added) // ends with the keeper
}

// free wakes all who wait for a keeper. mu is held.
func (k *keeping) free() {
	close(k.freed)
	k.freed = make(chan struct{})
}

// watch waits for a keeper's end. If it has left commands, another one is started to
// kill them.
func (k *keeping) watch(ended *kept) {
	<-ended.Gone()
	k.mu.Lock()
	k.keepers = slices.DeleteFunc(k.keepers, func(other *kept) bool { return other == ended })
	k.free()
	k.mu.Unlock()
	defer close(ended.cleared)
	if ended.Idle() {
		return
	}
	next, err := keeper.Open(k.config)
	if err != nil {
		ended.clearErr = err
		return
	}
	k.mu.Lock()
	k.add(next)
	closed := k.closed
	k.mu.Unlock()
	<-next.Swept()
	if closed {
		next.Close()
	}
}

// borrow returns a keeper that can be given a start, until giveBack. All is nil if
// there are no keepers.
func (k *keeping) borrow(ctx context.Context) (*kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		if k.err != nil {
			return nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k.keepers = slices.DeleteFunc(k.keepers, hasEnded)
		now := time.Now()
		patience := hangLimit
		for _, one := range k.keepers {
			if one.since.IsZero() {
				one.since = now
				return one, nil
			}
			patience = min(patience, hangLimit-now.Sub(one.since))
		}
		hang := !slices.ContainsFunc(k.keepers, func(one *kept) bool { return now.Sub(one.since) < hangLimit })
		if hang && k.opening == nil {
			if len(k.keepers) == maxKeepers {
				return nil, errHang
			}
			k.open()
		}
		freed, opened := k.freed, k.opening
		k.mu.Unlock()
		wait(ctx, freed, opened, max(patience, time.Millisecond))
		k.mu.Lock()
	}
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
	case <-freed:
	case <-opened:
	case <-ctx.Done():
	case <-late.C:
	}
}

// giveBack says that the keeper has answered. One that was started because another
// hung is not kept for longer than its commands.
func (k *keeping) giveBack(one *kept) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one.since = time.Time{}
	k.free()
}

// start starts a command.
func (k *keeping) start(ctx context.Context, s spec) (command, error) {
	for {
		one, err := k.borrow(ctx)
		if err != nil {
			return nil, err
		}
		if one == nil {
			return k.startHere(s)
		}
		c, err := k.startWith(ctx, one, s)
		switch {
		case err == nil:
			return &remote{c, one}, nil
		case err != keeper.ErrEnded:
			return nil, err
		}
	}
}

func (k *keeping) startWith(ctx context.Context, one *kept, s spec) (*keeper.Command, error) {
	files := []int{int(s.files[0].Fd()), int(s.files[1].Fd()), int(s.files[2].Fd())}
	if s.cwd != nil {
		files = append(files, s.cwd.fd)
	}
	return one.Start(ctx, keeper.Spec{Path: s.path, Argv: s.argv, Env: s.env, Ctty: s.ctty, Files: files},
		func() { k.giveBack(one) })
}

func (k *keeping) startHere(s spec) (command, error) {
	ts := tree.Spec{Path: s.path, Argv: s.argv, Env: s.env, Ctty: s.ctty}
	for i, f := range s.files {
		ts.Files[i] = f.Fd()
	}
	if s.cwd != nil {
		ts.Dir = s.cwd.path
	}
	return k.local.Start(ts)
}

// A remote is the command of a keeper.
type remote struct {
	*keeper.Command
	keeper *kept
}

// End is tree.Tree's. What a keeper has left that has ended, the next one has killed
// when it returns.
func (r *remote) End(killed func()) error {
	err := r.Command.End(killed)
	if !errors.Is(err, keeper.ErrGone) {
		return err
	}
	late := time.NewTimer(lostLimit)
	defer late.Stop()
	select {
	case <-r.keeper.cleared:
	case <-late.C:
		return err
	}
	if r.keeper.clearErr != nil {
		return errors.Join(err, r.keeper.clearErr)
	}
	return nil
}

// close ends the keepers that have no commands, and the others with their last one.
func (k *keeping) close() {
	k.mu.Lock()
	for k.opening != nil {
		opening := k.opening
		k.mu.Unlock()
		<-opening
		k.mu.Lock()
	}
	keepers, local := k.keepers, k.local
	k.closed, k.keepers = true, nil // what is started from now on has another one
	k.mu.Unlock()
	for _, one := range keepers {
		one.Close()
	}
	if local != nil {
		local.Close()
	}
}

func (k *keeping) report() []Mechanism {
	none := func(err error) Mechanism { return Mechanism{Name: "keeper", Detail: err.Error()} }
	one, err := k.borrow(context.Background())
	switch {
	case err != nil:
		return []Mechanism{none(err)}
	case one == nil:
		return append(mechanisms(k.local.Report()), none(k.err))
	}
	defer k.giveBack(one)
	list, err := one.Report()
	if err != nil {
		return []Mechanism{none(err)}
	}
	return append(mechanisms(list), Mechanism{Name: "keeper", Used: true, Detail: "process " + strconv.Itoa(one.Pid())})
}
