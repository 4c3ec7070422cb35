// Package process is the table of what the box runs as goroutines of one process: the commands of
// its shell, and its subshells in the background. They have numbers, parents and names as processes
// have, and end by signals, so that ps, kill, wait and $! agree. Beside them are the terminal's
// other processes, which the host knows: package proc.
package process

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A Process is a process of the table. A nil one is none: its methods do nothing. It is safe for
// concurrent use.
type Process struct {
	table  *table
	parent *Process // nil for the first
	start  time.Time
	cancel context.CancelCauseFunc

	reserved bool // the host has given its number

	mu       sync.Mutex // guards all below, but ended
	pid      int
	name     string // "" for that of args[0]
	args     []string
	replaced bool // by the next command
	catch    func(signal int) bool
	ignored  uint64 // signals, a bit for each
	signal   int    // that has ended it, or 0
	waited   int    // the signal that has ended the child that ended last, or 0
	ended    chan struct{}
}

// A table is all of them.
type table struct {
	mu   sync.Mutex // guards all below
	all  []*Process
	last int // the last number, where the host gives none
}

// key is that of a context's process. The interpreter finds it by it, which can't import this
// package: types that have no name are the same everywhere.
var key = struct{ Process struct{} }{}

// Without returns a context that is of no process: what runs with it can't end the one that ctx is
// of.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, key, (*Process)(nil))
}

// First returns the context of the program itself, and its process.
func First(ctx context.Context, args []string) (context.Context, *Process) {
	p := &Process{table: &table{}, args: args, start: time.Now()}
	p.table.all = []*Process{p}
	ctx, p.cancel = context.WithCancelCause(ctx)
	return context.WithValue(ctx, key, p), p
}

// Of returns the process that ctx is of, nil if there is none.
func Of(ctx context.Context) *Process {
	p, _ := ctx.Value(key).(*Process)
	return p
}

// Start makes a process of a command that ctx's one runs, which lasts until end. It returns the
// command's context. If the one is to be replaced it is that, and lasts as long as it did.
func Start(ctx context.Context, args []string) (_ context.Context, p *Process, end func()) {
	parent := Of(ctx)
	if parent == nil || parent.take(args) {
		return ctx, parent, func() {}
	}
	ctx = parent.Fork(ctx)
	p = Of(ctx)
	p.SetName("")
	p.SetArgs(args)
	return ctx, p, p.End
}

// take reports whether p was to be replaced, by the command args.
func (p *Process) take(args []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.replaced {
		return false
	}
	p.replaced, p.name, p.args, p.catch = false, "", args, nil
	return true
}

// Replace has the next command that p starts take its place, as exec does.
func (p *Process) Replace() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replaced = true
}

// Fork returns the context of a new child of p, which is called what p is, until End.
func (p *Process) Fork(ctx context.Context) context.Context {
	p.mu.Lock()
	child := &Process{
		table: p.table, parent: p, start: time.Now(), name: p.name, args: p.args, ignored: p.ignored, ended: make(chan struct{}),
	}
	p.mu.Unlock()
	ctx, child.cancel = context.WithCancelCause(ctx)
	p.table.add(child)
	return context.WithValue(ctx, key, child)
}

func (t *table) add(p *Process) {
	pid, err := proc.Reserve()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.last++
		pid = os.Getpid() + t.last
	}
	p.pid, p.reserved = pid, err == nil
	t.all = append(t.all, p)
}

// End takes p out of the table. What it runs is to have ended.
func (p *Process) End() {
	if p == nil {
		return
	}
	p.cancel(nil)
	if p.parent != nil {
		p.parent.wait(p.Signal())
	}
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(q *Process) bool { return q == p })
	close(p.ended)
}

// Number returns the number for a process of the host's that p becomes, 0 if the host has not given
// p one for that.
func (p *Process) Number() int {
	if p == nil || !p.reserved {
		return 0
	}
	return p.ID()
}

// ID returns the number.
func (p *Process) ID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid == 0 { // the first, of which nobody has asked
		var err error
		if p.pid, err = proc.Self(); err != nil {
			p.pid = os.Getpid()
		}
	}
	return p.pid
}

// ParentID returns the number of the parent.
func (p *Process) ParentID() int {
	if p.parent != nil {
		return p.parent.ID()
	}
	list, err := proc.List()
	if err != nil {
		return os.Getppid()
	}
	for _, l := range list {
		if l.PID == p.ID() {
			return l.Parent
		}
	}
	return 0
}

// Args returns the arguments.
func (p *Process) Args() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.args
}

// SetArgs says what p runs now.
func (p *Process) SetArgs(args []string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.args = args
}

// Name returns what SetName has said, "" if nothing.
func (p *Process) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// SetName says which script p runs, whose interpreter is args[0].
func (p *Process) SetName(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

// Signal returns the number of the signal that has ended p, 0 if none has.
func (p *Process) Signal() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.signal
}

func (p *Process) wait(signal int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited = signal
}

// Waited returns the number of the signal that has ended the child that ended last, 0 if none has:
// a status of 141 may be one that a command has chosen.
func (p *Process) Waited() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waited
}

// Status is what a shell makes of status, with which p has ended.
func (p *Process) Status(status int) int {
	if signal := p.Signal(); signal != 0 {
		return 128 + signal
	}
	return status
}

// Exit is Status for the program itself, which ends by the signal if it can.
func (p *Process) Exit(status int) int {
	if signal := p.Signal(); signal != 0 {
		proc.Signal(p.ID(), signal)
	}
	return p.Status(status)
}

// within reports whether p is q, or one of those that q has started.
func (p *Process) within(q *Process) bool {
	for ; p != nil; p = p.parent {
		if p == q {
			return true
		}
	}
	return false
}

// await waits a little until p has ended, so that who kills it finds it gone, as where others run
// meanwhile.
func (p *Process) await() {
	const most = 20 * time.Millisecond
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-p.ended:
	case <-late.C:
	}
}

func (t *table) list() []*Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.all)
}
