package driver

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// ErrClosed is returned by a Driver after Close.
var ErrClosed = errors.New("driver: closed")

// Config says what a Driver drives. Only Host is needed.
type Config struct {
	Host Host
	// Core is the machine's configuration. A zero Seed is replaced by a
	// random one.
	Core core.Config

	// Logger, if set, is told what becomes of terminals. A *slog.Logger is one.
	Logger Logger

	// Decide, if set, is asked before a command starts, and sets Core.Ask.
	// ctx ends when nobody waits for the answer any longer. See TerminalOf.
	Decide func(ctx context.Context, e core.Exec) core.Decision

	// OnNews, if set, hears the news of all terminals in order, one call at a
	// time, on a goroutine of its own. OutputChanged comes only if
	// Core.LiveBytes asks for it. The effect is lent. OnNews may call the
	// Driver, but not Close.
	OnNews func(e *core.Effect)
	// OnWork, if set, hears on the same goroutine, and in order with the news, what
	// is done to commands that run: of a Signal when it is sent, and of a Close when
	// nothing is left of the terminal. It is under the rules of OnNews.
	OnWork func(e *core.Effect)
	// OnRefused, if set, is called when a command was asked for and got no terminal:
	// c is invalid, or a limit is reached, as err says. Whoever asks waits for it. c
	// is lent.
	OnRefused func(s core.SessionID, c *core.Command, err error)
	// OnOutput, if set, is called with what a command writes, as it is, before
	// the terminal keeps it; so all calls for a terminal come before its
	// Exited, but for what background children write later. stream is 2 for
	// standard error on a pipe of its own, and 1 for all else, a pty included.
	// p is lent. A slow OnOutput slows the command down.
	OnOutput func(id core.TerminalID, stream uint8, p []byte)
	// OnKept, if set, is called when a terminal may show something else than before:
	// it has what OnOutput was called with, or another size. It is under the rules
	// of OnOutput, but may be called on several goroutines.
	OnKept func(id core.TerminalID)
	// OnRepaired, if set, is called with what was put back after a command, see
	// Repairer: before its Exited, and once more before its Close, if there is more by
	// then. It holds these up, and must not call the Driver.
	OnRepaired func(id core.TerminalID, list []Repair)
	// OnClosing, if set, is called when the last output of a terminal is there and
	// its process is freed, before its screen goes (see core.Terminal.Screen): who
	// shows it to a person can keep how that looks. t is lent, as by Look, and may
	// not be changed. OnClosing must not call the Driver. It may be after Exited or
	// before, and also comes for a command that was given up while it started.
	OnClosing func(t *core.Terminal)
}

// A Driver runs terminals on a Host. Its methods are safe for concurrent use.
type Driver struct {
	config Config
	log    Logger
	ctx    context.Context // ends with Close, for starts that a terminal's own end did not end
	cancel context.CancelFunc

	mu        sync.Mutex // guards the fields below and the registry half of terminals
	registry  *core.Registry
	terminals map[core.TerminalID]*terminal
	draining  map[*terminal]Pender // those that have ended, but their Exited is not told
	timer     *time.Timer
	closed    bool
	work      sync.WaitGroup // goroutines that serve terminals

	news     *news
	newsDone chan struct{}
}

// terminal is what the driver knows of a terminal, as long as the registry
// does.
type terminal struct {
	id      core.TerminalID
	session core.SessionID
	cancel  context.CancelFunc // of resolving, asking and starting
	ctx     context.Context

	mu      sync.Mutex // guards output and the fields below; comes after Driver.mu
	output  *core.Terminal
	half    *core.OutputHalf // what changes output; nil until there is a process
	silent  bool             // Process.Output has returned: what a Host hands in later is dropped
	changed bool             // an OutputChanged is among the news
	watched chan struct{}    // closed when it may show something else; nil if nobody waits for that

	doing atomic.Pointer[string] // what the host does to start it, see Doing

	// Guarded by Driver.mu.
	process  Process
	path     string        // of what runs; "" until it does
	reading  chan struct{} // closed when the output has ended
	control  lane          // Signal, Resize, Close
	input    lane          // WriteInput, CloseInput: may block, the others must not
	settled  chan struct{} // closed on Started or StartFailed
	err      error         // of StartFailed
	inputErr error         // the first of a write
	exit     chan struct{} // closed on Exited
	ended    core.Exit     // of Exited; set before exit is closed
	freed    bool          // nothing is left but output for display
}

// New returns a Driver without terminals. Close frees it.
func New(c Config) *Driver {
	if c.Core.Seed == [16]byte{} {
		rand.Read(c.Core.Seed[:]) // it never fails
	}
	c.Core.Ask = c.Decide != nil
	d := &Driver{
		config:    c,
		log:       LoggerOf(c.Logger),
		registry:  core.NewRegistry(c.Core),
		terminals: make(map[core.TerminalID]*terminal),
		draining:  make(map[*terminal]Pender),
		news:      newNews(),
		newsDone:  make(chan struct{}),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.timer = time.AfterFunc(time.Hour, d.timeout)
	d.timer.Stop()
	go d.tellNews() // ends when Close closes d.news
	return d
}

// Close releases every terminal, waits until nothing of them is left, and
// frees the driver. It takes as long as the commands take to die, at most
// Core.KillGrace and Core.LostAfter; and then as long as the Host takes to close
// its processes, and to give up what it was resolving or starting.
func (d *Driver) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		<-d.newsDone
		return nil
	}
	d.closed = true
	d.registry.CloseAll(time.Now())
	d.drain()
	d.mu.Unlock()

	d.work.Wait()
	d.cancel()
	d.mu.Lock()
	d.timer.Stop()
	d.mu.Unlock()
	d.news.close()
	<-d.newsDone
	return nil
}

// do changes the machine and carries out what comes of it.
func (d *Driver) do(change func(now time.Time)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(time.Now())
	d.drain()
}

func (d *Driver) timeout() {
	pending := d.pending()
	d.do(func(now time.Time) {
		for t, n := range pending {
			d.registry.HandleOutputPending(now, t.id, n)
		}
		d.registry.HandleTimeout(now)
	})
}

// pending returns how many bytes of each draining terminal nobody has read yet:
// our own silence says nothing about theirs.
func (d *Driver) pending() map[*terminal]int {
	d.mu.Lock()
	draining := maps.Clone(d.draining)
	d.mu.Unlock()
	bytes := make(map[*terminal]int, len(draining))
	for t, p := range draining {
		bytes[t] = p.OutputPending()
	}
	return bytes
}

// drain carries out the effects and sets the timer. d.mu is held; all that
// may block is left to other goroutines.
func (d *Driver) drain() {
	for e, ok := d.registry.NextEffect(); ok; e, ok = d.registry.NextEffect() {
		d.carryOut(&e)
	}
	at, ok := d.registry.Deadline()
	if !ok {
		d.timer.Stop()
		return
	}
	d.timer.Reset(time.Until(at))
}

// forget drops the freed terminals that the registry has forgotten. d.mu is held.
func (d *Driver) forget() {
	for id, t := range d.terminals {
		if _, kept := d.registry.Status(id); t.freed && !kept {
			delete(d.terminals, id)
		}
	}
}
