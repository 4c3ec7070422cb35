package fleet

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A broken is a near side whose connection to the server breaks when the test says so.
type broken struct {
	*gate
	t      *testing.T
	client *Client
	back   chan bool // told when the connection is there again
}

func newBroken(t *testing.T, s *Server) *broken {
	t.Helper()
	b := &broken{gate: &gate{to: strings.TrimPrefix(s.URL(), "nats://")}, t: t, back: make(chan bool, 8)}
	b.open(t)
	t.Cleanup(b.shut)
	through := Access{URL: "nats://" + b.addr, OnLink: func(lost error) {
		if lost == nil {
			b.back <- true
		}
	}}
	var err error
	if b.client, err = through.Connect(patient(t), "near"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.client.Close)
	return b
}

// breaks breaks the connection, does something, and returns when there is another.
func (b *broken) breaks(meanwhile func()) {
	b.t.Helper()
	b.shut()
	meanwhile()
	b.open(b.t)
	select {
	case <-b.back:
	case <-time.After(patience):
		b.t.Fatal("the connection is not made again")
	}
}

// A worker that was heard since our connection was made anew is back: where it ends then, that is
// told as soon as ever.
func TestWorkerGoneAfterBreak(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	b := newBroken(t, s)
	b.client.backIn = 100 * patience // so that only the short time can end it here
	o := start(t, place(t, PlaceConfig{Client: b.client}))
	o.says("before")
	b.breaks(func() {})
	o.says("after")
	began := time.Now()
	w.client.Close()
	o.lost()
	t.Logf("lost after %v", time.Since(began).Round(time.Millisecond))
}

// A worker that ends while our connection is broken may only be late. It is waited for, and then
// told of.
func TestWorkerNeverBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	b := newBroken(t, s)
	b.client.backIn = 3 * goneAfter
	lost := make(chan time.Time, 1)
	o := start(t, placeTold(t, PlaceConfig{Client: b.client}, func(s remote.State) {
		if s.Link == remote.Lost {
			lost <- time.Now()
		}
	}))
	o.says("before")
	b.breaks(w.client.Close)
	o.lost()
	b.client.mu.Lock()
	anew := b.client.broke
	b.client.mu.Unlock()
	if waited := (<-lost).Sub(anew); waited < b.client.backIn {
		t.Errorf("lost %v after our connection was there again, want at least %v", waited, b.client.backIn)
	}
}

// A worker that claims a session and then is silent may have it all the same. So it is asked for
// anew under another name: who has one of that name takes no request for it.
func TestClaimThenSilent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	silent := newClient(t, s)
	js, err := silent.queue(patient(t))
	if err != nil {
		t.Fatal(err)
	}
	pool, err := consumer(patient(t), js, DefaultPool)
	if err != nil {
		t.Fatal(err)
	}
	placed := make(chan *Place, 1)
	near := newClient(t, s)
	go func() {
		p, err := NewPlace(patient(t), PlaceConfig{Client: near})
		if err != nil {
			t.Error(err)
		}
		placed <- p
	}()
	next := func() (m jetstream.Msg, session string) {
		t.Helper()
		m, err := pool.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			t.Fatal(err)
		}
		if session, err = parseRequest(m.Data()); err != nil {
			t.Fatal(err)
		}
		return m, session
	}
	m, first := next()
	m.Ack()
	instance := strings.Repeat("C", 26)
	heard, err := silent.nats.SubscribeSync(FarSubject(Anybody, first, Anybody, instance))
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Unsubscribe()
	b, _ := json.Marshal(claim{1, Anybody, instance, "silent"})
	silent.nats.Publish(ClaimSubject(Anybody, first), b)
	m, second := next()
	if second == first {
		t.Error("it is asked for under the same name")
	}
	m.Nak()
	newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: &echoHost{}})
	p := <-placed
	if p == nil || p.Worker() != "w" {
		t.Fatalf("got %+v, want a place of the other worker", p)
	}
	p.Close()
}
