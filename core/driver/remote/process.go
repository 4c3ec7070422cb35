package remote

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// errClosed is what methods return after Close.
var errClosed = fmt.Errorf("remote: process: %w", os.ErrClosed)

// closeLimit is how long Close waits for the far side.
const closeLimit = 5 * time.Second

// A process is a command on the far side.
type process struct {
	host     *Host
	id       uint64
	pty      bool
	joined   bool          // both streams are one
	controls chan struct{} // holds a value while a Resize or Signal is not answered
	inputs   chan struct{} // holds a value while a Write or CloseInput is not answered
	input    *allowance

	closed   chan struct{} // closed by Close, or where nobody waits for the start any longer
	exited   chan struct{} // closed when exit is set
	exit     core.Exit
	closing  sync.Once
	closeErr error

	mu      sync.Mutex // guards the fields below; comes after the Host's
	more    sync.Cond  // there is output, its end, or an end of all; or a part of a Write was taken
	running bool       // its start was answered
	gone    bool       // closed is
	lost    error      // why nothing more comes

	window   window  // for output
	pieces   []piece // of output that has come
	waiting  int     // bytes that the sink was not given yet, and those that it is just being given
	received uint64
	// what received will be, at the most, when all has come that was written at the exit; 0 if it
	// has
	unpassed uint64
	over     bool // no more output comes

	sent    int64   // bytes of the call of Write
	written written // what is known of it
}

var (
	_ driver.Process = (*process)(nil)
	_ driver.Pender  = (*process)(nil)
)

func newProcess(h *Host, c *core.Command) *process {
	p := &process{
		host: h, pty: c.Pty, joined: c.Pty || c.OneStream, window: h.pool.open(), input: newAllowance(0),
		controls: make(chan struct{}, 1), inputs: make(chan struct{}, 1),
		closed: make(chan struct{}), exited: make(chan struct{}),
	}
	p.more.L = &p.mu
	return p
}

// start notes that the command runs. It reports whether nobody waits for that.
func (p *process) start(credit int64) (gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = true
	p.input.add(credit)
	return p.gone
}

// forget drops what is kept of a process that nobody has, or nobody has any longer.
func (p *process) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	p.window.close()
}

// leave ends all methods. p.mu is held.
func (p *process) leave() {
	if p.gone {
		return
	}
	p.gone = true
	p.pieces = nil
	p.input.close()
	close(p.closed)
	p.more.Broadcast()
}

// lose ends a process whose far side is gone.
func (p *process) lose(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = err
	select {
	case <-p.exited:
	default:
		p.exit = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
		close(p.exited)
	}
	p.input.close()
	p.more.Broadcast()
}

// lostError is what methods return when the far side is gone.
func lostError(why error) error {
	if errors.Is(why, ErrClosed) {
		return why
	}
	return fmt.Errorf("remote: the far side is lost: %w", why)
}

// handleOutput keeps what the sink is to be given; keep has the buffer that it is in kept. p.mu is
// held here and below.
func (p *process) handleOutput(m *output, keep func() []byte) error {
	cost := dataCost(len(m.Data))
	switch {
	case p.over:
		return broken("output after its end")
	case len(m.Data) == 0 || len(m.Data) > maxData || m.Stream != 1 && (m.Stream != 2 || p.joined):
		return broken("%d bytes of output on stream %d", len(m.Data), m.Stream)
	case !p.window.arrive(cost):
		return broken("more output than there was credit for")
	case p.gone:
		return nil // and it gets no credit any more
	}
	p.received += uint64(len(m.Data))
	p.waiting += len(m.Data)
	if n := len(p.pieces); n == 0 || !p.pieces[n-1].join(m.Stream, m.Data, cost) {
		p.pieces = append(p.pieces, newPiece(m.Stream, m.Data, cost, keep()))
	}
	p.more.Broadcast()
	return nil
}

func (p *process) handleOutputEnd(*outputEnd) error {
	if p.over {
		return broken("a second end of output")
	}
	p.over = true
	p.more.Broadcast()
	return nil
}

func (p *process) handleExited(m *exited) error {
	select {
	case <-p.exited:
		return broken("a second exit")
	default:
	}
	if !m.Exit.possible() {
		return broken("an exit that can't be")
	}
	if m.Pending < 0 {
		return broken("%d bytes of output to come", m.Pending)
	}
	p.exit = core.Exit(m.Exit)
	if m.Pending > 0 {
		p.unpassed = p.received + uint64(m.Pending)
	}
	close(p.exited)
	return nil
}

func (p *process) handlePassed() error {
	if p.unpassed == 0 {
		return broken("that all output has passed was not awaited")
	}
	p.unpassed = 0
	return nil
}

func (p *process) handleCredit(m *credit) error {
	if !p.input.add(m.Bytes) && !p.gone {
		return broken("it grants %d bytes of input", m.Bytes)
	}
	return nil
}

// handleWritten wakes the Write that it is about.
func (p *process) handleWritten(m *written) error {
	last := &p.written
	switch {
	case m.Call != last.Call || m.Call == 0:
		return broken("it tells of a write that there is not")
	case m.Bytes < last.Bytes || m.Bytes > p.sent || last.Failure != nil:
		return broken("it tells of a write what can't be")
	}
	*last = *m
	p.more.Broadcast()
	return nil
}

// Output implements driver.Process. If the far side is lost, it ends with a line that says so, but
// for Config.QuietLoss.
func (p *process) Output(sink func(stream uint8, p []byte)) error {
	midLine := false
	stream := uint8(1)
	give := func(on uint8, b []byte) {
		sink(on, b)
		stream, midLine = on, b[len(b)-1] != '\n'
	}
	var pieces []piece
	for {
		pieces = p.next(pieces)
		if len(pieces) == 0 {
			break
		}
		for i := range pieces {
			give(pieces[i].stream, pieces[i].data)
			if !p.passed(&pieces[i]) {
				return nil
			}
		}
	}
	if why := p.whyLost(); why != "" {
		text := "terrarium: " + why + "\n"
		if midLine {
			text = "\n" + text
		}
		if p.pty {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if !p.joined {
			stream = 2
		}
		sink(stream, []byte(text))
	}
	return nil
}

// whyLost returns words for a command of which more output might have come, had the far side not
// been lost, or "" where there is nothing to say.
func (p *process) whyLost() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.host.config.QuietLoss || p.lost == nil || p.over || p.gone || errors.Is(p.lost, ErrClosed) {
		return ""
	}
	return "lost: " + strings.ReplaceAll(p.lost.Error(), "\n", " ")
}

// next waits for output and takes all of it. There is none at the end. What is passed already is
// where more of it is kept.
func (p *process) next(passed []piece) []piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cap(passed) > maxSpare {
		passed = nil
	}
	for len(p.pieces) == 0 && !p.over && !p.gone && p.lost == nil {
		p.more.Wait()
	}
	pieces := p.pieces
	p.pieces = passed[:0]
	return pieces
}

// maxSpare is how many elements a list is kept with that was emptied.
const maxSpare = 64

// passed tells that the sink has been given a piece, and grants credit for more. It reports whether
// the process is not closed.
func (p *process) passed(x *piece) bool {
	n, cost := len(x.data), x.cost
	x.free()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting -= n
	if p.gone {
		return false
	}
	if grant := p.window.use(cost); grant > 0 && p.lost == nil && !p.over {
		send(p.host.link, kindCredit, &credit{p.id, grant})
	}
	return true
}

// OutputPending implements driver.Pender.
func (p *process) OutputPending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.waiting
	if p.unpassed > 0 && !p.over && p.lost == nil {
		n += max(1, int(p.unpassed-min(p.unpassed, p.received))) // on its way
	}
	return n
}

// Wait implements driver.Process. If the far side is lost, the exit is of core.ReasonLost.
func (p *process) Wait() (core.Exit, error) {
	select {
	case <-p.closed:
		return core.Exit{}, errClosed
	default:
	}
	select {
	case <-p.exited:
		return p.exit, nil
	case <-p.closed:
		return core.Exit{}, errClosed
	}
}

// Write implements driver.Process.
func (p *process) Write(b []byte) (int, error) {
	select {
	case p.inputs <- struct{}{}:
		defer func() { <-p.inputs }()
	case <-p.closed:
		return 0, errClosed
	}
	call, err := p.newCall()
	if err != nil {
		return 0, err
	}
	for rest := b; len(rest) > 0; {
		n := p.input.take(len(rest))
		if n == 0 || !p.noteSent(n) {
			break // closed or lost, or the command takes no more
		}
		send(p.host.link, kindWrite, &write{p.id, call, rest[:n]})
		rest = rest[n:]
	}
	return p.awaitWritten(len(b))
}

// newCall begins a call of Write.
func (p *process) newCall() (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone:
		return 0, errClosed
	case p.lost != nil:
		return 0, lostError(p.lost)
	}
	p.written, p.sent = written{Call: p.written.Call + 1}, 0
	return p.written.Call, nil
}

// noteSent reports whether n more bytes of what Write was given can be sent.
func (p *process) noteSent(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written.Failure != nil {
		p.input.giveBack(dataCost(n))
		return false
	}
	p.sent += int64(n)
	return true
}

// awaitWritten waits until what was sent of all that Write was given is taken.
func (p *process) awaitWritten(all int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.written
	for m.Bytes < p.sent && m.Failure == nil && !p.gone && p.lost == nil {
		p.more.Wait()
	}
	n := int(m.Bytes)
	switch {
	case m.Failure != nil:
		return n, m.Failure.error()
	case n == all:
		return n, nil
	case p.gone:
		return n, errClosed
	}
	return n, lostError(p.lost)
}

// CloseInput implements driver.Process.
func (p *process) CloseInput() error {
	return p.operate(kindCloseInput, p.inputs)
}

// Resize implements driver.Process.
func (p *process) Resize(rows, cols int) error {
	return control(p, kindResize, p.controls, func(id uint64) *resize { return &resize{id, p.id, rows, cols} })
}

// Signal implements driver.Process.
func (p *process) Signal(name string) error {
	return control(p, kindSignal, p.controls, func(id uint64) *signal { return &signal{id, p.id, name} })
}
