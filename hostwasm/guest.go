package hostwasm

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// slice is how much fuel a guest gets at once, about a millisecond's worth.
// Between slices it can be ended.
const slice = 2 << 20

// A guest is one running module: a process of the sandbox.
type guest struct {
	job     *job
	name    string // argv[0], for messages
	entry   *entry // in the table of processes
	program *program
	account *account
	output  *wasi.Quota
	files   *vfs.Tree
	dir     string // the current directory, absolute
	wasi    *wasi.Process
	depth   int               // generations above it
	parent  uint32            // the number of who has started it, 0 for the first
	wall    time.Duration     // the longest it may run; 0 is without limit
	exited  func(wasi.Status) // nil but for a child
	stderr  *wasi.PipeWriter  // where a trap is told, or nil

	end    atomic.Pointer[error] // why it must end
	ctx    context.Context       // done when it must
	cancel context.CancelFunc

	// Of the goroutine that runs it.
	fuel    int64 // the last slice
	worked  int64 // by the host, since then
	memory  int64 // booked, in bytes
	refused bool  // memory that it asked for, and its module allows

	done chan struct{} // closed when it has ended; then these are final:
	exit core.Exit
	err  error
}

// begin returns what runs the guest. Where the engine has no room for another one,
// it waits for some, unless ctx ends or the guest is killed.
func (g *guest) begin(ctx context.Context) (run func() error, err error) {
	c := engine.RunConfig{
		Guest:     g.wasi,
		MaxMemory: uint64(g.mostMemory()),
		MaxStack:  int(g.job.stack()),
		Refill:    g.refill,
		Grow:      g.grow,
		Done: func(left int64, refused bool) {
			g.use(left)
			g.refused = g.refused || refused
		},
	}
	s, waits := g.program.Program.(engine.Starter)
	if !waits {
		return func() error { return g.program.Run(c) }, nil
	}
	defer context.AfterFunc(ctx, g.cancel)()
	return s.Start(c, g.ctx.Done())
}

// run runs the guest until it ends. Its descriptors are closed and its memory
// is given back when done is closed, and its children are being killed.
func (g *guest) run(run func() error) {
	defer g.cancel()
	if g.wall > 0 {
		defer g.job.compiling.AfterFunc(g.wall, func() { g.kill(&wasi.Limit{Reason: core.ReasonTimeout}) })()
	}
	g.err = run()
	if end := g.end.Load(); end != nil {
		g.err = *end // whatever it made of its end
	}
	g.exit.Status, g.exit.Reason = status(g.err, g.refused)
	g.exit.Usage.MaxRSS = g.memory
	g.tell()
	g.wasi.Close()
	g.account.giveMemory(g.memory)
	g.job.account.giveMemory(g.job.stack())
	g.account.giveProcess()
	g.job.processes.end(g.entry)
	if g.parent == 0 { // what is told of its requests is told of a command that runs
		g.job.exchanges.open.Wait(fetchedLimit)
	}
	close(g.done)
	if g.exited != nil {
		g.exited(g.childStatus())
	}
}

// maxMemory is the most that an address of 32 bits reaches, but for a page: so
// that no length overflows.
const maxMemory = 65535 << 16

// mostMemory returns how much linear memory the guest could have if it were alone.
func (g *guest) mostMemory() int64 {
	beside := g.job.account.mostMemory(math.MaxInt64) - g.job.stack()
	return g.account.mostMemory(max(min(beside, maxMemory), 0))
}

// kill ends the guest, for the reason err. Only the first one counts.
func (g *guest) kill(err error) {
	if g.end.CompareAndSwap(nil, &err) {
		g.cancel()
		g.wasi.Interrupt(err)
	}
}

// leave is how a guest has ended that must end and does not: it does nothing
// any more, but has not come back from a file system.
func (g *guest) leave() (e core.Exit) {
	e.Status, e.Reason = status(*g.end.Load(), false)
	return e
}

// refill is called when the guest has used its fuel up.
func (g *guest) refill(left int64) (int64, error) {
	err := g.use(left)
	if end := g.end.Load(); end != nil {
		return 0, *end
	}
	if err != nil {
		g.kill(err)
		return 0, err
	}
	g.fuel, g.worked = g.account.fuelLeft(slice), 0
	return g.fuel, nil
}

// use books what the guest has used of its last slice.
func (g *guest) use(left int64) error {
	used := g.fuel - left
	g.fuel = left
	return g.burn(used)
}

// work books what the host has done for the guest: a wasi.Limits.Fuel. Others may
// have used up what there was, as a child its parent's. Then a guest still has
// what is left of its slice, and so it has a slice of work.
func (g *guest) work(n int64) error {
	g.worked += n
	err := g.burn(n)
	if err == nil || g.worked < slice {
		return nil
	}
	g.kill(err)
	return err
}

func (g *guest) burn(used int64) error {
	g.exit.Usage.Fuel += uint64(used)
	g.entry.fuel.Store(g.exit.Usage.Fuel)
	return g.account.takeFuel(used)
}

// kept is what a guest has us keep, booked on its account: a wasi.Memory.
type kept struct{ *guest }

func (k kept) Take(n int64) bool {
	ok := k.account.takeMemory(n)
	k.refused = k.refused || !ok
	return ok
}

func (k kept) Give(n int64) { k.account.giveMemory(n) }

// grow is asked before the guest's memory grows.
func (g *guest) grow(from, to uint64) bool {
	n := int64(to - from)
	if !g.account.takeMemory(n) {
		return false
	}
	g.memory += n
	g.entry.memory.Store(g.memory)
	return true
}
