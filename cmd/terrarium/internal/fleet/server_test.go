package fleet

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// serve starts a server on a free port, until the test ends.
func serve(t testing.TB, c ServerConfig) *Server {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	c.Addr = "127.0.0.1:0"
	s, err := Serve(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestServe has what a stream holds survive the server.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir := t.TempDir()
	s := serve(t, ServerConfig{Dir: dir, Open: true})
	stream := func() (jetstream.JetStream, *nats.Conn) {
		nc, err := nats.Connect(s.URL())
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		return js, nc
	}
	js, nc := stream()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, "x", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	nc.Close()
	s.Close()
	s = serve(t, ServerConfig{Dir: dir, Open: true})
	js, nc = stream()
	defer nc.Close()
	found, err := js.Stream(ctx, "X")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := found.GetMsg(ctx, 1); err != nil || string(m.Data) != "kept" {
		t.Errorf("got %v, %v, want what was published before", m, err)
	}
}

// TestServeRefuses tries what a server can't be started with.
func TestServeRefuses(t *testing.T) {
	s := serve(t, ServerConfig{Open: true})
	used := t.TempDir()
	serve(t, ServerConfig{Dir: used})
	for _, c := range []struct {
		config ServerConfig
		want   string
	}{
		{ServerConfig{Addr: "0.0.0.0:0"}, ErrPlain.Error()},
		{ServerConfig{Addr: ":0"}, ErrPlain.Error()},
		{ServerConfig{Addr: "127.0.0.1"}, "missing port"},
		{ServerConfig{Addr: "127.0.0.1:x"}, "want a port"},
		{ServerConfig{Addr: strings.TrimPrefix(s.URL(), "nats://")}, "address already in use"},
		{ServerConfig{Addr: "127.0.0.1:0", Dir: used}, errServed.Error()},
		{ServerConfig{Addr: "127.0.0.1:0", Dir: "/dev/null/x"}, "not a directory"},
	} {
		if c.config.Dir == "" {
			c.config.Dir = filepath.Join(t.TempDir(), "state")
		}
		s, err := Serve(c.config)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Serve(%+v): got %v, want %q", c.config, err, c.want)
		}
	}
	if _, err := Serve(ServerConfig{Dir: t.TempDir(), Addr: "192.0.2.1:1"}); !errors.Is(err, ErrPlain) {
		t.Errorf("got %v, want %v", err, ErrPlain)
	}
}
