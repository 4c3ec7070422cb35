package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func newServer(t testing.TB) *Server {
	t.Helper()
	return serve(t, ServerConfig{Open: true})
}

func newClient(t testing.TB, s *Server) *Client {
	t.Helper()
	a := Access{URL: s.URL()}
	c, err := a.Connect(patient(t), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A running is a worker at work.
type running struct {
	*Worker
	client *Client
	cancel context.CancelFunc // has it end all sessions, and itself
	ended  chan error
}

func newWorker(t testing.TB, s *Server, c WorkerConfig) *running {
	t.Helper()
	if c.Client == nil {
		c.Client = newClient(t, s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{client: c.Client, cancel: cancel, ended: make(chan error, 1)}
	var err error
	if r.Worker, err = NewWorker(c); err != nil {
		t.Fatal(err)
	}
	go func() { r.ended <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		r.ended <- <-r.ended
	})
	return r
}

// A placedHost is a near side, and its place.
type placedHost struct {
	*remote.Host
	place *Place
}

func (p *placedHost) Close() error {
	err := p.Host.Close()
	p.place.Close()
	return err
}

func place(t testing.TB, c PlaceConfig) *placedHost {
	t.Helper()
	return placeTold(t, c, nil)
}

// placeTold is place, and tells what becomes of the connection.
func placeTold(t testing.TB, c PlaceConfig, onState func(remote.State)) *placedHost {
	t.Helper()
	p, err := NewPlace(patient(t), c)
	if err != nil {
		t.Fatal(err)
	}
	h, err := remote.Connect(patient(t), remote.Config{Dial: p.Dial, OnState: onState})
	if err != nil {
		p.Close()
		t.Fatal(err)
	}
	placed := &placedHost{h, p}
	t.Cleanup(func() { placed.Close() })
	return placed
}

// An echoHost has each command write back what it reads.
type echoHost struct {
	mu      sync.Mutex
	started []*echo
}

func (h *echoHost) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Command: c, Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaArgs}, nil
}

func (h *echoHost) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	p := &echo{command: e.Command, said: make(chan []byte), closed: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = append(h.started, p)
	return p, nil
}

func (h *echoHost) all() []*echo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started
}

type echo struct {
	command core.Command
	said    chan []byte
	once    sync.Once
	closed  chan struct{}
}

func (p *echo) Output(sink func(uint8, []byte)) error {
	for {
		select {
		case b := <-p.said:
			sink(1, b)
		case <-p.closed:
			return nil
		}
	}
}

func (p *echo) Write(b []byte) (int, error) {
	select {
	case p.said <- append([]byte(nil), b...):
		return len(b), nil
	case <-p.closed:
		return 0, errors.New("closed")
	}
}

func (p *echo) CloseInput() error     { return nil }
func (p *echo) Resize(int, int) error { return nil }
func (p *echo) Signal(string) error   { return nil }
func (p *echo) Close() error          { p.once.Do(func() { close(p.closed) }); return nil }
func (p *echo) Wait() (core.Exit, error) {
	<-p.closed
	return core.Exit{}, nil
}

// A terminal is a command of an echoHost that runs elsewhere.
type terminal struct {
	t    testing.TB
	p    driver.Process
	came chan string
	exit chan core.Exit
}

func start(t testing.TB, h driver.Host) *terminal {
	t.Helper()
	e, err := h.Resolve(patient(t), core.Command{Command: "echo", Session: "s", Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(patient(t), e)
	if err != nil {
		t.Fatal(err)
	}
	o := &terminal{t, p, make(chan string, 1024), make(chan core.Exit, 1)}
	go p.Output(func(_ uint8, b []byte) { o.came <- string(b) }) // ends with the process
	go func() {                                                  // likewise
		e, _ := p.Wait()
		o.exit <- e
	}()
	t.Cleanup(func() { p.Close() })
	return o
}

// says has the command write something back.
func (o *terminal) says(text string) {
	o.t.Helper()
	if _, err := o.p.Write([]byte(text)); err != nil {
		o.t.Fatal(err)
	}
	o.hears(text)
}

// hears waits until the command has written that and nothing else.
func (o *terminal) hears(text string) {
	o.t.Helper()
	for got := ""; got != text; {
		select {
		case more := <-o.came:
			got += more
		case e := <-o.exit:
			o.t.Fatalf("it has ended: %+v", e)
		case <-time.After(patience):
			o.t.Fatalf("got %q, want %q", got, text)
		}
	}
}

func (o *terminal) lost() core.Exit {
	o.t.Helper()
	select {
	case e := <-o.exit:
		if e.Reason != core.ReasonLost {
			o.t.Errorf("got %+v, want that it is lost", e)
		}
		return e
	case <-time.After(patience):
		o.t.Fatal("nobody tells that it is lost")
	}
	return core.Exit{}
}

// What the suite asks of a host holds behind NATS.
func TestHost(t *testing.T) {
	native, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { native.Close() })
	s := newServer(t)
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 64, Host: native})
	client := newClient(t, s)
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		return place(t, PlaceConfig{Client: client})
	})
}

// says waits until somebody who waits says that. Before, some workers may not have been heard yet.
func says(t *testing.T, said <-chan string, want string) {
	t.Helper()
	late := time.After(patience)
	for got := ""; got != want; {
		select {
		case got = <-said:
		case <-late:
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// Workers have no more sessions than slots. The next one waits until one is free, and says so.
func TestSlots(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	hosts := []*echoHost{{}, {}}
	for i, h := range hosts {
		newWorker(t, s, WorkerConfig{Name: fmt.Sprint("w", i), Slots: 2, Host: h})
	}
	client := newClient(t, s)
	count := make(map[string]int)
	var all []*placedHost
	for range 4 {
		p := place(t, PlaceConfig{Client: client})
		start(t, p).says("hello")
		count[p.place.Worker()]++
		all = append(all, p)
	}
	if count["w0"] != 2 || count["w1"] != 2 {
		t.Errorf("got %v sessions, want 2 on each", count)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := NewPlace(ctx, PlaceConfig{Client: client}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no worker has taken the request") {
		t.Errorf("got %v, want that the time is over, and nobody has taken it", err)
	}
	said := make(chan string, 16)
	placed := make(chan *Place, 1)
	go func() {
		p, err := NewPlace(context.Background(), PlaceConfig{Client: client, OnWait: func(words string) { said <- words }})
		if err != nil {
			t.Error(err)
		}
		placed <- p
	}()
	// The one that gave up is counted no longer, soon.
	says(t, said, "4 of 4 slots taken, 1 wait")
	all[0].Close()
	p := <-placed
	defer p.Close()
	if want := all[0].place.Worker(); p.Worker() != want {
		t.Errorf("placed on %s, want %s", p.Worker(), want)
	}
}

// A request waits for as long as whoever has made it, and no longer, also where the server starts
// again meanwhile.
func TestRequestWaits(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s := serve(t, ServerConfig{Dir: dir, Open: true})
	addr := strings.TrimPrefix(s.URL(), "nats://")
	c := newClient(t, s)
	js, err := c.queue(patient(t))
	if err != nil {
		t.Fatal(err)
	}
	placed := make(chan *Place, 1)
	go func() {
		p, err := NewPlace(patient(t), PlaceConfig{Client: c})
		if err != nil {
			t.Error(err)
		}
		placed <- p
	}()
	waits := func(want int) {
		t.Helper()
		got := -1
		for end := time.Now().Add(patience); got != want && time.Now().Before(end); {
			var err error
			if got, err = waiting(patient(t), js); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Errorf("%d wait, want %d", got, want)
		}
	}
	waits(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := NewPlace(ctx, PlaceConfig{Client: c}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the time is over", err)
	}
	began := time.Now()
	waits(1)
	t.Logf("one that has given up is gone after %v", time.Since(began).Round(time.Millisecond))
	s.Close()
	s = serve(t, ServerConfig{Dir: dir, Open: true, Addr: addr})
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: new(echoHost)})
	if p := <-placed; p != nil {
		p.Close()
	}
}

// A request that wants labels goes to a worker that has them.
func TestPlaceLabels(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	newWorker(t, s, WorkerConfig{Name: "plain", Slots: 8, Host: &echoHost{}})
	newWorker(t, s, WorkerConfig{Name: "gpu", Slots: 2, Host: &echoHost{}, Labels: Labels{"gpu": "a100", "os": "linux"}})
	client := newClient(t, s)
	for range 2 {
		if p := place(t, PlaceConfig{Client: client, Labels: Labels{"gpu": "a100"}}); p.place.Worker() != "gpu" {
			t.Errorf("got worker %s, want gpu", p.place.Worker())
		}
	}
	said := make(chan string, 16)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go NewPlace(ctx, PlaceConfig{ // ends with ctx
		Client: client, Labels: Labels{"gpu": "h100"}, OnWait: func(words string) { said <- words },
	})
	says(t, said, "none of 2 workers has gpu=h100")
}

// A worker that was killed is told of soon, and a near side of another worker is not.
func TestWorkerGone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one := newWorker(t, s, WorkerConfig{Name: "w", Slots: 2, Host: &echoHost{}})
	client := newClient(t, s)
	first, second := start(t, place(t, PlaceConfig{Client: client})), start(t, place(t, PlaceConfig{Client: client}))
	newWorker(t, s, WorkerConfig{Name: "other", Slots: 2, Host: &echoHost{}})
	third := start(t, place(t, PlaceConfig{Client: client}))
	began := time.Now()
	one.client.Close()
	first.lost()
	second.lost()
	t.Logf("lost after %v", time.Since(began).Round(time.Millisecond))
	third.says("still here")
}

// serveTwice starts a server that the test closes, and returns what starts the next one. That ends
// after all that is made in between, which would wait for it.
func serveTwice(t *testing.T, c ServerConfig) (s *Server, restart func(c ServerConfig)) {
	t.Helper()
	s, err := Serve(c)
	if err != nil {
		t.Fatal(err)
	}
	last := s
	t.Cleanup(func() { last.Close() })
	return s, func(c ServerConfig) {
		t.Helper()
		next, err := Serve(c)
		if err != nil {
			t.Fatal(err)
		}
		last = next
	}
}

// What a near side asks for is there again when the server is: nothing is lost.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s, restart := serveTwice(t, ServerConfig{Dir: dir, Addr: "127.0.0.1:0", Open: true})
	host := &echoHost{}
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 2, Host: host})
	client := newClient(t, s)
	o := start(t, place(t, PlaceConfig{Client: client}))
	o.says("before")
	addr := strings.TrimPrefix(s.URL(), "nats://")
	s.Close()
	wrote := make(chan error, 1)
	go func() {
		_, err := o.p.Write([]byte("meanwhile"))
		wrote <- err
	}()
	restart(ServerConfig{Dir: dir, Addr: addr, Open: true})
	o.hears("meanwhile")
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if n := len(host.all()); n != 1 {
		t.Errorf("%d commands have started, want 1", n)
	}
	start(t, place(t, PlaceConfig{Client: client})).says("new")
}

// A gate is a way to a server that can be shut.
type gate struct {
	to, addr string

	mu    sync.Mutex // guards the fields below
	l     net.Listener
	conns []net.Conn
}

// open has connections go through, until shut.
func (g *gate) open(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", cmp.Or(g.addr, "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.l, g.addr = l, l.Addr().String()
	go func() { // ends with the listener
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", g.to)
			if err != nil {
				from.Close()
				continue
			}
			g.mu.Lock()
			g.conns = append(g.conns, from, to)
			g.mu.Unlock()
			go io.Copy(from, to) // both end with their connections
			go io.Copy(to, from)
		}
	}()
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.l.Close()
	for _, c := range g.conns {
		c.Close()
	}
	g.conns = nil
}

// A worker that comes back later than we after a server was away is no worker that is gone.
func TestWorkerComesBackLate(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	s, restart := serveTwice(t, ServerConfig{Dir: dir, Addr: "127.0.0.1:0", Open: true})
	addr := strings.TrimPrefix(s.URL(), "nats://")
	g := &gate{to: addr}
	g.open(t)
	through := Access{URL: "nats://" + g.addr}
	c, err := through.Connect(patient(t), "worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}, Client: c})
	back, breaks := make(chan bool, 8), make(chan bool, 8)
	direct := Access{URL: s.URL(), OnLink: func(lost error) { back <- lost == nil }}
	near, err := direct.Connect(patient(t), "near")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(near.Close)
	o := start(t, placeTold(t, PlaceConfig{Client: near}, func(s remote.State) { breaks <- s.Link == remote.Reconnecting }))
	o.says("before")
	s.Close()
	g.shut()
	restart(ServerConfig{Dir: dir, Addr: addr, Open: true})
	for _, happens := range []chan bool{breaks, back} {
		for is := false; !is; {
			select {
			case is = <-happens:
			case <-time.After(patience):
				t.Fatal("our connection does not break, or is not made again")
			}
		}
	}
	select {
	case e := <-o.exit:
		t.Fatalf("it has ended: %+v", e)
	case <-time.After(2 * goneAfter): // we are told all the time that nobody is there
	}
	g.open(t)
	t.Cleanup(g.shut)
	o.says("after")
}

// A worker that drains takes no more, tells who it has, and ends with the last of them.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 4, Host: &echoHost{}})
	client := newClient(t, s)
	told := make(chan string, 1)
	p := place(t, PlaceConfig{Client: client, OnDrain: func(worker, within string) { told <- worker + " " + within }})
	o := start(t, p)
	list, err := Drain(patient(t), client, "w", time.Hour)
	if err != nil || len(list) != 1 || list[0].Used != 1 || !list[0].Draining {
		t.Errorf("got %+v, %v, want one that drains, with one session", list, err)
	}
	if got := <-told; got != "w 1h0m0s" {
		t.Errorf("told %q, want w 1h0m0s", got)
	}
	newWorker(t, s, WorkerConfig{Name: "other", Slots: 1, Host: &echoHost{}})
	if got := place(t, PlaceConfig{Client: client}).place.Worker(); got != "other" {
		t.Errorf("placed on %s, want other", got)
	}
	o.says("still here")
	select {
	case err := <-w.ended:
		t.Errorf("it has ended with a session: %v", err)
	default:
	}
	p.Close()
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
	w.ended <- nil
	if _, err := Drain(patient(t), client, "nobody", time.Hour); err == nil || !strings.Contains(err.Error(), "no worker is called nobody") {
		t.Errorf("got %v, want that there is none", err)
	}
}

// What drains for too long is ended, and its near side is told.
func TestDrainTimeout(t *testing.T) {
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	o := start(t, place(t, PlaceConfig{Client: newClient(t, s)}))
	w.Drain(0)
	o.lost()
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
	w.ended <- nil
}

// asked is a session that a raw near side has asked for, and what its worker sends.
type asked struct {
	session, up string
	down        chan message
}

// ask has a raw near side ask for a place, and open it.
func ask(t *testing.T, c *Client) *asked {
	t.Helper()
	a := &asked{session: strings.Repeat("A", 26), down: make(chan message, 64)}
	claims := make(chan claim, 1)
	subscribe := func(subject string, handle nats.MsgHandler) {
		sub, err := c.nats.Subscribe(subject, handle)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sub.Unsubscribe() })
	}
	subscribe(ClaimSubject(Anybody, a.session), func(m *nats.Msg) {
		if got, err := parseClaim(m.Data); err == nil {
			select {
			case claims <- got:
			default:
			}
		}
	})
	b, _ := json.Marshal(request{1, a.session})
	for { // until there is a worker
		if _, err := c.nats.RequestWithContext(patient(t), RequestSubject(DefaultPool, Anybody), b); err == nil {
			break
		}
	}
	got := <-claims
	a.up = FarSubject(Anybody, a.session, got.Key, got.Instance)
	subscribe(NearSubject(Anybody, a.session, got.Key, got.Instance), func(m *nats.Msg) {
		if got, err := parseMessage(m.Data); err == nil {
			a.down <- got
		}
	})
	return a
}

func (a *asked) send(t *testing.T, c *Client, m message) {
	t.Helper()
	if err := c.nats.Publish(a.up, m.append(nil)); err != nil {
		t.Fatal(err)
	}
}

// want waits for a message of that kind about that link.
func (a *asked) want(t *testing.T, k kind, conn uint64) {
	t.Helper()
	for {
		select {
		case m := <-a.down:
			if m.kind == k && m.conn == conn {
				return
			}
		case <-time.After(patience):
			t.Fatalf("no message of kind %d about link %d", k, conn)
		}
	}
}

// An open that was used opens nothing, a new one displaces the one before, and what can't be ends a
// link, not the worker.
func TestHostileNear(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	c := newClient(t, s)
	a := ask(t, c)
	a.send(t, c, message{kind: kindOpen, conn: 3})
	a.want(t, kindOpened, 3)
	for _, used := range []uint64{3, 2} {
		a.send(t, c, message{kind: kindOpen, conn: used})
		a.want(t, kindRefused, used)
	}
	a.send(t, c, message{kind: kindOpen, conn: 4})
	a.want(t, kindOpened, 4)
	c.nats.Publish(a.up, []byte("not a message"))
	c.nats.Publish(a.up, nil)
	a.send(t, c, message{kind: kindOpen, conn: 5})
	a.want(t, kindOpened, 5)
	a.send(t, c, message{kind: kindData, conn: 5, body: []byte(strings.Repeat("not a hello", 100))})
	a.want(t, kindClose, 5)
	for _, bad := range []string{"", "{}", "null", `{"v":1,"session":"short"}`, `{"v":2}`, strings.Repeat("[", 900)} {
		if _, err := c.nats.RequestWithContext(patient(t), RequestSubject(DefaultPool, Anybody), []byte(bad)); err != nil {
			t.Fatal(err)
		}
	}
	c.nats.Publish(DrainSubject("w"), []byte("drain!"))
	// Its session was never begun, so the slot is free again when the time for that is over.
	w.mu.Lock()
	unused := w.sessions[Anybody+"."+a.session].unused
	w.mu.Unlock()
	for end := time.Now().Add(patience); !unused.Stop(); { // its link has just ended
		if time.Now().After(end) {
			t.Fatal("a session that nobody has begun goes on")
		}
	}
	unused.Reset(0)
	p := place(t, PlaceConfig{Client: c})
	start(t, p).says("hello")
}

// A session that two workers claim is that of the first, and the other one has its slot back. One
// whose asker has gone takes no slot.
func TestTwoClaims(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	c := newClient(t, s)
	a := ask(t, c)
	a.send(t, c, message{kind: kindRefused, conn: 1})
	b, _ := json.Marshal(request{1, strings.Repeat("B", 26)}) // and nobody waits for a claim
	if _, err := c.nats.RequestWithContext(patient(t), RequestSubject(DefaultPool, Anybody), b); err != nil {
		t.Fatal(err)
	}
	p := place(t, PlaceConfig{Client: c})
	start(t, p).says("hello")
	if got := w.presence().Used; got != 1 {
		t.Errorf("%d slots are in use, want 1", got)
	}

	// And what a second worker says does not come to the near side.
	other := claim{1, Anybody, strings.Repeat("C", 26), "other"}
	text, _ := json.Marshal(other)
	c.nats.Publish(ClaimSubject(Anybody, p.place.session), text)
	forged := message{kind: kindClose, conn: 1}
	c.nats.Publish(NearSubject(Anybody, p.place.session, Anybody, other.Instance), forged.append(nil))
	start(t, p).says("hello again")
}
