package fleet

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A virtualWorker is a worker in virtual time, without a server between it and its near side.
type virtualWorker struct {
	t         *testing.T
	near, far *link // change only while they are made

	mu     sync.Mutex // guards the fields below
	killed bool
	states []remote.State // that its near side was told
}

// newVirtualWorker returns a worker with the terminals of one session.
func newVirtualWorker(t *testing.T, terminals int) (w *virtualWorker, list []*terminal) {
	t.Helper()
	w = &virtualWorker{t: t}
	w.near = newLink(1, heartbeat, w.up)
	w.far = newLink(1, heartbeat, w.down)
	server := remote.NewServer(remote.ServerConfig{Host: &echoHost{}})
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(w.far) }) // ends with the link
	first := make(chan io.ReadWriteCloser, 1)
	first <- w.near
	again := redial{
		worker:    "w",
		connected: func(context.Context) error { return nil },
		open:      func(context.Context) (*link, error) { return nil, errNobody },
		settled:   func() bool { return true },
		isClosed:  func() bool { return false },
	}
	host, err := remote.Connect(t.Context(), remote.Config{
		Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
			select {
			case l := <-first:
				return l, nil
			default:
				return again.dial(ctx)
			}
		},
		OnState: func(s remote.State) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.states = append(w.states, s)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		host.Close()
		w.near.Close()
		w.far.Close()
		server.Close()
		serving.Wait()
	})
	for range terminals {
		list = append(list, start(t, host))
	}
	return w, list
}

// up takes what the near side sends. As a server does, it says that nobody is there to who asks.
func (w *virtualWorker) up(b []byte, asks bool) error {
	switch {
	case !w.isKilled():
		w.pass(b, w.far)
	case asks:
		return errNobody
	}
	return nil
}

// down takes what the worker sends.
func (w *virtualWorker) down(b []byte, _ bool) error {
	if !w.isKilled() {
		w.pass(b, w.near)
	}
	return nil
}

func (w *virtualWorker) pass(b []byte, to *link) {
	m, err := parseMessage(bytes.Clone(b))
	if err != nil {
		w.t.Error(err)
		return
	}
	to.receive(&m)
}

func (w *virtualWorker) isKilled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.killed
}

// kill has nothing come from the worker any more, not even that it ends.
func (w *virtualWorker) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.killed = true
}

func (w *virtualWorker) told() []remote.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states
}

// One of three workers is killed, at any moment between two heartbeats: all terminals that it had
// are told within two heartbeats that they are lost, and nobody else is told anything.
func TestWorkerKilled(t *testing.T) {
	for at := time.Duration(0); at < heartbeat; at += heartbeat / 20 {
		synctest.Test(t, func(t *testing.T) {
			const terminals = 3
			killed, lost := newVirtualWorker(t, terminals)
			second, kept := newVirtualWorker(t, terminals)
			third, more := newVirtualWorker(t, terminals)
			kept = append(kept, more...)
			time.Sleep(10*heartbeat + at)
			killed.kill()
			began := time.Now()
			for _, o := range lost {
				o.lost()
			}
			if d := time.Since(began); d > 2*heartbeat {
				t.Errorf("killed %v behind a heartbeat: told after %v, want at most %v", at, d, 2*heartbeat)
			}
			time.Sleep(10 * heartbeat)
			for _, o := range kept {
				o.says("still here")
			}
			if states := append(second.told(), third.told()...); len(states) > 0 {
				t.Errorf("others are told %v", states)
			}
		})
	}
}
