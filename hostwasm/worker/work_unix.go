//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
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

	jobs chan *message // at most one
	mu   sync.Mutex
	runs driver.Process // nil before it is started
	in   []*os.File     // that came with the job

	taken atomic.Uint64 // bytes of standard input
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
	w := &worker{conn: newConn(socket), jobs: make(chan *message, 1)}
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
	for fd := socket + 1; fd < inheritedLimit; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// inheritedLimit is beyond what programs leave open by mistake.
const inheritedLimit = 256

// serve runs one job.
func (w *worker) serve() int {
	l := w.setup.Limits
	measures := []Measure{limitResources(l)}
	e, err := engines[w.setup.Engine](string(w.setup.CacheDir), false)
	if err != nil {
		return 2
	}
	if err := w.open(e); err != nil {
		return 2
	}
	measures = append(measures, giveUpCalls()...)
	measures = append(measures, landlockMeasure())
	go w.listen() // until we end
	if err := w.conn.send(&message{Ready: measures}); err != nil {
		return 0
	}
	if i := w.setup.Warm; i >= 0 && i < len(w.setup.Commands) {
		go w.host.Prepare(context.Background(), string(w.setup.Commands[i])) // whoever runs it learns of an error
	}
	m := <-w.jobs
	if i := m.Job.Prepare; i >= 0 {
		if i >= len(w.setup.Commands) {
			return 2
		}
		w.begun(w.host.Prepare(context.Background(), string(w.setup.Commands[i])))
		return 0
	}
	return w.run(m.Job)
}

// open makes the host that runs the guests.
func (w *worker) open(e engine.Engine) (err error) {
	s := w.setup
	c := hostwasm.Config{
		Engine:   cached{Engine: e, asks: &w.asks, fresh: engines[s.Engine]},
		Commands: make(map[string]*hostwasm.Module),
		Env:      stringsOf(s.Env), Dir: string(s.Dir), Limits: s.Limits, Memory: s.Memory,
		Compiling: w.asks.begin, More: w.asks.memory, Deterministic: s.Deterministic,
		Tmp: func(session core.SessionID) (vfs.FS, error) {
			return openTmp(string(session), s.Limits.Scratch, int64(s.Limits.Files))
		},
	}
	for _, m := range s.Mounts {
		c.Mounts = append(c.Mounts, hostwasm.Mount{Dir: string(m.Dir), Guest: string(m.Guest), ReadOnly: m.ReadOnly})
	}
	modules := make(map[int]*hostwasm.Module)
	for i, name := range s.Commands {
		m := modules[s.Modules[i]]
		if m == nil {
			m = &hostwasm.Module{Name: string(name), Load: func() ([]byte, error) { return w.asks.module(i) }}
			modules[s.Modules[i]] = m
		}
		c.Commands[string(name)] = m
	}
	w.host, err = hostwasm.New(c)
	return err
}

// listen takes what the host says. Its end is ours.
func (w *worker) listen() {
	for {
		m, files, err := w.conn.receive(maxToWorker)
		if err != nil {
			os.Exit(0)
		}
		switch {
		case m.Answer != nil:
			w.asks.answered(m.Answer, files)
		case m.Job != nil:
			w.mu.Lock()
			w.in = files
			w.mu.Unlock()
			w.jobs <- m
		case m.Signal != "":
			if p := w.running(); p != nil {
				p.Signal(m.Signal) // an error means that it has ended
			}
		case m.Look:
			w.look()
		}
	}
}

// running returns the command, or nil if it was not started yet.
func (w *worker) running() driver.Process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs
}

// look tells whether the command waits for somebody to type. What is taken
// after that was counted makes no false answer: who asks has typed more.
func (w *worker) look() {
	t := &typing{Taken: w.taken.Load()}
	if p, ok := w.running().(interface{ Reading() (reading, known bool) }); ok {
		t.Reading, _ = p.Reading()
	}
	w.conn.send(&message{Typing: t}) // an error means that nobody is there
}

// run runs a command to its end, and to that of its output.
func (w *worker) run(j *job) int {
	// Each worker has one session only: its directory is what we call it by.
	c := core.Command{
		Cwd: string(j.Cwd), Roots: stringsOf(j.Roots), Session: core.SessionID(j.Tmp),
		Pty: j.Pty, Interactive: j.Interactive,
	}
	if len(j.Argv) == 0 || len(w.in) < 2 {
		return 2
	}
	for _, v := range stringsOf(j.Env) {
		for i := range v {
			if v[i] == '=' {
				c.Env = append(c.Env, core.EnvVariable{Name: v[:i], Value: v[i+1:]})
				break
			}
		}
	}
	if err := keepFiles(w.handedOver(c, string(j.Tmp))); err != nil && landlockMeasure().Used {
		w.begun(err)
		return 0
	}
	argv := stringsOf(j.Argv)
	c.Command, c.Args = argv[0], argv[1:]
	p, err := w.host.Start(context.Background(), core.Exec{Command: c, Path: string(j.Path), Argv: argv})
	if err == nil {
		w.mu.Lock()
		w.runs = p
		w.mu.Unlock()
	}
	w.begun(err)
	if err != nil {
		return 0
	}
	go w.feed(p) // left behind when we exit
	output := make(chan struct{})
	go func() { // ends with the guests
		p.Output(func(stream uint8, b []byte) { w.in[stream].Write(b) }) // an error means that nobody reads
		close(output)
	}()
	exit, err := p.Wait()
	if err != nil {
		return 2
	}
	w.conn.send(&message{Exit: &exit})
	<-output
	return 0
}

// feed passes standard input on.
func (w *worker) feed(p driver.Process) {
	in := w.in[0]
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, err := p.Write(buf[:n]); err != nil {
				in.Close() // nobody reads: whoever writes learns of it
				return
			}
			w.taken.Add(uint64(n))
		}
		if err != nil {
			p.CloseInput()
			return
		}
	}
}

// begun tells whether the job runs.
func (w *worker) begun(err error) {
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
	w.conn.send(&message{Started: s}) // an error means that nobody is there
}

// maxText bounds what a module can put into an error.
const maxText = 4 << 10

// compile compiles the module in a file and keeps it.
func (w *worker) compile(files []*os.File) int {
	measures := []Measure{limitCompiler(w.setup.Limits)}
	e, err := engines[w.setup.Engine](string(w.setup.CacheDir), true)
	if err != nil || len(files) != 1 {
		return 2
	}
	measures = append(measures, giveUpCalls()...)
	keepFiles([]place{{dir: string(w.setup.CacheDir), write: true}})
	if err := w.conn.send(&message{Ready: measures}); err != nil {
		return 0
	}
	go func() { // until we end
		w.conn.receive(0)
		os.Exit(0)
	}()
	wasm, err := readModule(files[0], 2*w.setup.Limits.Module+1<<20)
	if err == nil {
		var p engine.Program
		if p, err = e.Compile(context.Background(), wasm, nil); err == nil {
			err = p.Close()
		}
	}
	w.begun(err)
	return 0
}

// readModule reads all of a file, at most limit bytes.
func readModule(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, errors.New("the module is too large")
	}
	p := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), p)
	return p, err
}

// handedOver is what a command may reach.
func (w *worker) handedOver(c core.Command, tmp string) []place {
	places := []place{{dir: string(w.setup.CacheDir)}, {dir: tmp, write: true}}
	for _, m := range w.setup.Mounts {
		places = append(places, place{string(m.Dir), !m.ReadOnly})
	}
	for _, dir := range c.Roots {
		places = append(places, place{dir, true})
	}
	return places
}
