package driver

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// carryOut does what an effect says, or has it done. d.mu is held.
func (d *Driver) carryOut(e *core.Effect) {
	if e.Kind == core.Resolve {
		d.terminals[e.ID] = d.newTerminal(e.ID, e.Session)
	}
	t := d.terminals[e.ID]
	switch e.Kind {
	case core.Resolve:
		command := *e.Command
		d.spawn(func() { d.resolve(t, command) })
	case core.Ask:
		exec := *e.Exec
		d.spawn(func() { d.ask(t, exec) })
	case core.Start:
		exec := *e.Exec
		d.spawn(func() { d.start(t, exec) })
	case core.WriteInput:
		data := e.Data
		d.enqueue(&t.input, func() { d.write(t, data) })
	case core.CloseInput:
		d.enqueue(&t.input, func() { t.process.CloseInput() })
	case core.Resize:
		rows, cols := e.Rows, e.Cols
		d.enqueue(&t.control, func() { d.resize(t, rows, cols) })
	case core.Signal:
		name := e.Signal
		d.enqueue(&t.control, func() { t.process.Signal(name) })
		d.tellWork(t, *e)
	case core.Close:
		d.enqueue(&t.control, func() { d.free(t) })
	case core.Started:
		t.path = e.Exec.Path
		close(t.settled)
		d.news.push(*e, t.path)
	case core.StartFailed:
		e.Err = t.toldWith(e.Err)
		t.err = e.Err
		close(t.settled)
		t.cancel()
		d.news.push(*e, "")
		if _, starting := d.registry.Status(e.ID); !starting {
			delete(d.terminals, e.ID)
		}
	case core.Exited:
		delete(d.draining, t)
		t.ended = e.Exit
		close(t.exit)
		d.news.push(*e, t.path)
	case core.Evicted:
		delete(d.terminals, e.ID)
		d.news.push(*e, "")
	}
}

func (d *Driver) newTerminal(id core.TerminalID, s core.SessionID) *terminal {
	t := &terminal{
		id:      id,
		session: s,
		settled: make(chan struct{}),
		exit:    make(chan struct{}),
		reading: make(chan struct{}),
	}
	t.output, _ = d.registry.Terminal(id)
	t.ctx, t.cancel = context.WithCancel(context.WithValue(d.ctx, terminalKey{}, t))
	return t
}

// spawn runs f on a goroutine that Close waits for. d.mu is held.
func (d *Driver) spawn(f func()) { d.work.Go(f) }

func (d *Driver) resolve(t *terminal, c core.Command) {
	exec, err := d.config.Host.Resolve(t.ctx, c)
	d.do(func(now time.Time) { d.registry.HandleResolved(now, t.id, exec, err) })
}

func (d *Driver) ask(t *terminal, e core.Exec) {
	decision := d.config.Decide(t.ctx, e)
	d.do(func(now time.Time) { d.registry.HandleDecision(now, t.id, decision) })
}

func (d *Driver) start(t *terminal, e core.Exec) {
	process, err := d.config.Host.Start(t.ctx, e)
	d.do(func(now time.Time) {
		d.registry.HandleStart(now, t.id, err)
		if err == nil {
			t.process, t.half = process, d.registry.Split(t.id)
			d.spawn(func() { d.read(t) })
			d.spawn(func() { d.wait(t) })
		}
		if _, known := d.registry.Status(t.id); !known && t.err != nil {
			// StartFailed was told before, when it was given up.
			delete(d.terminals, t.id)
		}
	})
}

// read hands the process's output to the terminal until it ends.
func (d *Driver) read(t *terminal) {
	// An error is the end of output like any other: what could be read is kept.
	err := t.process.Output(func(stream uint8, p []byte) { d.handleOutput(t, stream, p) })
	d.warn("output not read", t, err)
	t.mu.Lock()
	t.silent = true
	seen := t.half.HandleOutputEnd()
	t.wake()
	changed := t.markChanged(d)
	t.mu.Unlock()
	d.tellKept(t)
	d.tell(t, seen, changed)
	close(t.reading)
}

// maxPiece is how many bytes of output are handled while a terminal's lock is
// held. A Host may hand over far more at a time, and a screen may need long for
// it. Whoever asks for the output holds up its whole connection until it gets
// the lock, and with it the requests about all other terminals.
const maxPiece = 4 << 10

// handleOutput is the hot path: while the command runs it takes the
// terminal's lock only.
func (d *Driver) handleOutput(t *terminal, stream uint8, p []byte) {
	if d.config.OnOutput != nil {
		d.config.OnOutput(t.id, stream, p)
	}
	for len(p) > 0 {
		n := min(len(p), maxPiece)
		d.handlePiece(t, stream, p[:n])
		p = p[n:]
	}
	d.tellKept(t)
}

func (d *Driver) tellKept(t *terminal) {
	if d.config.OnKept != nil {
		d.config.OnKept(t.id)
	}
}

func (d *Driver) handlePiece(t *terminal, stream uint8, p []byte) {
	t.mu.Lock()
	if t.silent {
		t.mu.Unlock()
		return
	}
	seen := t.half.HandleOutput(stream, p)
	t.wake()
	changed := t.markChanged(d)
	t.mu.Unlock()
	d.tell(t, seen, changed)
}

// tell has the registry hear of output, if it has to.
func (d *Driver) tell(t *terminal, seen core.Seen, changed bool) {
	if changed || seen.Due() {
		d.do(func(now time.Time) {
			d.pushChanged(t, changed)
			d.registry.HandleSeen(now, seen)
		})
	}
}

// resize tells the screen, and then the command that draws on it.
func (d *Driver) resize(t *terminal, rows, cols int) {
	t.mu.Lock()
	t.half.HandleResize(rows, cols)
	t.wake()
	t.mu.Unlock()
	d.tellKept(t)
	t.process.Resize(rows, cols)
}

// markChanged reports whether an OutputChanged must join the news. t.mu is held.
func (t *terminal) markChanged(d *Driver) bool {
	if t.changed || d.config.Core.LiveBytes == 0 || d.config.OnNews == nil {
		return false
	}
	t.changed = true
	return true
}

// pushChanged queues an OutputChanged whose data is taken when it is told, so
// that a listener who lags behind costs no more than Core.LiveBytes.
func (d *Driver) pushChanged(t *terminal, changed bool) {
	if changed {
		d.news.pushChanged(t)
	}
}

func (d *Driver) wait(t *terminal) {
	exit, err := t.process.Wait()
	d.tellRepairs(t)
	if err != nil {
		d.warn("exit not known", t, err)
		exit = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
	}
	t.mu.Lock()
	seen := t.half.HandleExit(exit)
	t.mu.Unlock()
	pender, _ := t.process.(Pender)
	if pender != nil {
		seen = seen.WithPending(pender.OutputPending())
	}
	d.do(func(now time.Time) {
		if pender != nil && !t.freed { // a lost one may be freed before
			d.draining[t] = pender // until Exited
		}
		d.registry.HandleSeen(now, seen)
	})
}

// tellRepairs has OnRepaired and the Logger hear of what was put back.
func (d *Driver) tellRepairs(t *terminal) {
	r, ok := t.process.(Repairer)
	if !ok || d.config.OnRepaired == nil && d.config.Logger == nil {
		return
	}
	list := r.Repairs()
	if len(list) == 0 {
		return
	}
	for _, repair := range list {
		d.log.Warn("protected file changed", "session", string(t.session), "terminal", string(t.id),
			"path", repair.Path, "change", repair.Change, "outcome", string(repair.Outcome))
	}
	if d.config.OnRepaired != nil {
		d.config.OnRepaired(t.id, list)
	}
}

// write hands input over. What could not be written counts as taken: nobody
// will ever take it.
func (d *Driver) write(t *terminal, p []byte) {
	_, err := t.process.Write(p)
	d.do(func(now time.Time) {
		if t.inputErr == nil {
			t.inputErr = err
		}
		d.registry.HandleWritten(now, t.id, len(p))
	})
}

// free closes the process and waits until its output has ended.
func (d *Driver) free(t *terminal) {
	// There is nobody else to tell of an error: the terminal is released.
	d.warn("process not freed", t, t.process.Close())
	d.tellRepairs(t)
	<-t.reading
	t.cancel()
	t.mu.Lock()
	if d.config.OnClosing != nil {
		d.config.OnClosing(t.output)
	}
	seen := t.half.HandleClosed()
	t.wake()
	t.mu.Unlock()
	d.do(func(now time.Time) {
		t.freed = true
		delete(d.draining, t) // where it has no Exited
		d.registry.HandleSeen(now, seen)
		d.tellWork(t, core.Effect{Kind: core.Close, ID: t.id, Session: t.session})
		if _, kept := d.registry.Status(t.id); !kept {
			delete(d.terminals, t.id)
		}
	})
}
