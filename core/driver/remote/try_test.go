package remote

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A roomy is one end of a connection that has room for some bytes on each way. It is a TryWriter,
// and counts what it is asked for.
type roomy struct {
	in, out *roomyWay
	writes  *atomic.Int64 // of both kinds, of which these are a part
	parts   *atomic.Int64 // tries that wrote less than all
	part    func(n int) int
}

// A roomyWay is one way of it.
type roomyWay struct {
	mu      sync.Mutex
	changed sync.Cond
	bytes   []byte
	closed  bool
}

const roomyBytes = 8 << 10

// newRoomy returns both ends. Of a try to write n bytes it writes part(n).
func newRoomy(part func(n int) int) (near, far *roomy) {
	a, b := new(roomyWay), new(roomyWay)
	a.changed.L, b.changed.L = &a.mu, &b.mu
	end := func(in, out *roomyWay) *roomy {
		return &roomy{in: in, out: out, writes: new(atomic.Int64), parts: new(atomic.Int64), part: part}
	}
	return end(a, b), end(b, a)
}

func (r *roomy) Read(p []byte) (int, error) {
	w := r.in
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.bytes) == 0 && !w.closed {
		w.changed.Wait()
	}
	n := copy(p, w.bytes)
	w.bytes = w.bytes[n:]
	w.changed.Broadcast()
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *roomy) Write(p []byte) (n int, err error) {
	r.writes.Add(1)
	w := r.out
	w.mu.Lock()
	defer w.mu.Unlock()
	for n < len(p) {
		for len(w.bytes) == roomyBytes && !w.closed {
			w.changed.Wait()
		}
		if w.closed {
			return n, io.ErrClosedPipe
		}
		n += w.take(p[n:])
	}
	return n, nil
}

// TryWrite implements TryWriter.
func (r *roomy) TryWrite(p []byte) (n int) {
	r.writes.Add(1)
	w := r.out
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		n = w.take(p[:r.part(len(p))])
	}
	if n < len(p) {
		r.parts.Add(1)
	}
	return n
}

// take takes what there is room for. w.mu is held.
func (w *roomyWay) take(p []byte) int {
	n := min(len(p), roomyBytes-len(w.bytes))
	w.bytes = append(w.bytes, p[:n]...)
	w.changed.Broadcast()
	return n
}

func (r *roomy) Close() error {
	for _, w := range []*roomyWay{r.in, r.out} {
		w.mu.Lock()
		w.closed = true
		w.changed.Broadcast()
		w.mu.Unlock()
	}
	return nil
}

// newEcho returns a host whose commands write what they are given, a while after they have taken
// it, but for one that is called "silent".
func newEcho(after time.Duration) *fakeHost {
	typed := make(chan []byte, 1<<16)
	return &fakeHost{
		take: func(b []byte) { typed <- bytes.Clone(b) },
		run: func(p *fakeProcess) {
			for p.command.Command != "silent" {
				select {
				case b := <-typed:
					time.Sleep(after)
					p.sink(1, b)
				case <-p.closed:
					return
				}
			}
		},
	}
}

// What a connection does not take at once comes later, in its place, also where it breaks in the
// middle of it.
func TestTryWriter(t *testing.T) {
	var ends []*roomy
	l := &line{pipe: func() (near, far io.ReadWriteCloser) {
		n, f := newRoomy(func(n int) int { return rand.IntN(n + 1) })
		ends = append(ends, n, f) // one dial at a time
		return n, f
	}}
	h := connectLine(t, l, ServerConfig{Host: newEcho(0)}, Config{})
	p := run(t, h, core.Command{Command: "cat", Interactive: true})
	want := make([]byte, 2_000_000)
	for i := range want {
		want[i] = byte(i / 7)
	}
	got := make(chan []byte)
	go func() { // ends by Close
		var b []byte
		p.Output(func(_ uint8, q []byte) {
			if b = append(b, q...); len(b) >= len(want) {
				got <- b
			}
		})
	}()
	for i, rest := 0, want; len(rest) > 0; i++ {
		b := rest[:min(len(rest), 1+rand.IntN(2*keystroke))]
		if i%20 == 0 {
			b = rest[:min(len(rest), 1+rand.IntN(maxData))]
		}
		if n, err := p.Write(b); n != len(b) || err != nil {
			t.Fatalf("got %d and %v, want %d", n, err, len(b))
		}
		rest = rest[len(b):]
		if i%100 == 99 {
			l.cutWhole()
		}
	}
	if b := <-got; !bytes.Equal(b, want) {
		t.Errorf("got %d bytes, want the %d that were written", len(b), len(want))
	}
	p.Close()
	var parts int64
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, end := range ends {
		parts += end.parts.Load()
	}
	if parts == 0 || l.dials < 2 {
		t.Errorf("got %d tries that wrote a part, and %d connections, want some", parts, l.dials)
	}
}

// The answer to a keystroke is written with its echo, and by who has it, at once. Without an echo
// it does not take long.
func TestKeystroke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var far *roomy
		l := &line{pipe: func() (io.ReadWriteCloser, io.ReadWriteCloser) {
			var near *roomy
			near, far = newRoomy(func(n int) int { return n })
			return near, far
		}}
		h := connectLine(t, l, ServerConfig{Host: newEcho(lateTime / 2)}, Config{})
		p := run(t, h, core.Command{Command: "cat", Interactive: true})
		echoed := make(chan bool, 1)
		go p.Output(func(uint8, []byte) { echoed <- true }) // ends by Close
		const keys = 50
		before := far.writes.Load()
		for range keys {
			if _, err := p.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			<-echoed
			time.Sleep(2 * lateTime)
		}
		if n := far.writes.Load() - before; n != keys {
			t.Errorf("got %d writes for %d keystrokes, want as many", n, keys)
		}
		p.Close()

		silent := run(t, h, core.Command{Command: "silent", Interactive: true})
		began := time.Now()
		silent.Write([]byte("x"))
		if d := time.Since(began); d > lateTime {
			t.Errorf("got an answer after %v, want it within %v", d, lateTime)
		}
		silent.Close()
	})
}
