package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

var errDown = errors.New("no route to host")

// States are what OnState was told.
type states struct {
	mu  sync.Mutex
	all []State
}

func (s *states) add(state State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, state)
}

// take returns what was told since the last call.
func (s *states) take() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	return all
}

// What goes out and in through many cuts is all there, once, and no more of it is kept than the
// window; nor is the command run twice.
func TestBulkThroughCuts(t *testing.T) {
	const (
		size = 100 << 20
		cuts = 40
		most = maxWindow + 64<<10 // bytes held: requests and answers too
	)
	random := rand.NewChaCha8([32]byte{1})
	block := make([]byte, 1<<20)
	random.Read(block)

	in := sha256.New()
	f := &fakeHost{run: func(p *fakeProcess) {
		for range size / len(block) {
			p.sink(1, block)
		}
	}}
	h, l := pair(t, f, Config{})
	p := run(t, h, core.Command{Command: "cat", Interactive: true})
	far := f.all()[0]
	far.mu.Lock()
	far.take = func(b []byte) { in.Write(b) }
	far.mu.Unlock()

	sums := make(chan hash.Hash, 1)
	go func() { // ends with the output
		out := sha256.New()
		n, next := 0, size/cuts
		p.Output(func(_ uint8, b []byte) {
			out.Write(b)
			if n += len(b); n > next && l.cutWhole() {
				next += 2 * size / cuts
			}
		})
		sums <- out
	}()
	want := sha256.New()
	due := 0
	for i := range size / len(block) {
		if _, err := p.Write(block); err != nil {
			t.Fatal(err)
		}
		want.Write(block)
		if i%(2*size/cuts/len(block)) == 0 {
			due++
		}
		if due > 0 && l.cutWhole() { // or the output has cut it just before
			due--
		}
	}
	out := <-sums
	if string(out.Sum(nil)) != string(want.Sum(nil)) {
		t.Error("the output is another than what was written")
	}
	if string(in.Sum(nil)) != string(want.Sum(nil)) {
		t.Error("the input is another than what was written")
	}
	if n := len(f.all()); n != 1 {
		t.Errorf("got %d commands, want 1", n)
	}
	if l.dials < cuts {
		t.Errorf("got %d connections, want %d cuts", l.dials, cuts)
	}
	_, near := h.Held()
	_, there := l.server.Held()
	if near > most || there > most {
		t.Errorf("got %d bytes held near and %d far, want %d at the most", near, there, most)
	}
	t.Logf("%d connections, %d bytes held near and %d far", l.dials, near, there)
	p.Close()
}

// Whatever is asked for while there is no connection is done when there is one, once.
func TestOnceThroughCuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHost{}
		var told states
		h, l := pair(t, f, Config{OnState: told.add})
		p := run(t, h, core.Command{Command: "sh", Interactive: true})
		go p.Output(func(uint8, []byte) {}) // ends by Close
		l.cut(errDown)
		go func() { // ends when it was answered
			p.Signal("SIGHUP")
		}()
		go func() { // likewise
			if n, err := p.Write([]byte("typed")); n != 5 || err != nil {
				t.Errorf("Write: got %d, %v, want 5, nil", n, err)
			}
		}()
		time.Sleep(time.Minute)
		l.cut(nil)
		time.Sleep(time.Minute)
		l.cut(nil)
		time.Sleep(time.Minute)

		far := f.all()[0]
		far.mu.Lock()
		defer far.mu.Unlock()
		if len(far.signals) != 1 || string(far.written) != "typed" {
			t.Errorf("got signals %q and input %q, want each once", far.signals, far.written)
		}
		var links []Link
		for _, s := range told.take() {
			links = append(links, s.Link)
		}
		if want := []Link{Reconnecting, Reconnecting, Resumed, Reconnecting, Resumed}; !slices.Equal(links, want) {
			t.Errorf("got states %v, want %v", links, want)
		}
		p.Close()
	})
}

// When the lease is over the far side has killed what ran there, and the near side says that it is
// lost, in words, and never with an exit code.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHost{}
		var told states
		h, l := pair(t, f, Config{Lease: time.Minute, OnState: told.add})
		p := run(t, h, core.Command{Command: "sh"})
		var out strings.Builder
		ended := make(chan struct{})
		go func() { // ends when it is lost
			p.Output(func(_ uint8, b []byte) { out.Write(b) })
			close(ended)
		}()
		l.cut(errDown)
		time.Sleep(30 * time.Second)
		select {
		case <-f.all()[0].closed:
			t.Error("it was killed before the lease was over")
		default:
		}
		time.Sleep(time.Minute)
		<-f.all()[0].closed
		<-ended
		exit, err := p.Wait()
		if want := (core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}); err != nil || exit != want {
			t.Errorf("got %+v, %v, want %+v", exit, err, want)
		}
		if !strings.Contains(out.String(), "lost") || !strings.Contains(out.String(), errDown.Error()) {
			t.Errorf("got output %q, want words that say why", out.String())
		}
		if states := told.take(); len(states) != 3 || states[2].Link != Lost || !errors.Is(states[2].Err, errDown) {
			t.Errorf("got states %v, want that it is lost at the end", states)
		}
		if _, err := p.Write([]byte("x")); err == nil {
			t.Error("Write: got nil, want an error")
		}
		if err := p.Signal("SIGTERM"); err == nil {
			t.Error("Signal: got nil, want an error")
		}
		if _, err := h.Resolve(t.Context(), core.Command{Command: "sh"}); err == nil {
			t.Error("Resolve: got nil, want an error")
		}
		if err := p.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
}

// Why attempts to connect again fail is told, once for each reason; of a far side that has
// another one each time only so many.
func TestFailingTold(t *testing.T) {
	for name, test := range map[string]struct {
		reason func(n int) string // of the nth attempt
		want   []string           // behind why the connection has broken
	}{
		"one": {func(int) string { return "down" }, []string{"down"}},
		"two": {func(n int) string { return fmt.Sprint("down ", n/5%2) }, []string{"down 0", "down 1"}},
		"others": {func(n int) string { return fmt.Sprint("down ", n) }, func() (all []string) {
			for n := range maxReasons - 1 {
				all = append(all, fmt.Sprint("down ", n))
			}
			return all
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := -1 // the first connection is made
				l := &line{pipe: func() (near, far io.ReadWriteCloser) {
					n := attempts // one dial at a time
					if attempts++; n < 0 {
						return net.Pipe()
					}
					return brokenConn{read: errors.New(test.reason(n))}, brokenConn{read: io.EOF}
				}}
				var told states
				connectLine(t, l, ServerConfig{Host: &fakeHost{}}, Config{OnState: told.add})
				l.cut(nil)
				time.Sleep(defaultLease - time.Second)
				synctest.Wait()
				var got []string
				for _, s := range told.take()[1:] {
					if s.Link != Reconnecting {
						t.Errorf("got %v, want reconnecting", s.Link)
					}
					got = append(got, s.Err.Error())
				}
				if !slices.Equal(got, test.want) || attempts < 40 {
					t.Errorf("got %q of %d attempts, want %q", got, attempts, test.want)
				}
			})
		})
	}
}

// Of an attempt that nobody answers is told that, and not that we have closed its connection.
func TestUnansweredTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		l := &line{pipe: func() (near, far io.ReadWriteCloser) { // one dial at a time
			near, far = net.Pipe()
			if !first {
				far = brokenConn{read: io.EOF}
			}
			first = false
			return near, far
		}}
		var told states
		connectLine(t, l, ServerConfig{Host: &fakeHost{}}, Config{OnState: told.add})
		l.cut(nil)
		time.Sleep(5 * attemptLimit)
		synctest.Wait()
		if got := told.take(); len(got) != 2 || got[1].Err.Error() != "the far side has not answered for 1m0s" {
			t.Errorf("got %v, want that nobody has answered", got)
		}
	})
}

// Who sees both what commands write and what becomes of the link is told of a loss once.
func TestQuietLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan State, 4)
		h, l := pair(t, &fakeHost{}, Config{QuietLoss: true, OnState: func(s State) { told <- s }})
		p := run(t, h, core.Command{Command: "sh"})
		l.server.Close()
		var out strings.Builder
		if err := p.Output(func(_ uint8, b []byte) { out.Write(b) }); err != nil || out.Len() > 0 {
			t.Errorf("got output %q and %v, want none", out.String(), err)
		}
		if s := <-told; s.Link != Lost {
			t.Errorf("got %v, want that it is lost", s.Link)
		}
	})
}

// A far side that was started anew has forgotten what ran.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := pair(t, &fakeHost{}, Config{})
		p := run(t, h, core.Command{Command: "sh"})
		old := l.server
		l.server = NewServer(ServerConfig{Host: &fakeHost{}})
		l.cut(nil)
		exit, err := p.Wait()
		if err != nil || exit.Reason != core.ReasonLost || !exit.Status.Unknown {
			t.Errorf("got %+v, %v, want that it is lost", exit, err)
		}
		p.Close()
		old.Close()
	})
}

// A connection on which nothing comes is given up, and one that idles is not.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := pair(t, &fakeHost{}, Config{})
		time.Sleep(10 * time.Minute)
		if l.dials != 1 {
			t.Errorf("got %d connections, want 1", l.dials)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var told states
		pairWith(t, ServerConfig{Host: &fakeHost{}, KeepAlive: time.Hour}, Config{OnState: told.add})
		time.Sleep(40 * time.Second)
		if states := told.take(); len(states) != 0 {
			t.Errorf("got states %v before the time", states)
		}
		time.Sleep(10 * time.Second)
		if states := told.take(); len(states) != 2 || !errors.Is(states[0].Err, errSilent) || states[1].Link != Resumed {
			t.Errorf("got states %v, want another connection", states)
		}
	})
}

// A deadline ends a request on both sides, also while there is no connection.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, l := pair(t, &fakeHost{hangs: true}, Config{})
		for range 2 {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			_, err := h.Resolve(ctx, core.Command{Command: "slow", Rows: 24, Cols: 80})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
			l.cut(errDown)
		}
		l.cut(nil)
		time.Sleep(time.Minute)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.room.mu.Lock()
		defer h.room.mu.Unlock()
		if len(h.calls) != 0 || h.room.free != requests {
			t.Errorf("got %d calls that wait, and %d bytes of room, want 0 and %d", len(h.calls), h.room.free, requests)
		}
	})
}

// A start that is given up leaves nothing on either side.
func TestStartGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHost{}
		h, l := pair(t, f, Config{})
		e, err := h.Resolve(t.Context(), core.Command{Command: "sh", Rows: 24, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		l.cut(errDown)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := h.Start(ctx, e); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		l.cut(nil)
		time.Sleep(time.Minute)
		for _, p := range f.all() {
			<-p.closed
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.pool.mu.Lock()
		defer h.pool.mu.Unlock()
		if len(h.terminals) != 0 || len(h.calls) != 0 || h.pool.n != 0 {
			t.Errorf("got %d terminals, %d calls and %d windows, want none", len(h.terminals), len(h.calls), h.pool.n)
		}
	})
}

// Errors say over there and here the same, to people and to programs.
func TestErrors(t *testing.T) {
	h, _ := pair(t, &fakeHost{}, Config{})
	_, err := h.Resolve(t.Context(), core.Command{Command: "missing"})
	if e, ok := errors.AsType[*core.HostError](err); !ok || e.Reason != "not_found" || e.Message != "missing: not found" {
		t.Errorf("got %v, want the host's error", err)
	}
	_, err = h.Resolve(t.Context(), core.Command{Command: "nul\x00"})
	if e, ok := errors.AsType[*core.InvalidError](err); !ok || e.Param != "command" {
		t.Errorf("got %v, want that the command is invalid", err)
	}
}
