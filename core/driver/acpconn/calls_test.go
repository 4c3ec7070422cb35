package acpconn_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// wantReason demands that err is a *acp.RequestError for a reason.
func wantReason(t *testing.T, err error, reason string) {
	t.Helper()
	refused, ok := errors.AsType[*acp.RequestError](err)
	if !ok || refused.Reason() != reason {
		t.Errorf("got %v, want reason %q", err, reason)
	}
}

// A command is denied, and not found, as it is over a connection, and what decides knows the peer.
func TestCallsAreDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var decided core.Exec
		s := acpconn.New(acpconn.Config{Driver: driver.Config{Host: found{}, Decide: func(ctx context.Context, e core.Exec) core.Decision {
			peer, ok := acpconn.PeerOf(ctx)
			if !ok || peer.Asks() || acpconn.SessionOf(ctx, e.Command.Session) != "s" {
				t.Errorf("got peer %t and session %q, want one that is not asked, and s@PEER", ok, e.Command.Session)
			}
			decided = e
			return core.Decision{Reason: "not today"}
		}}})
		if err := s.OpenSession(t.Context(), acp.SessionOpenRequest{SessionID: "s", Cwd: "/a"}); err != nil {
			t.Fatal(err)
		}
		_, err := s.CreateTerminal(t.Context(), acp.CreateTerminalRequest{SessionID: "s", Command: "make"})
		wantReason(t, err, "denied")
		if denied, ok := errors.AsType[*core.DeniedError](err); !ok || denied.Reason != "not today" || decided.Command.Cwd != "/a" {
			t.Errorf("got %v for %+v", err, decided.Command)
		}
		_, err = s.CreateTerminal(t.Context(), acp.CreateTerminalRequest{SessionID: "s", Command: "make", Cwd: new("/b")})
		wantReason(t, err, "outside_session")
		_, err = s.TerminalOutput(t.Context(), acp.TerminalOutputRequest{SessionID: "s", TerminalID: "nonsense"})
		wantReason(t, err, "unknown_terminal")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = s.CreateTerminal(t.Context(), acp.CreateTerminalRequest{SessionID: "s", Command: "make"})
		if !errors.Is(err, driver.ErrClosed) {
			t.Errorf("got %v, want %v", err, driver.ErrClosed)
		}
	})
}

// deciding is a Decide that answers when its context ends, and says that it was asked.
func deciding(asked chan<- struct{}) func(context.Context, core.Exec) core.Decision {
	return func(ctx context.Context, e core.Exec) core.Decision {
		asked <- struct{}{}
		<-ctx.Done()
		return core.Decision{Reason: "nobody waits"}
	}
}

// Who no longer waits for a command is told so, and it does not start; so is who waits when the
// Server is closed.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		s := acpconn.New(acpconn.Config{Driver: driver.Config{Host: found{}, Decide: deciding(asked)}})
		ctx, cancel := context.WithCancelCause(t.Context())
		answered := make(chan error)
		create := func() {
			_, err := s.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionID: "s", Command: "make"})
			answered <- err
		}
		go create()
		<-asked
		bored := errors.New("bored")
		cancel(bored)
		err := <-answered
		wantReason(t, err, "cancelled")
		if !errors.Is(err, bored) {
			t.Errorf("got %v, want %v in it", err, bored)
		}
		go create() // with a context that has ended
		wantReason(t, <-answered, "cancelled")

		ctx = t.Context()
		go create()
		<-asked
		s.Close()
		wantReason(t, <-answered, "killed")
	})
}

// Calls and lines may be mixed: they are of one peer, and no line answers a call.
func TestCallsBesideServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		s := acpconn.New(acpconn.Config{Driver: driver.Config{Host: found{}, Decide: deciding(asked)}})
		in, toServer := io.Pipe()
		var out strings.Builder
		served := make(chan error)
		go func() { served <- s.Serve(t.Context(), in, &out) }()
		answered := make(chan error)
		go func() {
			_, err := s.CreateTerminal(t.Context(), acp.CreateTerminalRequest{SessionID: "s", Command: "make"})
			answered <- err
		}()
		<-asked
		io.WriteString(toServer, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":null}}`+"\n"+
			`{"jsonrpc":"2.0","id":1,"method":"unknown"}`+"\n")
		synctest.Wait()
		toServer.Close()
		wantReason(t, <-answered, "killed")
		if err := <-served; err != nil {
			t.Error(err)
		}
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"id":1,`) {
			t.Errorf("got %s, want one answer", got)
		}
	})
}
