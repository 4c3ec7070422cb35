package fleet

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A fakeEngine opens hosts, each for itself, as long as it works. Whoever asks for a place asks
// again, in a new session, where a worker has not answered within openTime. So there may be hosts
// of sessions that nobody uses.
type fakeEngine struct {
	gate chan struct{} // if not nil, none is opened before it is closed

	mu     sync.Mutex
	broken error
	hosts  []*fakeOwn
}

type fakeOwn struct {
	echoHost
	lost   func(error)
	closed chan struct{}
}

func (o *fakeOwn) Close() error {
	close(o.closed)
	return nil
}

func (e *fakeEngine) open(ctx context.Context, lost func(error)) (OwnHost, error) {
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken != nil {
		return nil, e.broken
	}
	o := &fakeOwn{lost: lost, closed: make(chan struct{})}
	e.hosts = append(e.hosts, o)
	return o, nil
}

func (e *fakeEngine) ready(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.broken
}

func (e *fakeEngine) set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = err
}

// used returns the hosts that have started a command.
func (e *fakeEngine) used() []*fakeOwn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.hosts), func(o *fakeOwn) bool { return len(o.all()) == 0 })
}

// Each session has a host of its own. One that ends takes its session with it, which is told why,
// and no other.
func TestOwnHosts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	e := &fakeEngine{}
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 2, Open: e.open, Ready: e.ready})
	client := newClient(t, s)
	p, err := NewPlace(patient(t), PlaceConfig{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	states := make(chan remote.State, 8)
	h, err := remote.Connect(patient(t), remote.Config{Dial: p.Dial, OnState: func(s remote.State) { states <- s }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	first := start(t, h)
	second := start(t, place(t, PlaceConfig{Client: client}))
	first.says("one")
	second.says("two")
	all := e.used()
	if len(all) != 2 || len(all[0].all()) != 1 || len(all[1].all()) != 1 {
		t.Fatalf("got %d hosts, want two, each with a command", len(all))
	}
	all[0].lost(errors.New("its container has ended"))
	first.lost()
	if s := <-states; s.Link != remote.Lost || !strings.Contains(s.Err.Error(), "worker w: its container has ended") {
		t.Errorf("got %v and %v, want that it is lost, and why", s.Link, s.Err)
	}
	<-all[0].closed
	second.says("still here")
}

// Who asked is told why there is no host. The worker takes nothing more until there can be one, and
// another one does.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	e := &fakeEngine{broken: errors.New("no space left on device"), gate: make(chan struct{})}
	said := make(chan string, 16)
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 8, Open: e.open, Ready: e.ready, Say: func(line string) { said <- line }})
	client := newClient(t, s)
	p := place(t, PlaceConfig{Client: client})
	close(e.gate) // not before: a worker that fails gives no place to who has to ask again
	_, err := p.Resolve(patient(t), core.Command{Command: "x"})
	if host, ok := errors.AsType[*core.HostError](err); !ok || host.Reason != "start_failed" || host.Message != "worker w: no space left on device" {
		t.Errorf("got %v, want the words of the engine", err)
	}
	if got, want := <-said, "joined: 8 slots"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := <-said, "it takes no sessions until this works again: no space left on device"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	waits := make(chan string, 16)
	placed := make(chan *Place, 1)
	go func() {
		p, err := NewPlace(context.Background(), PlaceConfig{Client: client, OnWait: func(words string) { waits <- words }})
		if err != nil {
			t.Error(err)
		}
		placed <- p
	}()
	says(t, waits, "1 worker can't start sessions now")
	e.set(nil)
	got := <-placed
	defer got.Close()
	if line := <-said; line != "it works again, and takes sessions" {
		t.Errorf("got %q", line)
	}
}

// A worker that is to end does not wait for a host that is just being opened.
func TestOpenHangs(t *testing.T) {
	s := newServer(t)
	opening := make(chan struct{})
	opens := sync.OnceFunc(func() { close(opening) })
	w := newWorker(t, s, WorkerConfig{
		Name: "w", Slots: 1, Ready: func(context.Context) error { return nil },
		Open: func(ctx context.Context, _ func(error)) (OwnHost, error) {
			opens()
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	place(t, PlaceConfig{Client: newClient(t, s)})
	<-opening
	w.Drain(0)
	err := <-w.ended
	w.ended <- err
	if err != nil {
		t.Errorf("got %v", err)
	}
}

// A pipeHost is a host behind a stream that is there once, as a container's is.
type pipeHost struct {
	*remote.Host
	server *remote.Server
}

func (h *pipeHost) Close() error {
	h.Host.Close()
	return h.server.Close()
}

// What the suite asks of a host holds behind NATS and a container's stream.
func TestHostBehindHost(t *testing.T) {
	native, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { native.Close() })
	s := newServer(t)
	newWorker(t, s, behindStream("w", 64, native, func() (near, far io.ReadWriteCloser) { return net.Pipe() }))
	client := newClient(t, s)
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		return place(t, PlaceConfig{Client: client})
	})
}

// behindStream configures a worker whose sessions have the host at the other end of a stream, as in
// a container.
func behindStream(name string, slots int, host driver.Host, stream func() (near, far io.ReadWriteCloser)) WorkerConfig {
	return WorkerConfig{
		Name: name, Slots: slots, Ready: func(context.Context) error { return nil },
		Open: func(ctx context.Context, _ func(error)) (OwnHost, error) {
			h := &pipeHost{server: remote.NewServer(remote.ServerConfig{Host: host})}
			var err error
			h.Host, err = remote.Connect(ctx, remote.Config{Dial: func(context.Context) (io.ReadWriteCloser, error) {
				near, far := stream()
				go h.server.Serve(far) // ends with the connection
				return near, nil
			}})
			return h, err
		},
	}
}
