package remote

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// A served is a terminal on the far side.
type served struct {
	session *farSession
	id      uint64
	process driver.Process

	output *allowance
	tail   uint64 // the frame that the newest output is in, if it is of this stream
	stream uint8

	ended   atomic.Bool    // the output has ended
	telling sync.WaitGroup // readOutput and awaitExit
	closing sync.Once
	closed  chan struct{} // closed by close

	mu      sync.Mutex // guards the fields below; comes before the link's
	window  window     // for input
	control lane       // Resize, Signal
	input   lane       // Write, CloseInput
	closes  bool       // the near side has asked for it
	call    uint64     // of the newest Write
	bytes   int64      // of it that the command has taken
	refused bool       // the rest of it is not written
}

func newServed(f *farSession, id uint64, p driver.Process, credit int64) *served {
	return &served{
		session: f, id: id, process: p, output: newAllowance(credit), window: f.pool.open(), closed: make(chan struct{}),
	}
}

// readOutput sends what the command writes.
func (t *served) readOutput() {
	err := t.process.Output(t.send)
	t.ended.Store(true)
	send(t.session.link, kindOutputEnd, &outputEnd{t.id, failed(err)})
}

// send is the sink. It waits for credit.
func (t *served) send(stream uint8, p []byte) {
	if stream != t.stream {
		t.tail, t.stream = 0, stream
	}
	for len(p) > 0 {
		n := t.output.take(len(p))
		if n == 0 {
			return // closed
		}
		if t.session.link.extend(t.tail, p[:n]) {
			t.output.giveBack(frameCost)
		} else {
			f := newQueued(kindOutput, n+headRoom/2)
			f.buf = wire.Append(f.buf, &output{t.id, stream, p[:n]})
			t.tail = t.session.link.push(f)
		}
		p = p[n:]
	}
}

// awaitExit tells how the command has ended.
func (t *served) awaitExit() {
	e, err := t.process.Wait()
	if x := exit(e); err != nil || !x.possible() { // the near side would take us for hostile
		e = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
	}
	p, ok := t.process.(driver.Pender)
	pending := 0
	if ok && !t.ended.Load() {
		pending = max(0, p.OutputPending())
	}
	send(t.session.link, kindExited, &exited{t.id, exit(e), pending})
	if pending > 0 && t.awaitPassed(p) {
		send(t.session.link, kindPassed, &passed{t.id})
	}
}

// awaitPassed waits until the output that was there at the exit was sent. It reports whether there
// is somebody to tell.
func (t *served) awaitPassed(p driver.Pender) bool {
	tick := time.NewTicker(passedTick)
	defer tick.Stop()
	for p.OutputPending() > 0 {
		select {
		case <-tick.C:
		case <-t.closed:
			return false
		}
		if t.ended.Load() {
			return false // and the end of output says so
		}
	}
	return true
}

// passedTick is how often a host is asked whether all output has passed that was on its way when
// the command ended. Mostly it has ended by then.
const passedTick = 2 * time.Millisecond

func (t *served) handleCredit(m *credit) error {
	if !t.output.add(m.Bytes) {
		return broken("it grants %d bytes of output", m.Bytes)
	}
	return nil
}

// handleWrite has input written after what came before.
func (t *served) handleWrite(m *write) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(m.Data) == 0 || len(m.Data) > maxData:
		return broken("%d bytes of input", len(m.Data))
	case !t.window.arrive(dataCost(len(m.Data))):
		return broken("more input than there was credit for")
	case m.Call < t.call:
		return broken("input of an earlier write")
	case t.closes:
		return nil
	}
	data := append(newBuffer(len(m.Data)), m.Data...)
	t.call = m.Call
	call := m.Call
	t.enqueue(&t.input, func() { t.write(call, data) })
	return nil
}

// keystroke is how long input is, at the most, that a command will mostly echo or answer at once.
const keystroke = 256

// write gives input to the command, unless it has refused what came before in the same call.
func (t *served) write(call uint64, data []byte) {
	t.mu.Lock()
	if call != t.input.call {
		t.input.call, t.bytes, t.refused = call, 0, false
	}
	refused := t.refused
	t.mu.Unlock()
	var err error
	n := 0
	if !refused {
		n, err = t.process.Write(data)
	}
	size, cost := len(data), dataCost(len(data))
	freeBuffer(data)

	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += int64(n)
	if t.closes {
		return
	}
	if !refused {
		t.refused = err != nil
		m := written{t.id, call, t.bytes, failed(err)}
		if size <= keystroke && err == nil {
			sendLate(t.session.link, kindWritten, &m)
		} else {
			send(t.session.link, kindWritten, &m)
		}
	}
	if grant := t.window.use(cost); grant > 0 {
		send(t.session.link, kindCredit, &credit{t.id, grant})
	}
}

// handleOperation has the input or the terminal closed.
func (t *served) handleOperation(k kind, id uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k == kindCloseInput {
		return t.operate(&t.input, id, t.process.CloseInput)
	}
	if t.closes {
		return broken("a second close")
	}
	t.closes = true
	t.session.work.Go(func() { t.answerClose(id) })
	return nil
}

func (t *served) handleResize(m *resize) error {
	if m.Rows < 1 || m.Rows > core.MaxSize || m.Cols < 1 || m.Cols > core.MaxSize {
		return broken("a size of %d rows and %d columns", m.Rows, m.Cols)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.operate(&t.control, m.ID, func() error { return t.process.Resize(m.Rows, m.Cols) })
}

func (t *served) handleSignal(m *signal) error {
	name := clip(m.Name)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.operate(&t.control, m.ID, func() error { return t.process.Signal(name) })
}

// operate has something done after what is in a lane, and answered. t.mu is held.
func (t *served) operate(l *lane, id uint64, do func() error) error {
	if t.closes {
		send(t.session.link, kindDone, &done{id, failed(errClosed)})
		return nil
	}
	if l.operations++; l.operations > 1 {
		return broken("two operations at once")
	}
	t.enqueue(l, func() {
		err := do()
		t.mu.Lock()
		defer t.mu.Unlock()
		l.operations--
		send(t.session.link, kindDone, &done{id, failed(err)})
	})
	return nil
}

// answerClose closes the terminal for the near side, which hears nothing more of it.
func (t *served) answerClose(id uint64) {
	err := t.shut()
	f := t.session
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.terminals, t.id)
	send(f.link, kindDone, &done{id, failed(err)})
}

func (t *served) close() { t.shut() }

// shut closes the process, and returns when nothing more is said of it.
func (t *served) shut() (err error) {
	t.closing.Do(func() {
		t.output.close()
		close(t.closed)
		err = t.process.Close()
		t.telling.Wait()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.closes = true
		t.window.close()
	})
	return err
}
