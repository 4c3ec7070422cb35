//go:build linux || darwin

package worker

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A task is one of the commands that run in this worker.
type task struct {
	worker  *worker
	id      commandID
	streams []*os.File // standard input, output and, without a pty, error

	ctx    context.Context // of its start
	cancel context.CancelFunc
	taken  atomic.Uint64 // bytes of standard input

	telling sync.Mutex
	gone    bool // that was told, and is the last; guarded by telling

	process *taskProcess // nil before it is started; guarded by worker.mu
}

// A taskProcess is a process of hostwasm's. Close always returns what came of it.
type taskProcess struct {
	driver.Process
	close func() error
}

func (p taskProcess) Close() error { return p.close() }

// start starts a command.
func (w *worker) start(id commandID, j *job, streams []*os.File) {
	t := &task{worker: w, id: id, streams: streams}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	w.mu.Lock()
	w.tasks[id] = t
	w.mu.Unlock()
	go t.run(j) // ends with the command
}

// task returns one that is not gone, or nil.
func (w *worker) task(id commandID) *task {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tasks[id]
}

// running returns the task's process, or nil if it was not started yet.
func (t *task) running() *taskProcess {
	t.worker.mu.Lock()
	defer t.worker.mu.Unlock()
	return t.process
}

// handle takes what the host says of the command, which may not have started yet.
func (t *task) handle(m *message) {
	p := t.running()
	switch {
	case m.End:
		t.cancel()
		if p != nil {
			go p.Close() // run finds out what is left
		}
	case p == nil:
	case m.Signal != "":
		p.Signal(m.Signal) // an error means that it has ended
	case m.Look:
		t.look(p)
	case m.Size != nil:
		p.Resize(m.Size.Rows, m.Size.Cols) // an error means that it has ended
	}
}

// look tells whether the command waits for somebody to type. What is taken
// after that was counted makes no false answer: who asks has typed more.
func (t *task) look(p *taskProcess) {
	y := &typing{Taken: t.taken.Load()}
	if terminal, ok := p.Process.(interface {
		Reading() (reading, known bool)
		Raw() bool
	}); ok {
		y.Reading, _ = terminal.Reading()
		y.Raw = terminal.Raw()
	}
	t.tell(&message{Typing: y})
}

// tell tells the host something of the command, unless it is gone: of what is gone the
// host hears nothing more, from a worker that is sound.
func (t *task) tell(m *message) {
	t.telling.Lock()
	defer t.telling.Unlock()
	if t.gone {
		return // Look has come at its very end
	}
	t.gone = m.Gone != nil
	m.Command = t.id
	t.worker.conn.send(m) // an error means that nobody is there
}

// run runs the command to its end, and to that of its output and of all guests.
func (t *task) run(j *job) {
	w := t.worker
	young := time.AfterFunc(youth, w.takeProcessors)
	defer young.Stop()
	left := t.runJob(j)
	t.cancel()
	closeAll(t.streams)
	w.mu.Lock()
	delete(w.tasks, t.id)
	w.mu.Unlock()
	t.tell(&message{Gone: &gone{Stuck: left != nil}})
}

// runJob runs the command. The error says that something of it is left behind.
func (t *task) runJob(j *job) error {
	w := t.worker
	c := core.Command{
		Cwd: j.Cwd, Roots: w.session.Roots,
		Pty: j.Pty, OneStream: j.OneStream, Interactive: j.Interactive, Rows: j.Size.Rows, Cols: j.Size.Cols,
	}
	if j.Fetches {
		c.Bounds = new(core.Bounds) // which of them the host knows
	}
	if len(j.Argv) == 0 || len(t.streams) < 2 {
		os.Exit(2) // whoever says so is not our host
	}
	for _, v := range j.Env {
		if name, value, ok := strings.Cut(v, "="); ok {
			c.Env = append(c.Env, core.EnvVariable{Name: name, Value: value})
		}
	}
	c.Command, c.Args = j.Argv[0], j.Argv[1:]
	host := w.host.WithMemory(share, w.asks.more(t.id, askMemory))
	started, err := host.Start(context.WithValue(t.ctx, taskOf{}, t.id), core.Exec{Command: c, Path: j.Path, Argv: j.Argv})
	if err != nil {
		w.begun(t.id, err)
		return nil
	}
	p := &taskProcess{started, sync.OnceValue(started.Close)}
	w.mu.Lock()
	t.process = p
	w.mu.Unlock()
	if t.ctx.Err() != nil { // it was to end before it was here to be ended
		return p.Close()
	}
	w.begun(t.id, nil)
	go t.feed(p) // ends when its stream is closed, at the end
	output := make(chan struct{})
	go func() { // ends with the guests, or with Close
		// An error means that nobody reads.
		p.Output(func(stream uint8, b []byte) { t.streams[stream].Write(b) })
		close(output)
	}()
	if e, err := p.Wait(); err == nil { // else it is being closed
		t.leave(p, e)
	}
	<-output
	return p.Close()
}

// leave tells how the command ended, and then, what the host can't see, that
// all it had written was passed on: others may hold the output open.
func (t *task) leave(p *taskProcess, e core.Exit) {
	output := p.Process.(interface {
		driver.Pender
		FlushOutput()
	})
	pending := output.OutputPending()
	t.tell(&message{Exit: (*exit)(&e), Pending: pending})
	if pending > 0 {
		output.FlushOutput()
		t.tell(&message{Passed: true})
	}
}

// feed passes standard input on.
func (t *task) feed(p *taskProcess) {
	in := t.streams[0]
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, err := p.Write(buf[:n]); err != nil {
				in.Close() // nobody reads: whoever writes learns of it
				return
			}
			t.taken.Add(uint64(n))
		}
		if err != nil {
			p.CloseInput()
			return
		}
	}
}
