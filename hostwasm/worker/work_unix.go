//go:build linux || darwin

package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// socket is a worker's descriptor of its socket; 0 to 2 are /dev/null.
const socket = 3

// A worker is this process as a worker.
type worker struct {
	conn  *conn
	setup *setup
	host  *hostwasm.Host
	asks  asks

	sessions chan *session // holds the one that there is, until it is taken

	mu      sync.Mutex
	session *session            // nil until it is known; stays as it is
	tasks   map[commandID]*task // that are not gone

	all sync.Once // guards a call that has us take all processors
}

// work is what a worker does. It returns the status to exit with.
func work() int {
	closeInherited()
	// A reader that is gone must not end us, nor a file that grows too large.
	signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	if err := unix.SetNonblock(socket, true); err != nil {
		os.Stderr.WriteString("terrarium worker: no socket: nothing but a host may start us\n")
		return 2
	}
	unix.CloseOnExec(socket)
	w := &worker{conn: newConn(socket), sessions: make(chan *session, 1), tasks: make(map[commandID]*task)}
	w.asks.conn = w.conn
	first, files, err := w.conn.receive(maxToWorker)
	if err != nil || first.Setup == nil {
		return 2
	}
	w.setup = first.Setup
	if w.setup.Compile {
		return w.compile(files)
	}
	return w.serve()
}

// closeInherited closes what our parent has let through: all that was opened
// here has close-on-exec.
func closeInherited() {
	for _, fd := range descriptors() {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if fd > socket && err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// descriptors returns those that are open, or might be.
func descriptors() (fds []int) {
	dir, err := os.Open("/dev/fd") // which Linux has too
	if err == nil {
		defer dir.Close()
		var names []string
		names, err = dir.Readdirnames(-1)
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil {
				fds = append(fds, fd)
			}
		}
	}
	if err != nil {
		for fd := range 256 { // beyond what programs leave open by mistake
			fds = append(fds, fd)
		}
	}
	return fds
}

// serve runs the commands of a session, until the host ends us.
func (w *worker) serve() int {
	measures := []Measure{limitResources(hostwasm.Limits(w.setup.Limits), w.setup.Most)}
	e, err := w.engine()
	if err == nil {
		err = w.open(e)
	}
	if err != nil {
		return w.refuse(err)
	}
	calls, err := giveUpCalls(w.tellCalls)
	if err != nil {
		return w.refuse(err)
	}
	ready := &ready{Measures: append(append(measures, calls...), landlockMeasure())}
	go w.listen() // until we end
	if err := w.conn.send(&message{Ready: ready}); err != nil {
		return 0
	}
	if i := w.setup.Warm; i >= 0 && i < len(w.setup.Commands) {
		// Whoever runs it learns of an error.
		go w.host.Prepare(context.Background(), w.setup.Commands[i])
	}
	s := <-w.sessions
	w.mu.Lock()
	w.session = s
	w.mu.Unlock()
	err = keepFiles(w.handedOver())
	if w.unkept(err) {
		w.begun(0, err)
		return 0
	}
	w.begun(0, nil)
	select {} // what follows is listen's
}

// tellCalls hands the host what it watches our system calls with.
func (w *worker) tellCalls(calls *os.File) error { return w.conn.send(&message{Calls: true}, calls) }

// refuse tells the host why we run nothing, and returns the status to exit with.
func (w *worker) refuse(err error) int {
	// An error means that nobody is there.
	w.conn.send(&message{Ready: &ready{Refusal: err.Error()}})
	return 2
}

// engine returns an engine that compiles as the host's does. Without this we would
// look for what was compiled under other names, find nothing, and have all compiled
// at every start.
func (w *worker) engine() (engine.Engine, error) {
	open, ok := engines[w.setup.Engine]
	if !ok {
		return nil, fmt.Errorf("engine %s: not in this build", w.setup.Engine)
	}
	e, err := open()
	if err != nil {
		return nil, err
	}
	if by := hostwasm.CompiledBy(e, hostwasm.Limits(w.setup.Limits)); by != w.setup.By {
		return nil, fmt.Errorf("it compiles modules otherwise than the program that starts it: build both of the same versions: it has %s, and not %s", by, w.setup.By)
	}
	return e, nil
}

// youth is how long a command has to run until we take all processors: most are
// done before, and Go starts threads for each.
const youth = 10 * time.Millisecond

func (w *worker) takeProcessors() {
	w.all.Do(func() { runtime.GOMAXPROCS(w.setup.Processors) })
}

// open makes the host that runs the guests.
func (w *worker) open(e engine.Engine) (err error) {
	s := w.setup
	l := hostwasm.Limits(s.Limits)
	l.Compile *= busyMachine // here it is how long we wait for the compiler, by the clock
	w.asks.commands = make(map[*hostwasm.Module]int)
	c := hostwasm.Config{
		Engine: e, Cache: hostCache{&w.asks, new(sync.Map)},
		Commands: make(map[string]*hostwasm.Module),
		Hidden:   s.Hidden,
		Env:      s.Env, Dir: s.Dir, Limits: l,
		Setter: w.asks.setter, Names: w.names, Deterministic: s.Deterministic,
		Tmp: func(core.SessionID) (vfs.FS, error) { // of the only session
			quota := vfs.Growing(w.asks.more(0, askTmpBytes), w.asks.more(0, askTmpNames))
			dir := w.session.Tmp
			return vfs.OpenHost(dir, vfs.HostOptions{Quota: quota, Blocks: true, Setter: w.asks.setter(dir)})
		},
	}
	if s.HTTP {
		c.HTTP = distantFetcher{&w.asks}
		// runJob says why.
		c.Bounds = func(b *core.Bounds) (string, bool, error) { return "", b != nil, nil }
	}
	for _, m := range s.Mounts {
		c.Mounts = append(c.Mounts, hostwasm.Mount{Dir: m.Dir, Guest: m.Guest, ReadOnly: m.ReadOnly, Own: m.Own})
	}
	modules := make(map[int]*hostwasm.Module)
	module := func(number int, name string) *hostwasm.Module {
		if modules[number] == nil {
			modules[number] = w.module(number, name)
		}
		return modules[number]
	}
	for i, name := range s.Commands {
		m := module(s.Modules[i], name)
		c.Commands[name] = m
		if s.Direct[i] < 0 {
			continue
		}
		if m.Direct == nil {
			m.Direct = make(map[string]*hostwasm.Module)
		}
		m.Direct[name] = module(s.Direct[i], name)
	}
	w.host, err = hostwasm.New(c)
	return err
}

// module returns a module by its number, as the host has it.
func (w *worker) module(number int, name string) *hostwasm.Module {
	s := w.setup
	m := &hostwasm.Module{
		Name: name,
		Load: func() ([]byte, error) { return w.asks.module(number) },
		Hash: func() ([sha256.Size]byte, error) { return w.asks.sum(number) },
	}
	if s.Warm >= 0 && s.Modules[s.Warm] == number && len(s.WarmSum) == sha256.Size {
		m.Hash = func() ([sha256.Size]byte, error) { return [sha256.Size]byte(s.WarmSum), nil }
	}
	w.asks.commands[m] = number
	return m
}

// listen takes what the host says. Its end is ours. Nothing here waits.
func (w *worker) listen() {
	for {
		m, files, err := w.conn.receive(maxToWorker)
		if err != nil {
			os.Exit(0)
		}
		switch {
		case m.Answer != nil:
			w.asks.answered(m.Answer, files)
		case m.Session != nil:
			w.sessions <- m.Session // there is one
		case m.Job != nil:
			w.start(m.Command, m.Job, files)
		default:
			if t := w.task(m.Command); t != nil {
				t.handle(m)
			}
		}
	}
}

// begun tells whether a command runs, or what of none was to begin.
func (w *worker) begun(id commandID, err error) {
	s := new(started)
	if refused, ok := errors.AsType[*core.HostError](err); ok {
		s.Reason, s.Text = refused.Reason, refused.Message
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			s.Op = path.Op
		}
	} else if err != nil {
		s.Reason, s.Text = "start_failed", err.Error()
	}
	if len(s.Text) > maxText {
		s.Text = s.Text[:maxText] + "…"
	}
	w.conn.send(&message{Command: id, Started: s}) // an error means that nobody is there
}

// unkept reports whether keepFiles has failed so that nothing may run.
func (w *worker) unkept(err error) bool {
	return err != nil && (w.setup.Required || !errors.Is(err, errors.ErrUnsupported))
}

// maxText bounds what a module can put into an error.
const maxText = 4 << 10

// compile compiles the module in a file.
func (w *worker) compile(files []*os.File) int {
	w.takeProcessors()
	l, dir := hostwasm.Limits(w.setup.Limits), w.setup.Stage
	if len(files) != 1 {
		return 2
	}
	info, err := files[0].Stat()
	if err != nil {
		return w.refuse(err)
	}
	limitCompiler(l, info.Size())
	e, err := w.engine()
	if err != nil {
		return w.refuse(err)
	}
	if err := giveUpCapabilities(); err != nil {
		return w.refuse(err)
	}
	measures, err := giveUpCalls(w.tellCalls)
	if err != nil {
		return w.refuse(err)
	}
	if err := w.conn.send(&message{Ready: &ready{Measures: append(measures, landlockMeasure())}}); err != nil {
		return 0
	}
	if err := keepFiles([]place{{dir: dir, write: true}}); w.unkept(err) {
		w.begun(0, err)
		return 0
	}
	go func() { // until we end
		w.conn.receive(0)
		os.Exit(0)
	}()
	m := &hostwasm.Module{Load: func() ([]byte, error) { return readModule(files[0], l.Module) }}
	w.begun(0, hostwasm.CompileTo(dir, m, e, l))
	return 0
}

// readModule reads all of a file, at most limit bytes.
func readModule(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		// In the words of the meter, which would need all of it to say so.
		reason := fmt.Sprintf("a module of %d bytes, at most %d are allowed", info.Size(), limit)
		return nil, &meter.Error{Func: -1, Reason: reason, Kind: meter.ErrLimit}
	}
	p := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), p)
	return p, err
}

// handedOver is what the session's commands may reach by themselves.
func (w *worker) handedOver() []place {
	places := []place{{dir: w.session.Tmp, write: true}}
	for _, dir := range w.setup.Caches {
		places = append(places, place{dir: dir})
	}
	add := func(dir string, write bool) {
		if near := w.nearby(dir); near != nil {
			places = append(places, place{dir, write, near})
		}
	}
	for _, m := range w.setup.Mounts {
		add(m.Dir, !m.ReadOnly)
	}
	for _, dir := range w.session.Roots {
		add(dir, true)
	}
	return places
}
