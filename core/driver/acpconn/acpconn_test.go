package acpconn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// TestScripts runs the scripts of the protocol over a real connection.
func TestScripts(t *testing.T) {
	for _, file := range coretest.Scripts(t, "../../../tests/acp") {
		t.Run(coretest.Name(file), func(t *testing.T) { coretest.RunDriven(t, file) })
	}
}

// none is a host without commands.
type none struct{}

func (none) Resolve(context.Context, core.Command) (core.Exec, error) {
	return core.Exec{}, os.ErrNotExist
}

func (none) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.ErrUnsupported
}

var config = acpconn.Config{Driver: driver.Config{Host: none{}}}

const create = `{"jsonrpc":"2.0","id":%d,"method":"terminal/create","params":{"sessionId":"s","command":"%s"}}` + "\n"

// TestUnfinishedLine: the last line counts although its end is missing, and
// what was asked before the end of input is answered.
func TestUnfinishedLine(t *testing.T) {
	var out strings.Builder
	in := strings.TrimSuffix(fmt.Sprintf(create+create, 1, "a", 2, "b"), "\n")
	if err := acpconn.Serve(t.Context(), strings.NewReader(in), &out, config); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || !strings.Contains(out.String(), `"id":2`) {
		t.Errorf("got %d answers, want 2: %s", got, out.String())
	}
}

// TestPeerDoesNotRead: a peer that asks without end and never listens is not
// read any further, and left when the context ends.
func TestPeerDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		defer fromServer.Close()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		go func() { served <- acpconn.Serve(ctx, in, out, config) }()

		written := make(chan int)
		go func() {
			// An answer has the request's id, so that what it may queue is full after few of them.
			line := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"x"}`+"\n", strings.Repeat("x", 1000)))
			n := 0
			for ; ; n++ {
				if _, err := toServer.Write(line); err != nil {
					break
				}
			}
			written <- n
		}()
		synctest.Wait() // everyone waits: the server does not take more
		cancel()
		<-written
		begin := time.Now()
		if err := <-served; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("Serve returned %v after its context", took)
		}
	})
}

// TestPeerVanishes: when answers can't be written any more, Serve ends.
func TestPeerVanishes(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error)
	go func() { served <- acpconn.Serve(t.Context(), in, out, config) }()
	fmt.Fprintf(toServer, create, 1, "a")
	if _, err := bufio.NewReader(fromServer).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fromServer.Close()
	fmt.Fprintf(toServer, create, 2, "a")
	if err := <-served; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
	toServer.Close()
}

// halfWriter takes half of what it is tried with, and sometimes nothing.
type halfWriter struct {
	strings.Builder
	tries int
}

func (w *halfWriter) TryWrite(p []byte) (n int) {
	if w.tries++; w.tries%3 == 0 {
		return 0
	}
	n, _ = w.Write(p[:len(p)/2])
	return n
}

// TestTryWriter: what a writer does not take at once comes later, and nothing
// comes before it.
func TestTryWriter(t *testing.T) {
	const requests = 100
	var in strings.Builder
	for i := range requests {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"unknown"}`+"\n", i)
	}
	var out halfWriter
	if err := acpconn.Serve(t.Context(), strings.NewReader(in.String()), &out, config); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, line := range lines {
		if want := fmt.Sprintf(`"id":%d,`, i); !strings.Contains(line, want) || !strings.HasSuffix(line, "}") {
			t.Fatalf("answer %d: got %q, want %s in it", i, line, want)
		}
	}
	if len(lines) != requests || out.tries == 0 {
		t.Errorf("got %d answers and %d tries, want %d and some", len(lines), out.tries, requests)
	}
}
