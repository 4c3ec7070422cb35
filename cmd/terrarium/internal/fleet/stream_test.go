package fleet

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Where somebody else has made the queue, without what requests need, a worker does not join, and
// who wants a place is told why there is none.
func TestStreamWithoutTTL(t *testing.T) {
	s := newServer(t)
	c := newClient(t, s)
	js, err := jetstream.New(c.nats)
	if err != nil {
		t.Fatal(err)
	}
	config := StreamConfig()
	config.AllowMsgTTL = false
	if _, err := js.CreateStream(patient(t), config); err != nil {
		t.Fatal(err)
	}
	w, err := NewWorker(WorkerConfig{Client: c, Name: "w", Slots: 1, Host: new(echoHost)})
	if err != nil {
		t.Fatal(err)
	}
	const want = "the stream TERRARIUM takes no TTL for each message"
	if err := w.Run(patient(t)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a worker: got %v, want %s", err, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := NewPlace(ctx, PlaceConfig{Client: c}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a near side: got %v, want %s", err, want)
	}
}
