package coretest

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// fakeHost is a driver.Host whose every answer a script gives. It knows the
// terminals by number, the first being 1: in the order of Resolve.
type fakeHost struct {
	mu       sync.Mutex
	observed []string
	asked    []*fakeTerminal
	current  int           // the terminal that the input now carried out is about
	ended    chan struct{} // closed when the script is over
}

// fakeTerminal is the questions that a terminal's driver has open. A question
// is a channel for its answer, nil while nobody asks.
type fakeTerminal struct {
	number   int
	resolve  chan resolution
	decision chan core.Decision
	question chan Line // asks the ACP peer, or stops that
	start    chan error
	process  *fakeProcess
}

type resolution struct {
	exec core.Exec
	err  error
}

var errScriptOver = errors.New("coretest: the script is over")

func newFakeHost() *fakeHost { return &fakeHost{ended: make(chan struct{})} }

// observe notes an effect on terminal n. Effects show terminals by number.
func (h *fakeHost) observe(n int, e core.Effect) {
	e.ID = scriptID(n)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observed = append(h.observed, "< "+e.String())
}

// take returns what was observed since the last call.
func (h *fakeHost) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := h.observed
	h.observed = nil
	return lines
}

// terminal returns terminal n, or nil.
func (h *fakeHost) terminal(n int) *fakeTerminal {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < 1 || n > len(h.asked) {
		return nil
	}
	return h.asked[n-1]
}

// Resolve waits for the script's "resolved".
func (h *fakeHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	h.mu.Lock()
	t := &fakeTerminal{number: len(h.asked) + 1, resolve: make(chan resolution, 1)}
	h.asked = append(h.asked, t)
	h.mu.Unlock()
	h.observe(t.number, core.Effect{Kind: core.Resolve, Command: &c})
	select {
	case r := <-t.resolve:
		return r.exec, r.err
	case <-ctx.Done():
		return core.Exec{}, ctx.Err()
	case <-h.ended:
		return core.Exec{}, errScriptOver
	}
}

// decide waits for the script's "decision", and asks the ACP peer where the script
// says so.
func (h *fakeHost) decide(ctx context.Context, e core.Exec) core.Decision {
	h.mu.Lock()
	t := h.asked[h.current-1]
	t.decision, t.question = make(chan core.Decision, 1), make(chan Line, 1)
	h.mu.Unlock()
	h.observe(t.number, core.Effect{Kind: core.Ask, Exec: &e})
	var cancels []context.CancelFunc
	cancel := func() {
		for _, c := range cancels {
			c()
		}
	}
	defer cancel()
	for {
		select {
		case d := <-t.decision:
			return d
		case in := <-t.question:
			if in.Verb == "cancel_question" {
				cancel()
				continue
			}
			asking, stop := context.WithCancel(ctx)
			cancels = append(cancels, stop)
			go h.question(asking, t, in.Question(&e)) // ends with asking
		case <-ctx.Done():
			return core.Decision{}
		case <-h.ended:
			return core.Decision{}
		}
	}
}

// question asks the ACP peer whose command is decided about.
func (h *fakeHost) question(ctx context.Context, t *fakeTerminal, q acp.Question) {
	peer, ok := acpconn.PeerOf(ctx)
	if !ok {
		return
	}
	outcome, err := peer.RequestPermission(ctx, q)
	if errors.Is(err, context.Canceled) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observed = append(h.observed, showAnswer("t"+strconv.Itoa(t.number), outcome, err))
}

// Start waits for the script's "start", also when ctx has ended: a host may
// be past the point of return.
func (h *fakeHost) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	h.mu.Lock()
	t := h.asked[h.current-1]
	t.start = make(chan error, 1)
	h.mu.Unlock()
	h.observe(t.number, core.Effect{Kind: core.Start, Exec: &e})
	select {
	case err := <-t.start:
		if err != nil {
			return nil, err
		}
	case <-h.ended:
		return nil, errScriptOver
	}
	t.process = newFakeProcess(h, t.number)
	return t.process, nil
}

// fakeProcess is a driver.Process that does what a script says.
type fakeProcess struct {
	host   *fakeHost
	number int

	output chan fakeOutput
	exit   chan core.Exit
	closed chan struct{} // Close was called
	freed  chan struct{} // the script has said "closed"
	once   sync.Once
}

// fakeOutput is a chunk of output; stream 0 is its end.
type fakeOutput struct {
	stream uint8
	p      []byte
}

func newFakeProcess(h *fakeHost, number int) *fakeProcess {
	return &fakeProcess{
		host: h, number: number,
		output: make(chan fakeOutput), exit: make(chan core.Exit, 1),
		closed: make(chan struct{}), freed: make(chan struct{}, 1),
	}
}

func (p *fakeProcess) Output(sink func(stream uint8, p []byte)) error {
	for {
		select {
		case o := <-p.output:
			if o.stream == 0 {
				return nil
			}
			sink(o.stream, o.p)
		case <-p.closed:
			return nil
		}
	}
}

// send hands a chunk to Output, if that still listens.
func (p *fakeProcess) send(o fakeOutput, settled func()) {
	go func() {
		select {
		case p.output <- o:
		case <-p.closed:
		case <-p.host.ended:
		}
	}()
	settled()
}

func (p *fakeProcess) Write(data []byte) (int, error) {
	p.host.observe(p.number, core.Effect{Kind: core.WriteInput, Data: data})
	return len(data), nil
}

func (p *fakeProcess) CloseInput() error {
	p.host.observe(p.number, core.Effect{Kind: core.CloseInput})
	return nil
}

func (p *fakeProcess) Resize(rows, cols int) error {
	p.host.observe(p.number, core.Effect{Kind: core.Resize, Rows: rows, Cols: cols})
	return nil
}

func (p *fakeProcess) Signal(name string) error {
	p.host.observe(p.number, core.Effect{Kind: core.Signal, Signal: name})
	return nil
}

func (p *fakeProcess) Wait() (core.Exit, error) {
	select {
	case e := <-p.exit:
		return e, nil
	case <-p.closed:
		return core.Exit{}, io.ErrClosedPipe
	}
}

// Close returns when the script says "closed".
func (p *fakeProcess) Close() error {
	p.once.Do(func() {
		p.host.observe(p.number, core.Effect{Kind: core.Close})
		close(p.closed)
	})
	select {
	case <-p.freed:
	case <-p.host.ended:
	}
	return nil
}
