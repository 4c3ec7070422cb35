package fleet

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A wire is two links and what is between them.
type wire struct {
	mu        sync.Mutex // guards the fields below; near and far change only while they are made
	near, far *link
	lose      func(m *message) bool // of what goes to the far side; or nil
}

// loses has messages to the far side be lost from now on, or none where lose is nil.
func (w *wire) loses(lose func(m *message) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose = lose
}

// newWire returns links of which each hears the other, but for what is lost.
func newWire(t *testing.T) *wire {
	t.Helper()
	w := new(wire)
	to := func(end **link, loses bool) func([]byte, bool) error {
		return func(b []byte, _ bool) error {
			m, err := parseMessage(bytes.Clone(b))
			if err != nil {
				t.Error(err)
			}
			w.mu.Lock()
			to, lose := *end, w.lose
			w.mu.Unlock()
			if !loses || lose == nil || !lose(&m) {
				to.receive(&m)
			}
			return nil
		}
	}
	w.mu.Lock()
	w.near = newLink(1, heartbeat, to(&w.far, true))
	w.far = newLink(1, heartbeat, to(&w.near, false))
	w.mu.Unlock()
	t.Cleanup(func() {
		w.near.Close()
		w.far.Close()
	})
	return w
}

// What is written is read, and no more than the window is ever on its way.
func TestLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t)
		sent, random := sha256.New(), rand.NewChaCha8([32]byte{})
		go func() {
			for left := 5 << 20; left > 0; {
				p := make([]byte, 1+rand.IntN(min(left, 200<<10)))
				random.Read(p)
				sent.Write(p)
				if _, err := w.near.Write(p); err != nil {
					t.Error(err)
					return
				}
				left -= len(p)
			}
			w.near.Close()
		}()
		came := sha256.New()
		for p := make([]byte, 100<<10); ; {
			synctest.Wait() // the writer has written what it can
			w.far.mu.Lock()
			if held := w.far.came - w.far.read; held > window {
				t.Errorf("%d bytes wait, want at most %d", held, window)
			}
			w.far.mu.Unlock()
			n, err := w.far.Read(p[:1+rand.IntN(len(p))])
			came.Write(p[:n])
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(came.Sum(nil), sent.Sum(nil)) {
			t.Error("what was read is not what was written")
		}
	})
}

// A message that NATS has dropped ends the link, the last one too, and nothing behind it is read.
func TestLinkLoses(t *testing.T) {
	for _, last := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t)
			write := func(s string) {
				if _, err := io.WriteString(w.near, s); err != nil {
					t.Fatal(err)
				}
			}
			write("one")
			w.loses(func(m *message) bool { return m.kind == kindData })
			write("two")
			w.loses(nil)
			if !last {
				write("three")
			}
			began := time.Now()
			b, err := io.ReadAll(w.far)
			if string(b) != "one" || !errors.Is(err, errLost) {
				t.Errorf("got %q, %v, want only what came before, and %v", b, err, errLost)
			}
			if d := time.Since(began); d > heartbeat {
				t.Errorf("noticed after %v, want at most %v", d, heartbeat)
			}
		})
	}
}

// An end that hears nothing ends within two heartbeats. One that hears only heartbeats does not.
func TestLinkSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t)
		time.Sleep(time.Hour)
		w.loses(func(*message) bool { return true })
		began := time.Now()
		if _, err := w.far.Read(make([]byte, 1)); !errors.Is(err, errSilent) {
			t.Errorf("got %v, want %v", err, errSilent)
		}
		if d := time.Since(began); d > 2*heartbeat {
			t.Errorf("noticed after %v, want at most %v", d, 2*heartbeat)
		}
		if _, err := w.far.Write([]byte("x")); err == nil {
			t.Error("a link that has ended is written to")
		}
	})
}

// Close ends a Read and a Write that wait, and the other end's too.
func TestLinkClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t)
		written, read := make(chan error), make(chan error)
		go func() {
			_, err := w.near.Write(make([]byte, 2*window))
			written <- err
		}()
		go func() {
			_, err := w.near.Read(make([]byte, 1))
			read <- err
		}()
		synctest.Wait()
		w.near.Close()
		if err := <-written; !errors.Is(err, os.ErrClosed) {
			t.Errorf("write: got %v, want %v", err, os.ErrClosed)
		}
		if err := <-read; !errors.Is(err, os.ErrClosed) {
			t.Errorf("read: got %v, want %v", err, os.ErrClosed)
		}
		if _, err := io.Copy(io.Discard, w.far); err != nil {
			t.Errorf("the other end: got %v, want its end", err)
		}
	})
}

// What can't be ends the link, and takes no memory.
func TestLinkHostile(t *testing.T) {
	full := func(l *link) {
		for i := uint64(0); i+cost(maxBody) <= window; i += cost(maxBody) {
			l.receive(&message{kind: kindData, conn: 1, sent: i, body: make([]byte, maxBody)})
		}
	}
	for _, test := range []struct {
		name string
		feed func(l *link)
		want error
	}{
		{"again", func(l *link) {
			for range 2 {
				l.receive(&message{kind: kindData, conn: 1, body: []byte("x")})
			}
		}, errLost},
		{"from later", func(l *link) { l.receive(&message{kind: kindAlive, conn: 1, sent: 1}) }, errLost},
		{"takes what was not sent", func(l *link) { l.receive(&message{kind: kindAlive, conn: 1, took: 1}) }, errMessage},
		{"more than the window", func(l *link) {
			full(l)
			l.receive(&message{kind: kindData, conn: 1, sent: l.came, body: make([]byte, maxBody)})
		}, errWindow},
		{"many small ones", func(l *link) {
			for i := uint64(0); l.err == nil && i < 2*window; i += cost(1) {
				l.receive(&message{kind: kindData, conn: 1, sent: i, body: []byte("x")})
			}
		}, errWindow},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLink(1, time.Hour, func([]byte, bool) error { return nil })
			defer l.Close()
			test.feed(l)
			if !errors.Is(l.err, test.want) {
				t.Errorf("got %v, want %v", l.err, test.want)
			}
			if l.came > window {
				t.Errorf("it keeps %d, want at most %d", l.came, window)
			}
		})
	}
}

// FuzzMessage has bytes that somebody has sent be taken for messages of a link.
func FuzzMessage(f *testing.F) {
	for _, m := range []message{
		{kind: kindOpen, conn: 1}, {kind: kindData, conn: 1, body: []byte("x")}, {kind: kindAlive, conn: 1, took: 1},
		{kind: kindRefused, conn: 1, body: []byte("no")}, {kind: kindDraining, conn: 1, body: []byte("1m")}, {kind: kindClose, conn: 1},
	} {
		f.Add(m.append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMessage(b)
		if err != nil {
			return
		}
		if again := m.append(nil); !bytes.Equal(again, b) {
			t.Errorf("got %x, want %x", again, b)
		}
		l := newLink(1, time.Hour, func([]byte, bool) error { return nil })
		defer l.Close()
		l.receive(&m)
		l.receive(&m)
		if l.came > window {
			t.Errorf("it keeps %d bytes", l.came)
		}
	})
}
