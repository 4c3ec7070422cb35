package keeper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

const (
	// readyLimit is how long a keeper may take to say that it is one.
	readyLimit = 20 * time.Second

	// answerLimit is how long it may take to answer: longer than all that it waits
	// for itself. One that takes longer was stopped, or is stuck, and is killed.
	answerLimit = 15 * time.Second

	// patienceLimit is how long a request may take of one that answers others.
	patienceLimit = 2 * time.Minute

	// pingAfter is after how long a start that is not answered has the keeper asked
	// whether it still answers at all, and after how long again.
	pingAfter = 5 * time.Second

	// closeLimit is how long Close waits for its end.
	closeLimit = time.Second
)

// ErrGone is the error of what a keeper can't do any longer that has ended, and
// ErrEnded that of a start that it has not come to.
var (
	ErrGone  = errors.New("the keeper of its process has ended")
	ErrEnded = errors.New("the keeper had ended before")

	errNotSwept = errors.New("what a keeper has left may still live: it did not die in time")
)

// A Config says what a keeper is.
type Config struct {
	Helper string   // the executable, whose main begins with helper.Main
	Env    []string // its environment, which is not its commands'

	NoCgroup bool
	Limits   tree.Limits // of each command

	// Rules are what its commands are confined to, and it with them, if not nil.
	Rules *confine.Rules
	// Asked, if not nil, is given the descriptor from which it gets each call of theirs
	// that is to be decided: see confine.Apply. It is not called where the kernel can't
	// ask. It runs until the last of them has ended. With mayEnter it asks whether a thread
	// may make a child in a cgroup just now: one of the keeper, while that starts a command in a
	// room.
	Asked func(questions int, mayEnter func(thread int) bool)
}

// A Keeper is a keeper process, as its host sees it. Its methods are safe for
// concurrent use.
type Keeper struct {
	socket
	pid      int
	process  *Command       // the keeper as a command of another one, or nil
	rules    *confine.Rules // what its commands are confined to, or nil
	report   confine.Report // what of that is in force; what is Around it, lookMu guards
	lookMu   sync.Mutex
	asks     bool          // Asked was called; set before it is ready
	entering atomic.Bool   // it has been told to start a command in a room, and has not answered
	swept    chan struct{} // closed when it has killed what dead ones have left, or has ended
	sweptErr error         // why that may not be so, set before
	gone     chan struct{} // closed when the socket has ended, and with it the commands are lost
	reaped   chan struct{} // closed when its process has ended and is no zombie
	endErr   error         // of its process, set before reaped is closed
	closing  sync.Once

	mu       sync.Mutex
	heard    time.Time // when it has said something
	last     uint64    // ID that was given to a command or request
	commands map[uint64]*Command
	requests map[uint64]chan message // answers, of one place each
	ended    bool                    // gone is closed, or about to be
	left     bool                    // it had commands then
	retired  bool                    // it is closed when it has no commands
}

// Open starts a keeper and returns when it is ready.
func Open(c Config) (*Keeper, error) {
	s, files, err := c.files()
	if err != nil {
		return nil, err
	}
	pidfd := -1
	pid, _, err := syscall.StartProcess(c.Helper, helperArgv, &syscall.ProcAttr{
		Env:   c.environ(),
		Files: []uintptr{uintptr(files[0]), uintptr(files[1]), uintptr(files[2])},
		Sys:   &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd}, // where no key reaches it
	})
	closeAll(files[:2])
	if err != nil {
		s.file.Close()
		return nil, fmt.Errorf("start helper %s: %w", c.Helper, err)
	}
	k := &Keeper{socket: s, pid: pid}
	if pidfd >= 0 { // before Linux 5.2 there is none
		go k.watch(pidfd) // ends with the keeper
	}
	return k.greet(c)
}

var helperArgv = []string{"terrarium-helper"}

func (c Config) environ() []string { return append(slices.Clip(c.Env), Env+"="+asKeeper) }

// files returns our end of a new keeper's socket, and its standard files, of which the
// first two are to be closed when it has them.
func (c Config) files() (s socket, files []int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return socket{}, nil, os.NewSyscallError("socketpair", err)
	}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		closeAll(pair[:])
		return socket{}, nil, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	files = []int{pair[1], null, 2}
	if s, err = newSocket(pair[0]); err != nil {
		closeAll(files[:2])
		return socket{}, nil, err
	}
	return s, files, nil
}

// greet makes k one that is ready.
func (k *Keeper) greet(c Config) (*Keeper, error) {
	k.rules = c.Rules
	k.swept = make(chan struct{})
	k.gone = make(chan struct{})
	k.reaped = make(chan struct{})
	k.commands = make(map[uint64]*Command)
	k.requests = make(map[uint64]chan message)
	isReady := make(chan message, 1)
	go k.read(isReady, c.Asked) // ends with the socket, which ends with the keeper
	ordered, err := json.Marshal(order{Limits: c.Limits, Rules: c.Rules, Asks: c.Asked != nil})
	if err != nil {
		k.kill()
		return nil, err
	}
	if err := k.send(message{Kind: hello, Flag: c.NoCgroup, Text: string(ordered)}); err != nil && !isEnd(err) {
		k.kill()
		return nil, err
	}
	late := time.NewTimer(readyLimit)
	defer late.Stop()
	select {
	case m := <-isReady:
		return k.accept(c, m)
	case <-k.gone:
	case <-late.C:
		k.kill()
		return nil, fmt.Errorf("helper %s has said nothing for %v", c.Helper, readyLimit)
	}
	select {
	case m := <-isReady: // its last word
		return k.accept(c, m)
	default:
		return nil, &fault{fmt.Sprintf("%s is no helper: its main does not begin with helper.Main()", c.Helper), ErrGone}
	}
}

// accept takes what a keeper has said when it was greeted.
func (k *Keeper) accept(c Config, m message) (*Keeper, error) {
	err := cmp.Or(k.checkConfined(c), c.checkLimited(m))
	if m.Kind == failed {
		err = m.fault()
	}
	if err != nil {
		k.kill()
		return nil, err
	}
	if c.Limits.Watched() {
		go k.attend() // ends with the keeper
	}
	return k, nil
}

// checkConfined says whether a keeper that is ready is less confined than it could be.
// One of another version, which c.Helper may be, does not know of rules, and says ready.
func (k *Keeper) checkConfined(c Config) error {
	switch {
	case c.Rules == nil:
		return nil
	case k.report.Level != c.Rules.Level:
		return fmt.Errorf("helper %s is not confined: is it of another version?", c.Helper)
	case confine.Available().Err() == nil:
		return k.report.Err()
	}
	return nil
}

// checkLimited says whether a keeper that has said m limits its commands. One of another version
// may not know of all limits.
func (c Config) checkLimited(m message) error {
	var limits tree.Limits
	if json.Unmarshal([]byte(m.Text), &limits) != nil || limits != c.Limits {
		return fmt.Errorf("helper %s does not know all limits: is it of another version?", c.Helper)
	}
	return nil
}

// watch ends the socket when the keeper ends. The keeper's death alone may not do so:
// a child that hangs on its way to execve(2) has a copy of the keeper's end, and so may
// whatever else a helper has started.
func (k *Keeper) watch(pidfd int) {
	if unix.SetNonblock(pidfd, true) != nil { // Go's poller waits
		unix.Close(pidfd)
		return
	}
	file := os.NewFile(uintptr(pidfd), "pidfd")
	defer file.Close()
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	conn.Read(func(fd uintptr) bool {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
	// What it has said before is still read.
	k.shutdown(unix.SHUT_RDWR)
}

// Pid returns the id of the keeper's process.
func (k *Keeper) Pid() int { return k.pid }

// Gone is closed when the keeper has ended.
func (k *Keeper) Gone() <-chan struct{} { return k.gone }

// Ended waits for the end of the keeper's process after Gone. The error is of what it
// may have left alive although another keeper was to end it.
func (k *Keeper) Ended() error {
	<-k.reaped
	return k.endErr
}

// Swept waits until nothing lives any longer of what dead keepers have left, as far as
// this one has found it. The error says why something may live: not all has died in time,
// or this keeper has ended itself.
func (k *Keeper) Swept() error {
	<-k.swept
	return k.sweptErr
}

// Outdated reports whether its commands can't read what they would be granted if it were
// started now. It looks at some directories.
func (k *Keeper) Outdated() bool {
	if k.rules == nil {
		return false
	}
	k.lookMu.Lock()
	defer k.lookMu.Unlock()
	return k.report.Changed(*k.rules)
}

// HoldsFiles reports whether its commands write nothing but what they were handed: it is confined,
// by a kernel that has Landlock.
func (k *Keeper) HoldsFiles() bool { return k.report.Landlock > 0 }

// Asks reports whether its host decides about calls of its commands.
func (k *Keeper) Asks() bool { return k.asks }

// mayEnter is what Config.Asked is given. A call that waits keeps the thread's number from
// being another's.
func (k *Keeper) mayEnter(thread int) bool {
	return k.entering.Load() && unix.Tgkill(k.pid, thread, 0) == nil
}

// Idle reports whether it has no commands and none is being started.
func (k *Keeper) Idle() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.commands) == 0
}

// Left reports whether it had commands when it was gone, which may live. It is not
// the same as not to be idle: from then on each of them can be released.
func (k *Keeper) Left() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.left
}

// read takes what the keeper says, until its end.
func (k *Keeper) read(isReady chan<- message, asked func(questions int, mayEnter func(int) bool)) {
	r := newReceiver(k.socket, false)
	isSwept := false
	for {
		m, files, err := r.receive()
		if err != nil {
			break
		}
		k.mu.Lock()
		k.heard = time.Now()
		k.mu.Unlock()
		switch m.Kind {
		case confined:
			if isReady == nil {
				break
			}
			json.Unmarshal([]byte(m.Text), &k.report) // it has none that is not one
			if len(files) == 1 && asked != nil {
				k.asks = true
				go asked(files[0], k.mayEnter) // ends with the last of its commands
				asked, files = nil, nil
			}
		case ready:
			if isReady != nil {
				isReady <- m
				isReady = nil
			}
		case swept:
			if isSwept {
				break
			}
			if !m.Flag {
				k.sweptErr = errNotSwept
			}
			close(k.swept)
			isSwept = true
		case failed:
			if isReady != nil {
				isReady <- m
				isReady = nil
				break
			}
			k.take(m)
		default:
			k.take(m)
		}
		closeAll(files) // there should be none
	}
	k.lose()
	// It has ended, or talks nonsense, or has closed the socket.
	k.file.Close()
	k.endErr = k.endProcess()
	close(k.reaped)
	if !isSwept {
		k.sweptErr = ErrGone
		close(k.swept)
	}
}

// endProcess kills the keeper's process, and if it is a command, all that it has
// started. The error is of what may have survived.
func (k *Keeper) endProcess() error {
	if k.process != nil {
		return k.process.End(func() {})
	}
	unix.Kill(k.pid, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(k.pid, nil, 0, nil); err != unix.EINTR {
			return nil
		}
	}
}

// take gives m to whoever waits for it.
func (k *Keeper) take(m message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch m.Kind {
	case started, failed, done:
		if answer := k.requests[m.ID]; answer != nil {
			delete(k.requests, m.ID)
			answer <- m
		}
	case exited:
		if c := k.commands[m.ID]; c != nil {
			if m.Flag {
				c.settle()
			}
			c.exit(m)
		}
	case exceeded:
		if c := k.commands[m.ID]; c != nil {
			c.exceed(core.Reason(m.Text))
		}
	case settled:
		if c := k.commands[m.ID]; c != nil {
			c.settle()
		}
	}
}

// lose tells all who wait that the keeper is gone.
func (k *Keeper) lose() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.left = len(k.commands) > 0
	close(k.gone)
	for _, c := range k.commands {
		c.lose()
	}
	clear(k.requests) // they see gone
}

// ask sends m under a new ID, with files, and returns the answer.
func (k *Keeper) ask(ctx context.Context, m message, files ...int) (message, error) {
	id, answer, err := k.request()
	if err != nil {
		return message{}, err
	}
	m.ID = id
	if err := k.send(m, files...); err != nil {
		k.withdraw(id)
		if isEnd(err) {
			err = ErrGone
		}
		return message{}, err
	}
	select {
	case m := <-answer:
		return m, nil
	case <-k.gone:
		return message{}, ErrGone
	case <-ctx.Done():
		k.withdraw(id)
		return message{}, ctx.Err()
	}
}

// askInTime is ask for what is answered soon. A keeper that says nothing is killed, and
// gone; so is one that has not answered this after some minutes, whatever it says.
func (k *Keeper) askInTime(m message) error {
	ctx, cancel := context.WithTimeout(context.Background(), patienceLimit)
	defer cancel()
	defer k.whenSilent(cancel)()
	answer, err := k.ask(ctx, m)
	if ctx.Err() != nil && err == ctx.Err() {
		k.kill()
		select {
		case <-k.gone:
			return ErrGone
		case <-time.After(readyLimit):
			return fmt.Errorf("the keeper has not answered for %v, and does not die", answerLimit)
		}
	}
	if err != nil {
		return err
	}
	return answer.fault()
}

// whenSilent calls f when the keeper has said nothing for answerLimit, unless stop is
// called before. It may have a thousand commands to end before it comes to ours.
func (k *Keeper) whenSilent(f func()) (stop func()) {
	stopped := make(chan struct{})
	go func() { // ends when it is stopped, or has called f
		rest := answerLimit
		for rest > 0 {
			timer := time.NewTimer(rest)
			select {
			case <-stopped:
				timer.Stop()
				return
			case <-timer.C:
			}
			rest = answerLimit - time.Since(k.lastHeard())
		}
		f()
	}()
	return func() { close(stopped) }
}

// lastHeard returns when the keeper has said something.
func (k *Keeper) lastHeard() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.heard
}

// pinging has the keeper asked again and again, from pingAfter on, until the function is
// called that it returns, which calls then: a keeper that is stopped, unlike one whose
// start hangs, does not answer, and is killed.
func (k *Keeper) pinging(then func()) (stop func()) {
	stopped := make(chan struct{})
	first := time.AfterFunc(pingAfter, func() {
		for {
			select {
			case <-stopped:
				return
			case <-k.gone:
				return
			default:
			}
			k.askInTime(message{Kind: report})
			select {
			case <-stopped:
			case <-k.gone:
			case <-time.After(pingAfter):
			}
		}
	})
	return func() {
		first.Stop()
		close(stopped)
		then()
	}
}

// attend asks the keeper again and again whether it still answers, as long as it has
// commands: one that is stopped does not look at what they use. It is killed for that.
func (k *Keeper) attend() {
	for {
		select {
		case <-k.gone:
			return
		case <-time.After(pingAfter):
		}
		if !k.Idle() {
			k.askInTime(message{Kind: report})
		}
	}
}

func (k *Keeper) request() (id uint64, answer chan message, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return 0, nil, ErrGone
	}
	k.last++
	answer = make(chan message, 1)
	k.requests[k.last] = answer
	return k.last, answer, nil
}

func (k *Keeper) withdraw(id uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.requests, id)
}

// kill ends the keeper at once. Its commands are lost.
func (k *Keeper) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.ended: // from then on its number may be another's
	case k.process != nil:
		go k.process.End(func() {}) // ends in some seconds
	default:
		unix.Kill(k.pid, unix.SIGKILL)
	}
}

// Report asks by which means the keeper knows trees.
func (k *Keeper) Report() ([]tree.Mechanism, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readyLimit)
	defer cancel()
	m, err := k.ask(ctx, message{Kind: report})
	if err != nil {
		return nil, err
	}
	var list []tree.Mechanism
	for part := range slices.Chunk(m.List, 3) {
		if len(part) == 3 {
			used, _ := strconv.ParseBool(part[1])
			list = append(list, tree.Mechanism{Name: part[0], Used: used, Detail: part[2]})
		}
	}
	return list, nil
}

// Close ends the keeper, or if it has commands lets it end with the last of them.
// It waits a second for it, unless somebody else has commands to end.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.retired = true
	idle, others := len(k.commands) == 0, false
	for _, c := range k.commands {
		others = others || !c.abandoned
	}
	k.mu.Unlock()
	if others {
		return
	}
	if idle {
		k.hangUp()
	}
	late := time.NewTimer(closeLimit)
	defer late.Stop()
	select {
	case <-k.reaped:
	case <-late.C:
	}
}

// hangUp tells the keeper to end, in its own time.
func (k *Keeper) hangUp() {
	k.closing.Do(func() { k.shutdown(unix.SHUT_WR) })
}

func (k *Keeper) shutdown(how int) {
	if conn, err := k.file.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { unix.Shutdown(int(fd), how) })
	}
}

// release forgets a command that was ended.
func (k *Keeper) release(id uint64) {
	k.mu.Lock()
	delete(k.commands, id)
	last := k.retired && len(k.commands) == 0
	k.mu.Unlock()
	if last {
		k.hangUp()
	}
}
