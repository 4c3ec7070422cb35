package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Who has waited for less than workers may be silent is told what is known, and not that there are
// none.
func TestWaitWords(t *testing.T) {
	t.Parallel()
	client := newClient(t, newServer(t))
	js, err := jetstream.New(client.nats)
	if err != nil {
		t.Fatal(err)
	}
	const untaken = "no worker has taken the request"
	for _, test := range []struct {
		what   string
		looked time.Duration // for which it was listened to them; 0: not yet
		heard  []Presence
		want   string
		whole  bool // want is all that is said
	}{
		{what: "not looked", want: untaken, whole: true},
		{what: "a moment", looked: heartbeat / 2, want: untaken + ", and none was heard in 1s", whole: true},
		{what: "a heartbeat", looked: heartbeat, want: untaken + ", and none was heard in 2s", whole: true},
		{what: "long", looked: 2 * heartbeat, want: "no worker has joined", whole: true},
		{what: "one fails", looked: heartbeat / 2, heard: []Presence{{Instance: "a", Failing: true}}, want: "1 worker can't start sessions now", whole: true},
		{what: "they drain", looked: 2 * heartbeat, heard: []Presence{{Instance: "a", Draining: true}, {Instance: "b", Draining: true}}, want: "all workers that were heard are to end", whole: true},
		{what: "full", looked: heartbeat / 2, heard: []Presence{{Instance: "a", Slots: 2, Used: 2}, {Instance: "b", Draining: true}}, want: "2 of 2 slots taken"},
	} {
		now := time.Now()
		w := newWait(t.Context(), &PlaceConfig{Client: client}, js)
		if test.looked > 0 {
			if w.sub, err = client.nats.Subscribe(Heartbeats, w.hear); err != nil {
				t.Fatal(err)
			}
			w.since = now.Add(-test.looked)
		}
		for _, p := range test.heard {
			w.workers[p.Instance] = presenceAt{p, now}
		}
		got := w.words(now)
		w.end()
		if !strings.HasPrefix(got, test.want) || test.whole && got != test.want {
			t.Errorf("%s: got %q, want %q", test.what, got, test.want)
		}
	}
}
