package fleet

import (
	"slices"
	"strings"
	"testing"
)

// TestFreeName has a name be given once.
func TestFreeName(t *testing.T) {
	s := newServer(t)
	c := newClient(t, s)
	long := strings.Repeat("x", maxName)
	for _, want := range []struct{ name, got string }{
		{"box", "box"}, {"box", "box-2"}, {"box", "box-3"}, {"other", "other"},
		{long, long}, {long, long[:maxName-2] + "-2"},
	} {
		got, err := FreeName(patient(t), c, want.name)
		if err != nil || got != want.got {
			t.Fatalf("%s: got %q, %v, want %q", want.name, got, err, want.got)
		}
		if _, err := c.nats.SubscribeSync(DrainSubject(got)); err != nil { // as a worker does
			t.Fatal(err)
		}
	}
}

// TestNamesakes has two workers be given one name. Both say so, and that they have joined.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var all []chan string
	for range 2 {
		said := make(chan string, 16)
		newWorker(t, s, WorkerConfig{Name: "box", Slots: 1, Host: new(echoHost), Say: func(line string) { said <- line }})
		all = append(all, said)
	}
	for _, said := range all {
		lines := []string{<-said, <-said}
		slices.Sort(lines) // it may hear the other one first
		if want := []string{"another worker has this name, too, and is asked to drain when this one is", "joined: 1 slot"}; !slices.Equal(lines, want) {
			t.Errorf("got %q, want %q", lines, want)
		}
	}
}

// TestOnLink has a server go, and come again.
func TestOnLink(t *testing.T) {
	dir := stateDir(t)
	s := serve(t, ServerConfig{Dir: dir, Open: true})
	told := make(chan error, 16)
	a := Access{URL: s.URL(), OnLink: func(lost error) { told <- lost }}
	c, err := a.Connect(patient(t), "test")
	if err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimPrefix(s.URL(), "nats://")
	s.Close()
	if err := <-told; err == nil || strings.Contains(err.Error(), "EOF") {
		t.Errorf("got %v, want in words why it has broken", err)
	}
	serve(t, ServerConfig{Dir: dir, Open: true, Addr: addr})
	if err := <-told; err != nil {
		t.Errorf("got %v, want that it is there again", err)
	}
	c.Close()
	<-c.closed
	select {
	case err := <-told:
		t.Errorf("told %v of a connection that we have closed", err)
	default:
	}
}
