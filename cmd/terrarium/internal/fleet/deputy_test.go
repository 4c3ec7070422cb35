package fleet

import (
	"testing"
)

// TestDrainByDeputy has the server answer where a worker is asked to drain, as each user can. The
// worker goes on.
func TestDrainByDeputy(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newClient(t, s)
	alive, err := c.nats.SubscribeSync(Heartbeats)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := c.nats.SubscribeSync(DrainSubject("w1"))
	if err != nil {
		t.Fatal(err)
	}
	newWorker(t, s, WorkerConfig{Name: "w1", Slots: 1, Host: new(echoHost)})
	next(t, alive) // it is there, and so is the queue
	for _, subject := range []string{RequestSubject("nowhere", Anybody), streamInfo} {
		if err := c.nats.PublishRequest(subject, asked.Subject, nil); err != nil {
			t.Fatal(err)
		}
		if got := next(t, asked); got == "" {
			t.Errorf("%s: the server has answered with nothing", subject)
		}
	}
	place(t, PlaceConfig{Client: c})
	for range 3 {
		p, err := ParsePresence([]byte(next(t, alive)))
		if err != nil || p.Draining {
			t.Errorf("got %+v, %v, want that it takes sessions", p, err)
		}
	}
}
