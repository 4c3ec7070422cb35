package fleet

import (
	"testing"
	"time"
)

// TestList has a worker with one slot used, and one request that waits for labels nobody has.
func TestList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newClient(t, s)
	if l, err := List(patient(t), c); err != nil || len(l.Workers) != 0 || l.Waiting != 0 {
		t.Errorf("got %+v, %v, want nothing", l, err)
	}
	newWorker(t, s, WorkerConfig{Name: "w1", Slots: 2, Host: new(echoHost), Labels: Labels{"gpu": "no"}})
	place(t, PlaceConfig{Client: c})
	if err := c.nats.Publish(RequestSubject("nowhere", Anybody), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; {
		l, err := List(patient(t), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Workers) == 1 && l.Waiting == 1 {
			if p := l.Workers[0]; p.Name != "w1" || p.Slots != 2 || p.Used != 1 || p.Labels["gpu"] != "no" || p.Draining {
				t.Errorf("got %+v", p)
			}
			return
		}
		if time.Now().After(end) { // heartbeats may be late
			t.Fatalf("got %+v, want one worker and one that waits", l)
		}
	}
}
