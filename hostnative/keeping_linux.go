package hostnative

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// sweepLimit is how long a Host without a keeper waits for what dead hosts have left
// to die.
const sweepLimit = 2 * time.Second

var (
	errNoHelper = errors.New("no Config.Helper, and the program's main does not begin with helper.Main()")
	errNoKeeper = errors.New("turned off by the configuration")
)

// A keeping is what a Host has its commands kept by: keepers, or where there are none
// this program itself. The first keeper is started with the first command.
type keeping struct {
	config keeper.Config
	log    driver.Logger
	limits tree.Limits // of commands that are confined
	free   *pool       // of commands that are not confined, and of the other keepers
	next   reserve     // for the next keeper of commands that are confined
	apart  *pool       // of commands that are not confined, where others are

	mu       sync.Mutex
	confined map[confinement]*ward
	local    *tree.Containment // used if err is not nil
	err      error             // why there are no keepers
}

// A confinement is what commands have in common that one keeper can have: whatever
// such a command does, it does to these only.
type confinement struct {
	session core.SessionID
	rules   string
}

func newKeeping(c Config) *keeping {
	k := &keeping{
		config:   keeper.Config{Helper: c.Helper, Env: c.Env, NoCgroup: c.NoCgroup, Limits: c.Limits.ofTree()},
		confined: make(map[confinement]*ward),
		log:      driver.LoggerOf(c.Logger),
	}
	if c.Sandbox.on() {
		// A confined keeper makes no cgroups, and is in one that has as many processes as
		// a command may have. What else it may use is for its commands to use.
		k.limits, k.config.Limits = k.config.Limits, tree.Limits{Processes: c.Limits.Processes, RoomMemory: c.Limits.Memory}
		k.limits.Processes = 0
	}
	if c.Helper == "" && keeper.HasMain.Load() {
		k.config.Helper = "/proc/self/exe"
	}
	l := c.Limits.ofTree()
	k.free, k.apart = newPool(k.openFirst(), l), newPool(k.openApart(l), l)
	k.next.free = k.free
	switch {
	case c.NoKeeper:
		k.doWithout(errNoKeeper)
	case k.config.Helper == "":
		k.doWithout(errNoHelper)
		k.log.Warn("commands have no keeper", "err", errNoHelper)
	case keeper.Asked():
		// A program that was to be a keeper has come here because its main does
		// not begin with helper.Main. It must not start itself again.
		k.doWithout(fmt.Errorf("%s is set: we are a helper ourselves", keeper.Env))
	}
	return k
}

// openFirst returns what starts a keeper. If the first can't be started, there are
// none. Commands do not go without because there is none just now.
func (k *keeping) openFirst() func() (*keeper.Keeper, *kept, error) {
	had := false
	return func() (*keeper.Keeper, *kept, error) {
		if _, err := k.without(); err != nil {
			return nil, nil, err // and no second process of a program that has not asked for it
		}
		one, err := keeper.Open(k.config)
		k.mu.Lock()
		without := false
		switch {
		case err == nil:
			had = true
		case !had && !isTransient(err):
			without = true
			k.setWithout(err)
		}
		k.mu.Unlock()
		if without {
			k.log.Warn("commands have no keeper", "err", err)
		}
		return one, nil, err
	}
}

// openApart returns what starts a keeper of commands that are not confined but limited,
// where that of the other keepers must not be.
func (k *keeping) openApart(l tree.Limits) func() (*keeper.Keeper, *kept, error) {
	c := k.config
	c.Limits = l
	return func() (*keeper.Keeper, *kept, error) {
		one, err := keeper.Open(c)
		return one, nil, err
	}
}

// isTransient reports whether err says that the system has none left of something.
func isTransient(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

func (k *keeping) doWithout(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.setWithout(err)
}

// setWithout has this program keep its commands itself. mu is held.
func (k *keeping) setWithout(err error) {
	k.local = tree.New(tree.Config{NoCgroup: k.config.NoCgroup, Limits: k.config.Limits})
	k.err = err
	sweepOnce()
}

var sweepOnce = sync.OnceFunc(func() { strays.Sweep(sweepLimit) })

// without returns who keeps commands where there are no keepers, and why.
func (k *keeping) without() (*tree.Containment, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.local, k.err
}

// limited says why commands can't be limited as Config.Limits says, or nil.
func (k *keeping) limited() error {
	return tree.New(tree.Config{NoCgroup: k.config.NoCgroup, Limits: k.config.Limits}).Limited()
}

// confines says why commands can't be confined, or nil.
func (k *keeping) confines() error {
	_, err := k.without()
	return err
}

// prepare starts the first keeper, if none was yet, and does not wait for it. If commands are
// confined, it starts the process that becomes the first keeper of such.
func (k *keeping) prepare(c *confiner) {
	if _, err := k.without(); err != nil {
		return
	}
	k.free.prepare()
	if c != nil {
		k.next.begin(k.confinedConfig(c.rules))
	}
}

// confinedConfig is what a keeper is whose commands are confined.
func (k *keeping) confinedConfig(r confine.Rules) keeper.Config {
	c := k.config
	c.Rules, c.Limits = &r, k.limits
	return c
}

// start starts a command.
func (k *keeping) start(ctx context.Context, s spec) (command, error) {
	if local, _ := k.without(); local != nil {
		return startHere(local, s)
	}
	var c command
	var err error
	switch {
	case s.rules != nil:
		c, err = k.startConfined(ctx, s)
	case s.apart:
		c, err = k.apart.begin(ctx, s)
	default:
		c, err = k.free.begin(ctx, s)
	}
	if err == nil {
		return c, nil
	}
	if local, _ := k.without(); local != nil {
		return startHere(local, s)
	}
	return nil, err
}

// enter returns the ward of a command that is to be confined, until leave. Its keeper is
// being started then, while the caller does what else there is to do.
func (k *keeping) enter(c *confiner, session core.SessionID, r *rules) (*ward, error) {
	key := confinement{session, r.key}
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.confined[key]
	if w == nil {
		var err error
		if w, err = newWard(c, r); err != nil {
			return nil, err
		}
		w.pool = newPool(k.openConfined(r, w.asked()), k.limits)
		w.idle = func() { k.dismiss(key, w) }
		k.confined[key] = w
	}
	w.using++
	if k.err == nil {
		w.prepare()
	}
	return w, nil
}

func (k *keeping) leave(w *ward) {
	k.mu.Lock()
	w.using--
	k.mu.Unlock()
	w.ended() // its keeper may have been started in vain
}

// dismiss ends a session's keepers if they have nothing to do.
func (k *keeping) dismiss(key confinement, w *ward) {
	none := w.closeIdle()
	k.mu.Lock()
	done := none && w.using == 0 && k.confined[key] == w
	if done {
		delete(k.confined, key)
	}
	k.mu.Unlock()
	if done {
		w.end()
	}
}

// A confinedCommand is told of what it is refused.
type confinedCommand struct {
	command
	ward *ward
}

func (c confinedCommand) End(killed func()) error {
	defer c.ward.told.leave(c.Pid())
	return c.command.End(killed)
}

// startConfined starts a command in the keeper of its session.
func (k *keeping) startConfined(ctx context.Context, s spec) (command, error) {
	s.ward.told.expect(s.refused)
	c, err := s.ward.begin(ctx, s)
	if err != nil {
		s.ward.told.giveUp(s.refused)
		return nil, err
	}
	s.ward.told.enter(c.Pid(), s.refused)
	return confinedCommand{c, s.ward}, nil
}

// openConfined returns what starts a keeper that is confined: as a command of one that
// is not, and that ends all of it if need be.
func (k *keeping) openConfined(r *rules, asked func(questions int, mayEnter func(thread int) bool)) func() (*keeper.Keeper, *kept, error) {
	c := k.confinedConfig(r.Rules)
	c.Asked = asked
	return func() (*keeper.Keeper, *kept, error) {
		one, above, err := k.openSoon(c)
		if err == nil {
			k.next.refill(c)
		}
		return one, above, err
	}
}

// openSoon starts a keeper below another one, or takes the process that is ready to be one.
func (k *keeping) openSoon(c keeper.Config) (*keeper.Keeper, *kept, error) {
	if p, above := k.next.take(); p != nil {
		if one, err := p.Open(c); !errors.Is(err, keeper.ErrGone) {
			return one, above, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), confineLimit)
	defer cancel()
	above, err := k.free.borrow(ctx)
	if err != nil {
		return nil, nil, err
	}
	one, err := above.OpenBelow(ctx, c, func() { k.free.giveBack(above) })
	return one, above, err
}

// confineLimit is how long the start of a confined keeper may take.
const confineLimit = 30 * time.Second

// close ends the keepers that have no commands, and the others with their last one.
func (k *keeping) close() {
	k.mu.Lock()
	local := k.local
	var pools []*pool
	for _, w := range k.confined {
		pools = append(pools, w.pool)
		defer w.end()
	}
	clear(k.confined)
	k.mu.Unlock()
	k.next.close()
	for _, p := range append(pools, k.apart, k.free) { // those below first
		p.close()
	}
	if local != nil {
		local.Close()
	}
}

func (k *keeping) report() []Mechanism {
	none := func(err error) Mechanism { return Mechanism{Name: "keeper", Detail: err.Error()} }
	one, err := k.free.borrow(context.Background())
	if local, without := k.without(); local != nil {
		return append(mechanisms(local.Report()), none(without))
	}
	if err != nil {
		return []Mechanism{none(err)}
	}
	defer k.free.giveBack(one)
	list, err := one.Report()
	if err != nil {
		return []Mechanism{none(err)}
	}
	return append(mechanisms(list), Mechanism{Name: "keeper", Used: true, Detail: "process " + strconv.Itoa(one.Pid())})
}
