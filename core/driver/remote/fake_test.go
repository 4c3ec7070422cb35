package remote

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A fakeHost has each of its commands do what run says, and counts them.
type fakeHost struct {
	run   func(p *fakeProcess)
	hangs bool           // to resolve "slow" takes until nobody waits
	take  func(p []byte) // what they are given, in place of noting it; or nil

	mu      sync.Mutex
	started []*fakeProcess
}

func (h *fakeHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	if c.Command == "missing" {
		return core.Exec{}, &core.HostError{Reason: "not_found", Message: "missing: not found"}
	}
	if c.Command == "slow" && h.hangs {
		<-ctx.Done()
		return core.Exec{}, ctx.Err()
	}
	if c.Command == "nowhere" {
		return core.Exec{Command: c}, nil
	}
	return core.Exec{Command: c, Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaArgs}, nil
}

func (h *fakeHost) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	p := &fakeProcess{command: e.Command, exited: make(chan struct{}), closed: make(chan struct{}), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = append(h.started, p)
	p.run, p.take = h.run, h.take
	return p, nil
}

func (h *fakeHost) all() []*fakeProcess {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started
}

// A fakeProcess notes what is done to it.
type fakeProcess struct {
	command core.Command
	run     func(p *fakeProcess)
	sink    func(stream uint8, p []byte)
	exited  chan struct{} // closed by exit
	closed  chan struct{}
	done    chan struct{} // closed when run has returned
	once    sync.Once
	status  core.Exit

	mu      sync.Mutex
	written []byte
	take    func(p []byte) // in place of written
	signals []string
}

func (p *fakeProcess) Output(sink func(stream uint8, p []byte)) error {
	p.sink = sink
	if p.run != nil {
		p.run(p)
	}
	close(p.done)
	if p.run == nil {
		<-p.closed
	}
	return nil
}

func (p *fakeProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.take != nil {
		p.take(b)
	} else {
		p.written = append(p.written, b...)
	}
	return len(b), nil
}

func (p *fakeProcess) CloseInput() error     { return nil }
func (p *fakeProcess) Resize(int, int) error { return nil }

func (p *fakeProcess) Signal(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signals = append(p.signals, name)
	return nil
}

func (p *fakeProcess) Wait() (core.Exit, error) {
	select {
	case <-p.exited:
		return p.status, nil
	case <-p.closed:
		return core.Exit{}, io.ErrClosedPipe
	}
}

func (p *fakeProcess) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// A line is the connections between a host and a server, which a test can cut.
type line struct {
	server *Server
	dials  int
	pipe   func() (near, far io.ReadWriteCloser) // makes a connection; nil for net.Pipe

	mu      sync.Mutex
	now     io.Closer
	refused error // of dials from now on
	serving sync.WaitGroup
}

func (l *line) dial(context.Context) (io.ReadWriteCloser, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dials++
	if l.refused != nil {
		return nil, l.refused
	}
	var near, far io.ReadWriteCloser
	if l.pipe != nil {
		near, far = l.pipe()
	} else {
		near, far = net.Pipe()
	}
	l.serving.Go(func() { l.server.Serve(far) }) // ends with the connection
	l.now = near
	return near, nil
}

// cut breaks the connection. If refused is not nil, others fail with it until the next cut.
func (l *line) cut(refused error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = refused
	if l.now != nil {
		l.now.Close()
	}
}

// cutWhole breaks the connection, unless that was done before, and reports whether it did.
func (l *line) cutWhole() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return false
	}
	l.now.Close()
	l.now = nil
	return true
}

// pair returns a host and the server that it is connected to, which end with the test.
func pair(t *testing.T, f *fakeHost, c Config) (*Host, *line) {
	t.Helper()
	return pairWith(t, ServerConfig{Host: f}, c)
}

func pairWith(t *testing.T, s ServerConfig, c Config) (*Host, *line) {
	t.Helper()
	l := new(line)
	return connectLine(t, l, s, c), l
}

// connectLine returns a host that is connected to a server by l. They end with the test.
func connectLine(t *testing.T, l *line, s ServerConfig, c Config) *Host {
	t.Helper()
	l.server = NewServer(s)
	c.Dial = l.dial
	h, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		l.server.Close()
		l.serving.Wait()
	})
	return h
}

func run(t *testing.T, h *Host, c core.Command) driver.Process {
	t.Helper()
	c.Rows, c.Cols = 24, 80
	e, err := h.Resolve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
