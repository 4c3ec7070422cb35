package acpconn_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// A gate is a Reader that no one can close. Each Read takes what is sent to it.
type gate struct {
	reads int
	in    chan string
}

func (g *gate) Read(p []byte) (int, error) {
	g.reads++
	return copy(p, <-g.in), nil
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"

// TestNothingReadAfterEnd: of a reader that can't be closed Serve leaves one Read
// behind, and what that reads is dropped.
func TestNothingReadAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{in: make(chan string)}
		var out strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- acpconn.Serve(ctx, g, &out, config) }()
		g.in <- initialize
		synctest.Wait()
		cancel()
		<-done
		before, answers := g.reads, strings.Count(out.String(), "\n")
		if before != 2 || answers != 1 {
			t.Fatalf("got %d reads and %d answers before the end, want 2 and 1", before, answers)
		}
		g.in <- strings.Repeat(initialize, 100)
		synctest.Wait()
		if got := g.reads - before; got != 0 {
			t.Errorf("%d more reads after Serve returned", got)
		}
		if got := strings.Count(out.String(), "\n"); got != answers {
			t.Errorf("%d answers after Serve returned", got-answers)
		}
	})
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestBrokenWriter: a peer that hears nothing is not read any further.
func TestBrokenWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, toServer := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- acpconn.Serve(context.Background(), in, brokenWriter{}, config) }()
		toServer.Write([]byte(initialize))
		if err := <-done; err == nil {
			t.Error("got no error")
		}
		if _, err := toServer.Write([]byte(initialize)); err == nil {
			t.Error("the reader was not closed")
		}
	})
}
