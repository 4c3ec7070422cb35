package hostnative

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/watchdog"
)

// watch is this program's watchdog: one process for all its hosts.
var watch watcher

// A watcher starts a watchdog and knows how it is.
type watcher struct {
	mu      sync.Mutex
	pid     int           // 0 before it is started
	alive   *os.File      // the pipe whose end tells the watchdog of ours
	settled chan struct{} // closed when err is known
	err     error         // why there is none
}

var errNoHelper = errors.New("no Config.Helper, and the program's main does not begin with helper.Main()")

// start starts the watchdog if there is none yet. It does not wait for it.
func (w *watcher) start(helper string, self strays.HostID) {
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
	c, ready, err := w.spawn(helper, self)
	if err != nil {
		w.fail(fmt.Errorf("start helper %s: %w", helper, err))
		return
	}
	w.pid, w.settled = c.pid, make(chan struct{})
	go w.await(c, ready, helper) // ends with the watchdog, whose end is ours
}

func (w *watcher) fail(err error) {
	w.err, w.settled = err, make(chan struct{})
	close(w.settled)
}

// spawn starts helper in a session of its own, where no key reaches it.
func (w *watcher) spawn(helper string, self strays.HostID) (c child, ready *os.File, err error) {
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
		Env:   append(os.Environ(), watchdog.Env+"="+self.String()),
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
	if _, waitErr := c.wait(); waitErr == nil {
		orphanage.reap(c)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
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
