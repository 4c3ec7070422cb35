package hostnative

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/watchdog"
)

// watch is this program's watchdog: one process for all its hosts.
var watch watcher

// A watcher starts a watchdog and knows how it is.
type watcher struct {
	use   sync.Mutex // held by start and stop
	users int        // hosts that were not closed; guarded by use

	mu      sync.Mutex    // guards what follows
	pid     int           // 0 before it is started
	alive   *os.File      // the pipe whose end tells the watchdog of ours
	settled chan struct{} // closed when err is known
	err     error         // why there is none
	ended   chan struct{} // closed when it was reaped, and the number is not its own any longer
}

var errNoHelper = errors.New("no Config.Helper, and the program's main does not begin with helper.Main()")

// start starts the watchdog if there is none yet. It does not wait for it.
func (w *watcher) start(helper string, env []string, self strays.HostID) {
	w.use.Lock()
	defer w.use.Unlock()
	w.users++
	w.mu.Lock()
	defer w.mu.Unlock()
	if helper == "" && watchdog.HasMain.Load() {
		helper = "/proc/self/exe"
	}
	_, nested := os.LookupEnv(watchdog.Env)
	switch {
	case w.pid > 0 || helper == "":
		return
	case nested:
		// A program that was to be a helper has come here because its main
		// does not begin with helper.Main. It must not start itself again.
		w.fail(fmt.Errorf("%s is set: we are a helper ourselves", watchdog.Env))
		return
	}
	c, ready, err := w.spawn(helper, env, self)
	if err != nil {
		w.fail(fmt.Errorf("start helper %s: %w", helper, err))
		return
	}
	w.pid, w.settled, w.ended = c.pid, make(chan struct{}), make(chan struct{})
	go w.await(c, ready, helper) // ends with the watchdog, whose end is ours
}

// unwatch says that a Host was closed.
func (k *containment) unwatch() {
	if k.selfErr == nil {
		watch.stop()
	}
}

// stopLimit is how long stop waits for the watchdog to die of SIGKILL.
const stopLimit = time.Second

// stop says that one host less needs the watchdog. The last one ends it, unless
// there are commands left for it to watch.
func (w *watcher) stop() {
	w.use.Lock()
	defer w.use.Unlock()
	w.users--
	if w.users > 0 || !w.kill() {
		return
	}
	select {
	case <-w.ended:
	case <-time.After(stopLimit):
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alive.Close()
	w.pid, w.settled, w.err = 0, nil, nil // as if there had been none
}

// kill kills the watchdog: what it would do at its end is not needed, and
// takes its time. It reports whether there was one to kill.
func (w *watcher) kill() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pid == 0 || orphanage.hasOthers(w.pid) {
		return false
	}
	select {
	case <-w.ended:
		return false
	default:
		return unix.Kill(w.pid, unix.SIGKILL) == nil
	}
}

// hasOthers reports whether there are commands, or their zombies, besides pid.
func (o *orphans) hasOthers(pid int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.commands) > 1 || len(o.commands) == 1 && !o.commands[pid]
}

func (w *watcher) fail(err error) {
	w.err, w.settled = err, make(chan struct{})
	close(w.settled)
}

// spawn starts helper in a session of its own, where no key reaches it.
func (w *watcher) spawn(helper string, env []string, self strays.HostID) (c child, ready *os.File, err error) {
	in, alive, err := os.Pipe()
	if err != nil {
		return c, nil, err
	}
	defer in.Close()
	ready, out, err := os.Pipe()
	if err != nil {
		alive.Close()
		return c, nil, err
	}
	defer out.Close()
	c, err = orphanage.start(helper, []string{"terrarium-helper"}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   append(slices.Clip(env), watchdog.Env+"="+self.String()),
		Files: []uintptr{in.Fd(), out.Fd(), 2},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		alive.Close()
		ready.Close()
		return c, nil, err
	}
	w.alive = alive
	return c, ready, nil
}

// await notes whether the watchdog watches, and when it has ended.
func (w *watcher) await(c child, ready *os.File, helper string) {
	said := make([]byte, len(watchdog.Ready))
	_, err := io.ReadFull(ready, said)
	ready.Close()
	if err != nil || string(said) != watchdog.Ready {
		err = fmt.Errorf("%s is no helper: its main does not begin with helper.Main()", helper)
		w.alive.Close()
	}
	w.mu.Lock()
	w.err = err
	w.mu.Unlock()
	close(w.settled)
	_, waitErr := c.wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if waitErr == nil {
		orphanage.reap(c)
	}
	close(w.ended)
	if w.err == nil {
		w.err = fmt.Errorf("helper process %d has ended", c.pid)
	}
}

// readyLimit is how long state waits for a watchdog that has been started.
const readyLimit = 5 * time.Second

// state returns the id of the watchdog that watches, or why there is none.
func (w *watcher) state() (pid int, err error) {
	w.mu.Lock()
	settled := w.settled
	w.mu.Unlock()
	if settled == nil {
		return 0, errNoHelper
	}
	select {
	case <-settled:
	case <-time.After(readyLimit):
		return 0, fmt.Errorf("the helper has said nothing for %v", readyLimit)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pid, w.err
}
