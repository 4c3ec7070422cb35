// Package process is the table of what the box runs as goroutines of one process: the commands of its shell, and its
// subshells in the background. They have numbers, parents and names as processes have, and end by signals, so that ps,
// kill, wait and $! agree. Beside them are the terminal's other processes, which the host knows: package proc.
package process

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A Process is a process of the table. A nil one is none: its methods do nothing. It is safe for concurrent use.
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
	ended    chan struct{}
}

// A table is all of them.
type table struct {
	mu   sync.Mutex // guards all below
	all  []*Process
	last int // the last number, where the host gives none
}

// key is that of a context's process. The interpreter finds it by it, which can't import this package: types that have
// no name are the same everywhere.
var key = struct{ Process struct{} }{}

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

// Start makes a process of a command that ctx's one runs, which lasts until end. It returns the command's context. If the
// one is to be replaced it is that, and lasts as long as it did.
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
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(q *Process) bool { return q == p })
	close(p.ended)
}

// Number returns the number for a process of the host's that p becomes, 0 if the host has not given p one for that.
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

// KillBelow sends a signal to all that p has started, and that those have.
func (p *Process) KillBelow(signal int) {
	if p == nil {
		return
	}
	for _, q := range p.table.list() {
		if q != p && q.within(p) {
			q.send(signal)
		}
	}
}

// Ignore says whether p, and what it starts from now on, ignores a signal.
func (p *Process) Ignore(signal int, ignored bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ignored &^= 1 << signal
	if ignored {
		p.ignored |= 1 << signal
	}
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

// Catch has deliver asked of each signal, but for SIGKILL, whether it is taken care of.
func (p *Process) Catch(deliver func(signal int) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catch = deliver
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

// Kill sends a signal to the process of that number, 0 for all and -1 for all others, if there is one: else it is ESRCH.
func (p *Process) Kill(pid, signal int) error {
	if pid == 0 || pid == -1 {
		return p.killAll(signal, pid == 0)
	}
	for _, q := range p.table.list() {
		if q.ID() != pid {
			continue
		}
		if q.send(signal) && !p.within(q) {
			q.await()
		}
		return nil
	}
	if proc.Signal(pid, signal) != nil {
		return syscall.ESRCH
	}
	return nil
}

// killAll sends a signal to all of the terminal, itself last.
func (p *Process) killAll(signal int, self bool) error {
	for _, i := range p.List() {
		if i.PID != p.ID() {
			p.Kill(i.PID, signal)
		}
	}
	if !self {
		return nil
	}
	p.send(signal)
	return nil
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

// await waits a little until p has ended, so that who kills it finds it gone, as where others run meanwhile.
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

const kill = 9

// harmless are the signals that end no process by default: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG and WINCH. Nothing can
// be stopped here.
const harmless = 1<<0 | 1<<17 | 1<<18 | 1<<19 | 1<<20 | 1<<21 | 1<<22 | 1<<23 | 1<<28

// send does what a signal does to p, and reports whether that ends it.
func (p *Process) send(signal int) bool {
	p.mu.Lock()
	catch, ignored := p.catch, p.ignored>>signal&1 != 0
	p.mu.Unlock()
	switch {
	case signal == kill && p.parent == nil:
		proc.Signal(p.ID(), signal)
	case signal != kill && (ignored || catch != nil && catch(signal)):
		return false
	}
	if harmless>>signal&1 != 0 {
		return false
	}
	p.mu.Lock()
	if p.signal == 0 {
		p.signal = signal
	}
	p.mu.Unlock()
	p.cancel(signalled(signal))
	return true
}

// signalled is the cause of a context that ended by a signal.
type signalled int

func (s signalled) Error() string { return "killed by a signal" }

// Signal is for the interpreter, which knows the method.
func (s signalled) Signal() int { return int(s) }

// An Info tells of a process.
type Info struct {
	PID, Parent int
	Running     bool // or it waits
	Ended       bool
	Start       time.Time
	CPU         time.Duration
	Name        string // of the script that it runs, "" if it is none
	Memory      uint64 // in bytes
	Args        []string
}

// fuelPerMillisecond is about how much of the host's fuel takes so long.
const fuelPerMillisecond = 2 << 20

// settle lets what was just started become what it is, as a system's processes have by the time that another program has
// started to list them.
func settle() {
	if runtime.GOARCH == "wasm" { // where one runs at a time
		runtime.Gosched()
		return
	}
	time.Sleep(5 * time.Millisecond)
}

// List returns all processes of the terminal, in the order of their numbers.
func (p *Process) List() (all []Info) {
	settle()
	known := map[int]int{}
	host, _ := proc.List()
	for i, h := range host {
		known[h.PID] = i
		all = append(all, Info{
			PID: h.PID, Parent: h.Parent, Running: h.State == proc.StateRunning, Ended: h.State == proc.StateEnded,
			Start: h.Start, CPU: time.Duration(h.Fuel/fuelPerMillisecond) * time.Millisecond, Memory: h.Memory, Args: h.Args,
		})
	}
	for _, q := range p.table.list() {
		info := Info{PID: q.ID(), Start: q.start, Name: q.Name(), Args: q.Args(), Running: q == p}
		if q.parent != nil {
			info.Parent = q.parent.ID()
		}
		i, ok := known[info.PID]
		switch {
		case ok && q.parent == nil: // the program, which may have become another command
			all[i].Name, all[i].Args, all[i].Running = info.Name, info.Args, info.Running
		case ok: // a module that the shell has started for it
			all[i].Parent = info.Parent
		case q.parent == nil:
			info.Parent = q.ParentID()
			all = append(all, info)
		default:
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return a.PID - b.PID })
	return all
}
