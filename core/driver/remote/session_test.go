package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A session that nothing was ever asked of does not keep its place for the whole lease.
func TestUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := pair(t, &fakeHost{}, Config{Lease: time.Hour})
		l.cut(errDown)
		time.Sleep(2 * time.Minute)
		if n := l.server.Sessions(); n != 0 {
			t.Errorf("got %d sessions, want none", n)
		}
	})
}

// Where the one who dials knows that the far side is no more, nobody waits for the lease.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := pair(t, &fakeHost{}, Config{Lease: time.Hour})
		p := run(t, h, core.Command{Command: "sh"})
		began := time.Now()
		l.cut(fmt.Errorf("worker a: %w", ErrGone))
		if e, err := p.Wait(); err != nil || e.Reason != core.ReasonLost {
			t.Errorf("got %+v, %v, want that it is lost", e, err)
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("lost after %v, want at once", d)
		}
		l.cut(nil)
	})
}

// Who ends a server can say why: near sides hear it, and those that connect too late.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan State, 4)
		h, l := pair(t, &fakeHost{}, Config{OnState: func(s State) { told <- s }})
		p := run(t, h, core.Command{Command: "sh"})
		const why = "its container has ended"
		l.server.End(why)
		l.server.Close() // changes nothing
		if e, err := p.Wait(); err != nil || e.Reason != core.ReasonLost {
			t.Errorf("got %+v, %v, want that it is lost", e, err)
		}
		if s := <-told; s.Link != Lost || s.Err.Error() != "the other side has ended it: "+why {
			t.Errorf("got %v and %v, want that it is lost, and why", s.Link, s.Err)
		}
		if _, err := Connect(t.Context(), Config{Dial: l.dial}); err == nil || err.Error() != "remote: the far side refuses: "+why {
			t.Errorf("got %v, want %s", err, why)
		}
	})
}

// A server that is closed gives no reason: a near side is told in one clause.
func TestEndWithoutReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan State, 4)
		h, l := pair(t, &fakeHost{}, Config{OnState: func(s State) { told <- s }})
		run(t, h, core.Command{Command: "sh"})
		l.server.Close()
		if s := <-told; s.Link != Lost || !errors.Is(s.Err, ErrEnded) || !errors.Is(s.Err, io.EOF) || s.Err.Error() != ErrEnded.Error() {
			t.Errorf("got %v and %v, want that it is lost, and %v", s.Link, s.Err, ErrEnded)
		}
	})
}

// Two near sides on one server share nothing, also where they name their sessions alike.
func TestTwoNearSides(t *testing.T) {
	f := &fakeHost{}
	one, l := pair(t, f, Config{})
	two, err := Connect(t.Context(), Config{Dial: l.dial})
	if err != nil {
		t.Fatal(err)
	}
	run(t, one, core.Command{Command: "sh", Session: "s"})
	p := run(t, two, core.Command{Command: "sh", Session: "s"})
	all := f.all()
	if a, b := all[0].command.Session, all[1].command.Session; a == b {
		t.Errorf("got session %q for both", a)
	}
	one.Close()
	<-all[0].closed
	if err := p.Signal("SIGHUP"); err != nil {
		t.Errorf("when the other has ended: got %v, want nil", err)
	}
	two.Close()
}

// Who closes a command while there is no connection does not wait for one, and the command is
// closed when there is one.
func TestCloseWithoutConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHost{}
		h, l := pair(t, f, Config{})
		p := run(t, h, core.Command{Command: "sh"})
		l.cut(errDown)
		began := time.Now()
		if err := p.Close(); err == nil || time.Since(began) != closeLimit {
			t.Errorf("got %v after %v, want an error after %v", err, time.Since(began), closeLimit)
		}
		l.cut(nil)
		<-f.all()[0].closed
	})
}

// A connection on which nobody reads or answers is given up, on both sides.
func TestNobodyThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) {
			near, _ := net.Pipe()
			return near, nil
		}})
		if err == nil {
			t.Error("got nil, want an error")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		server := NewServer(ServerConfig{Host: &fakeHost{}})
		silent, far := net.Pipe()
		if err := server.Serve(far); err == nil {
			t.Error("who says nothing: got nil, want an error")
		}
		silent.Close()
		deaf, far := net.Pipe()
		hello := &nearHello{Oldest: 1, Newest: 1, Attempt: 1}
		go writeHello(deaf, fromNear, hello) // ends when it is read
		if err := server.Serve(far); err == nil {
			t.Error("who does not read: got nil, want an error")
		}
		time.Sleep(2 * time.Minute)
		if n := server.Sessions(); n != 0 {
			t.Errorf("got %d sessions, want none", n)
		}
		server.Close()
	})
}

// What a host says of a command that can't be is told as an error, or as lost, and ends no session.
func TestOddHost(t *testing.T) {
	f := &fakeHost{run: func(p *fakeProcess) {
		p.status = core.Exit{Status: core.ExitStatus{ExitCode: 1 << 20}}
		close(p.exited)
	}}
	h, _ := pair(t, f, Config{})
	if _, err := h.Resolve(t.Context(), core.Command{Command: "nowhere"}); err == nil {
		t.Error("no path: got nil, want an error")
	}
	p := run(t, h, core.Command{Command: "sh"})
	if e, err := p.Wait(); err != nil || e.Reason != core.ReasonLost {
		t.Errorf("got %+v, %v, want that it is lost", e, err)
	}
	if err := p.Signal("SIGHUP"); err != nil {
		t.Errorf("afterwards: got %v, want nil", err)
	}
}
