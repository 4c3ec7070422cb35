package acpconn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// found is a host that finds every command and starts none.
type found struct{ none }

func (found) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaFile}, nil
}

// A client is the ACP peer of a server whose Decide asks it. It is used inside a
// synctest bubble.
type client struct {
	io.WriteCloser
	lines  *bufio.Scanner
	asked  chan error // what each RequestPermission returned
	served chan error
}

// message is any of those that a client gets.
type message struct {
	ID     any
	Method string
	Params map[string]any
	Error  map[string]any
}

const agree = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"_meta":{"terrarium":{"requestPermission":true}}}}}` + "\n"

// decided serves a client until the end of the test. Whatever it wants to run it is
// asked about first, and then denied.
func decided(t *testing.T, title string) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{WriteCloser: toServer, lines: bufio.NewScanner(fromServer), asked: make(chan error, 64), served: make(chan error, 1)}
	decide := func(ctx context.Context, e core.Exec) core.Decision {
		peer, ok := acpconn.PeerOf(ctx)
		if !ok || !strings.HasPrefix(string(e.Command.Session), "s@") {
			t.Errorf("got peer %v, session %q, want a peer, and s@PEER", ok, e.Command.Session)
		}
		if got := acpconn.SessionOf(ctx, e.Command.Session); got != "s" {
			t.Errorf("got %q for the peer's session, want s", got)
		}
		o, err := peer.RequestPermission(ctx, acp.Question{
			Exec: &e, Title: title, Options: []acp.PermissionOption{{OptionID: "yes", Name: "Yes", Kind: acp.AllowOnce}},
		})
		if err == nil && o.OptionID != "yes" {
			err = errors.New("cancelled")
		}
		c.asked <- err
		return core.Decision{Reason: "denied anyway"}
	}
	go func() {
		c.served <- acpconn.Serve(t.Context(), in, out, acpconn.Config{Driver: driver.Config{Host: found{}, Decide: decide}})
		out.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return c
}

// read returns the next message.
func (c *client) read(t *testing.T) (m message) {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("no more lines: %v", c.lines.Err())
	}
	if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// ask creates a terminal and returns the question about it.
func (c *client) ask(t *testing.T) message {
	t.Helper()
	io.WriteString(c, agree)
	c.read(t)
	fmt.Fprintf(c, create, 1, "a")
	m := c.read(t)
	if m.Method != acp.MethodRequestPermission || m.Params["sessionId"] != "s" {
		t.Fatalf("got %v, want a question about session s", m)
	}
	return m
}

func TestPeerAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decided(t, "a")
		fmt.Fprintf(c, create, 7, "b")
		if err := <-c.asked; !errors.Is(err, acp.ErrNotAsked) {
			t.Errorf("before initialize: got %v, want %v", err, acp.ErrNotAsked)
		}
		c.read(t)
		q := c.ask(t)
		fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`+"\n", q.ID)
		if err := <-c.asked; err != nil {
			t.Errorf("got %v, want an answer", err)
		}
		if m := c.read(t); m.ID != 1.0 || m.Error["code"] != -32603.0 {
			t.Errorf("got %v, want create denied", m)
		}
	})
}

// TestPeerCancels: the question goes with the create that it is about.
func TestPeerCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decided(t, "a")
		q := c.ask(t)
		io.WriteString(c, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`+"\n")
		if err := <-c.asked; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		got := map[any]bool{}
		for range 2 { // in any order
			m := c.read(t)
			got[m.Error["code"]], got[m.Params["requestId"]] = true, true
		}
		if !got[-32800.0] || !got[q.ID] {
			t.Errorf("got %v, want the create cancelled, and the question %v", got, q.ID)
		}
	})
}

// TestPeerGone: nobody waits for a peer that is gone.
func TestPeerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decided(t, "a")
		c.ask(t)
		c.Close()
		if err := <-c.asked; !errors.Is(err, acp.ErrPeerGone) {
			t.Errorf("got %v, want %v", err, acp.ErrPeerGone)
		}
		c.read(t) // the answer to create
		if err := <-c.served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// TestPeerAskedTooMuch: questions are bounded, in number and length.
func TestPeerAskedTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decided(t, "a")
		c.ask(t)
		for i := range 31 {
			fmt.Fprintf(c, create, 2+i, "a")
			c.read(t)
		}
		fmt.Fprintf(c, create, 100, "a")
		var limit *core.LimitError
		if err := <-c.asked; !errors.As(err, &limit) {
			t.Errorf("the 33rd question: got %v, want a limit", err)
		}
		c.read(t) // denied
		io.WriteString(c, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`+"\n")
		c.read(t)
		c.read(t)
		if err := <-c.asked; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		// One is too long as it is, the other in JSON.
		for _, long := range []string{strings.Repeat("x", 1<<20+1), strings.Repeat(`\u0001`, 200<<10)} {
			fmt.Fprintf(c, create, 101, long)
			if err := <-c.asked; !errors.Is(err, acp.ErrQuestionTooLong) {
				t.Errorf("got %v, want %v", err, acp.ErrQuestionTooLong)
			}
			c.read(t)
		}
		fmt.Fprintf(c, create, 102, "a")
		if m := c.read(t); m.Method != acp.MethodRequestPermission {
			t.Errorf("got %v, want a question again", m)
		}
	})
}

func TestPeerOf(t *testing.T) {
	if _, ok := acpconn.PeerOf(t.Context()); ok {
		t.Error("got a peer of a context that is not a driver's")
	}
	if got := acpconn.SessionOf(t.Context(), "s@t"); got != "s@t" {
		t.Errorf("got %q for a session of no peer, want it as it is", got)
	}
}
