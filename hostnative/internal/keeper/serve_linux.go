package keeper

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// sweepLimit is how long a keeper waits for what dead hosts have left to die, and
// endLimit for what its own has left.
const (
	sweepLimit = 8 * time.Second // less than the host waits for it
	endLimit   = 10 * time.Second
)

// reapPause is between the end of an orphan and the moment that it is reaped: often
// there are some at once.
const reapPause = 50 * time.Millisecond

// A keeping is the keeper's side.
type keeping struct {
	socket
	containment *tree.Containment
	work        sync.WaitGroup // requests, waits, the sweep

	starts    sync.Mutex // held while a command is started, and while garbage is collected
	collected uint64     // bytes that had been allocated then; guarded by starts

	rules *confine.Rules // what this process is confined to, and its commands, or nil

	mu     sync.Mutex
	trees  map[uint64]endable // trees and rooms that were not ended
	ending bool               // none is to be added
}

// An endable is a tree.Tree or a tree.Room.
type endable interface {
	Signal(sig unix.Signal) error
	SignalGroup(sig unix.Signal) error
	End(killed func()) error
}

// Serve is the keeper: it serves the host that has started this process, and returns
// when that one is gone and nothing of its commands is left.
func Serve() error {
	s, err := takeSocket()
	if err != nil {
		return fmt.Errorf("standard input is not a host's: %w", err)
	}
	os.WriteFile("/proc/self/comm", []byte("terrarium-keep"), 0) // for ps(1), in place of "exe"
	// What commands may not read in /proc: the environments of others, on their way.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_DUMPABLE", err)
	}
	standFast()
	stayAwake()
	c := tree.Config{Subreaper: true}
	r := newReceiver(s, true)
	var rules *confine.Rules
	as := os.Getenv(Env)
	switch as {
	case asConfined, asLimited:
		o, err := handedOn()
		if err != nil {
			return err
		}
		c.NoCgroup, c.Limits = o.NoCgroup, o.Limits
		if as == asLimited {
			break
		}
		// It can't make cgroups, and is in one that whoever keeps it has made.
		c.NoCgroup, c.Below = true, os.Getenv(strays.Env)
		if rules, err = confinedRules(); err != nil {
			return err
		}
	default:
		m, prepared, err := r.greeting()
		if err == io.EOF {
			return nil // there is nothing to keep
		}
		if err != nil {
			return err
		}
		var o order
		if err := json.Unmarshal([]byte(m.Text), &o); err != nil {
			return err
		}
		o.NoCgroup = m.Flag
		if o.Rules != nil || o.Limits.OpenFiles > 0 {
			return serveAgain(s, o, prepared)
		}
		c.NoCgroup, c.Limits = o.NoCgroup, o.Limits
	}
	k := &keeping{socket: s, rules: rules, trees: make(map[uint64]endable)}
	c.Looked = k.collect
	k.containment = tree.New(c)
	if err := cmp.Or(k.containment.Limited(), c.Limits.Inherit()); err != nil {
		return err
	}
	limits, err := json.Marshal(c.Limits)
	if err != nil {
		return err
	}
	if err := k.send(message{Kind: ready, Text: string(limits)}); err != nil {
		return err
	}
	go k.reap() // ends with this process
	k.work.Go(func() {
		k.send(message{Kind: swept, Flag: as == asConfined || strays.Sweep(sweepLimit)})
	})
	for {
		m, files, err := r.receive()
		if err != nil {
			break // the host is gone, or not in its senses
		}
		k.handle(m, files)
	}
	k.endAll()
	return nil
}

// greeting returns hello, and what was prepared before it, or nil.
func (r *receiver) greeting() (hi message, prepared *confine.Prepared, err error) {
	for {
		m, files, err := r.receive()
		closeAll(files)
		switch {
		case err != nil:
			return m, nil, err
		case m.Kind == hello:
			return m, prepared, nil
		case m.Kind != prepare || prepared != nil:
			return m, nil, errMessage
		}
		var rules confine.Rules
		if err := json.Unmarshal([]byte(m.Text), &rules); err != nil {
			return m, nil, err
		}
		prepared, _ = confine.Prepare(rules) // what can't be prepared is told when it is asked for
	}
}

// An order is what hello's Text is, in JSON.
type order struct {
	Limits tree.Limits
	Rules  *confine.Rules // what commands are confined to, or nil
	Asks   bool           // the host decides about calls, as far as the kernel can ask it

	// NoCgroup is hello's Flag, for a keeper that executes itself again.
	NoCgroup bool
}

// takeSocket returns the socket that is standard input, and puts /dev/null there: a
// command must not inherit it.
func takeSocket() (socket, error) {
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return socket{}, err
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Dup3(null, 0, 0)
		unix.Close(null)
	}
	if err != nil {
		unix.Close(fd)
		return socket{}, err
	}
	return newSocket(fd)
}

// standFast has this process outlive signals: whoever ends the host gently does not
// mean its keeper, which has to end the commands first. They are caught, not ignored,
// so that commands begin without. What was ignored from the beginning is for the
// commands to inherit, by nohup(1) for one. The kernel is asked: package signal knows
// of HUP and INT only.
func standFast() {
	ignored := strays.ReadSignals(os.Getpid())
	caught := make(chan os.Signal, 1)
	for sig := syscall.Signal(1); sig < 65; sig++ {
		switch sig {
		case unix.SIGKILL, unix.SIGSTOP: // can't be caught
		// These are faults of ours.
		case unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGABRT, unix.SIGSYS:
		// These are the runtime's own, or have no effect.
		case unix.SIGCHLD, unix.SIGURG, unix.SIGPROF, 32, 33:
		default:
			if !ignored.Ignores(sig) {
				signal.Notify(caught, sig) // a full channel drops them
			}
		}
	}
}

// stayAwake has this process do its other work while a start hangs.
//
// From fork to execve(2) the thread that starts a command stands still, and Go counts
// it as one that runs Go code. It takes one of GOMAXPROCS for as long. And the garbage
// collector, as any change of GOMAXPROCS, begins by stopping all threads that run Go
// code: it would wait for that one, and all others with it. So there are two, for
// good, and garbage is collected between starts only (collect).
func stayAwake() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(math.MaxInt64) // whatever GOMEMLIMIT says
}

// collectAt is how many bytes of garbage there may be. A start leaves some 20 KiB.
const collectAt = 4 << 20

// collect collects garbage if there is enough of it, unless a command is being started.
func (k *keeping) collect() {
	if !k.starts.TryLock() {
		return
	}
	defer k.starts.Unlock()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	if n := allocated[0].Value.Uint64(); n-k.collected > collectAt {
		k.collected = n
		runtime.GC()
	}
}

// reap reaps orphans when there may be some: nobody else waits for them.
func (k *keeping) reap() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	for range ended {
		time.Sleep(reapPause)
		k.containment.ReapOrphans()
		k.collect()
	}
}

// handle begins with what m asks for.
func (k *keeping) handle(m message, files []int) {
	if m.Kind == start {
		k.work.Go(func() { k.start(m, files) })
		return
	}
	closeAll(files)
	switch m.Kind {
	case signalTree, signalGroup, end:
		k.work.Go(func() { k.answer(m, k.do(m)) })
	case room:
		k.work.Go(func() { k.makeRoom(m.ID) })
	case report:
		k.work.Go(func() {
			answer := message{Kind: done, ID: m.ID}
			for _, mechanism := range k.containment.Report() {
				answer.List = append(answer.List, mechanism.Name, strconv.FormatBool(mechanism.Used), mechanism.Detail)
			}
			k.send(answer)
		})
	}
}

// start starts the command m. What goes on until its end takes a goroutine that has
// not grown for this, and does not hold m: there may be thousands.
func (k *keeping) start(m message, files []int) {
	t, err := k.startTree(m, files)
	closeAll(files)
	if err != nil {
		answer := message{Kind: failed, ID: m.ID}
		answer.setFault(err)
		k.send(answer)
		return
	}
	if !k.add(m.ID, t) {
		return
	}
	k.send(message{Kind: started, ID: m.ID, Number: int64(t.Pid()), Text: t.Cgroup()})
	id := m.ID
	waitsForBoth := k.rules != nil && !m.inRoom()
	k.work.Go(func() { k.follow(id, t, waitsForBoth) })
}

// add has t known by id, until it is ended. Where all are ended already, t is too.
func (k *keeping) add(id uint64, t endable) bool {
	k.mu.Lock()
	k.trees[id] = t
	late := k.ending
	k.mu.Unlock()
	if late {
		t.End(func() {})
	}
	return !late
}

// makeRoom makes a room for a command that another keeper is going to start.
func (k *keeping) makeRoom(id uint64) {
	r, err := k.containment.NewRoom()
	if err != nil {
		answer := message{Kind: failed, ID: id}
		answer.setFault(err)
		k.send(answer)
		return
	}
	if k.add(id, r) {
		k.send(message{Kind: started, ID: id, Text: r.Cgroup()})
	}
}

// follow tells of a command's end, and that it has left nobody. Of a confined command's end the
// host tells nobody before it knows both. In a room it sees for itself whether somebody is left;
// else it waits for both of us, and one message has both.
func (k *keeping) follow(id uint64, t *tree.Tree, waitsForBoth bool) {
	exit, err := t.Wait()
	if errors.Is(err, os.ErrClosed) {
		return // it is being ended
	}
	news := message{Kind: exited, ID: id, Exit: exit}
	if err != nil {
		news.Text = err.Error()
	}
	news.Flag = waitsForBoth && k.settle(id, t)
	k.send(news)
	if !news.Flag && k.settle(id, t) {
		k.send(message{Kind: settled, ID: id})
	}
}

// settle forgets a command if nobody of its tree is left.
func (k *keeping) settle(id uint64, t *tree.Tree) bool {
	if !t.Settle() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.trees, id)
	return true
}

func (k *keeping) startTree(m message, files []int) (*tree.Tree, error) {
	if len(files) < 3 || len(m.List) == 0 {
		return nil, errMessage
	}
	id := m.ID // not m, which has all variables
	s := tree.Spec{Path: m.Text, Argv: m.List, Env: m.Env, Ctty: m.Flag, Exceeded: func(why core.Reason) {
		k.send(message{Kind: exceeded, ID: id, Text: string(why)})
	}}
	if last := len(files) - 1; m.inRoom() && last >= 3 {
		s.Cgroup, files = files[last], files[:last]
	}
	if k.rules != nil {
		pty := ptyOf(files[:3])
		s.Restrict = func() error { return confine.NarrowPty(*k.rules, pty) }
	}
	for i := range s.Files {
		s.Files[i] = uintptr(files[i])
	}
	if len(files) > 3 {
		// The link leads to what is open, not to what has that name by now.
		s.Dir = "/proc/self/fd/" + strconv.Itoa(files[3])
	}
	k.collect()
	k.starts.Lock()
	defer k.starts.Unlock()
	return k.containment.Start(s)
}

// do does what m asks for of a command.
func (k *keeping) do(m message) error {
	k.mu.Lock()
	t := k.trees[m.Of]
	if m.Kind == end {
		delete(k.trees, m.Of)
	}
	k.mu.Unlock()
	if t == nil {
		return nil // it was ended
	}
	switch m.Kind {
	case signalTree:
		return t.Signal(unix.Signal(m.Number))
	case signalGroup:
		return t.SignalGroup(unix.Signal(m.Number))
	}
	return t.End(func() {})
}

// answer answers the request m.
func (k *keeping) answer(m message, err error) {
	k.collect()
	answer := message{Kind: done, ID: m.ID}
	answer.setFault(err)
	k.send(answer)
}

// endAll ends all commands, also those that are only just being started.
func (k *keeping) endAll() {
	ended := make(chan struct{})
	go func() { // ends with this process
		k.mu.Lock()
		k.ending = true
		for _, t := range k.trees {
			k.work.Go(func() { t.End(func() {}) })
		}
		k.mu.Unlock()
		k.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(endLimit):
	}
	if self, err := strays.Self(); err == nil {
		strays.SweepHost(self, endLimit)
	}
	k.containment.EndOrphans(endLimit)
	k.containment.Close()
}
