package wasi_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// TestPipeCarries sends random pieces through pipes of many sizes, where the
// ring turns over at every place, grows and shrinks.
func TestPipeCarries(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 5, 6, 7, 4095, 4096, 4097, 5000, 10_000, 64 << 10, 100_000} {
		for _, lend := range []bool{false, true} {
			rnd := rand.New(rand.NewPCG(uint64(size), 1))
			sent := make([]byte, min(4000*size, 1<<20))
			for i := range sent {
				sent[i] = byte(rnd.Uint32())
			}
			r, w := wasi.NewPipe(size)
			go func() {
				for rest := sent; len(rest) > 0; {
					n, err := w.Write(rest[:min(len(rest), rnd.IntN(2*size)+1)])
					if err != nil {
						t.Error(err)
					}
					rest = rest[n:]
				}
				w.Close()
			}()
			var got bytes.Buffer
			var err error
			if lend {
				_, err = r.WriteTo(&got)
			} else {
				_, err = got.ReadFrom(struct{ io.Reader }{r})
			}
			if err != nil || !bytes.Equal(got.Bytes(), sent) {
				t.Errorf("size %d, lend %v: got %d bytes and %v, want the %d that were sent", size, lend, got.Len(), err, len(sent))
			}
		}
	}
}

func TestPipeCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := wasi.NewPipe(4)
		failed := make(chan error, 1)
		go func() { _, err := w.Write([]byte("longer")); failed <- err }()
		synctest.Wait()
		r.Close()
		if err := <-failed; err != io.ErrClosedPipe {
			t.Errorf("a write that waits when the reader closes: got %v, want %v", err, io.ErrClosedPipe)
		}

		r, w = wasi.NewPipe(4)
		go func() { _, err := r.Read(make([]byte, 1)); failed <- err }()
		synctest.Wait()
		r.Close()
		if err := <-failed; err != io.ErrClosedPipe {
			t.Errorf("a read that waits when its own end closes: got %v, want %v", err, io.ErrClosedPipe)
		}
		if _, err := w.Write([]byte("x")); err != io.ErrClosedPipe {
			t.Errorf("a write without a reader: got %v, want %v", err, io.ErrClosedPipe)
		}
	})
}

type failAfter struct{ n int }

func (f *failAfter) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return len(b) + f.n, errors.New("full")
	}
	return len(b), nil
}

func TestWriteToKeepsTheRest(t *testing.T) {
	r, w := wasi.NewPipe(0)
	w.Write([]byte("abcdef"))
	w.Close()
	if n, err := r.WriteTo(&failAfter{4}); n != 4 || err == nil {
		t.Errorf("got %d, %v, want 4 and an error", n, err)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "ef" {
		t.Errorf("got %q, want %q", rest, "ef")
	}
}

// WaitRead waits for what is in the pipe, and not for what is written later.
func TestWaitRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := wasi.NewPipe(0)
		defer r.Close()
		w.Write([]byte("first"))
		read := make(chan struct{})
		go func() { r.WaitRead(); close(read) }()
		synctest.Wait()
		w.Write([]byte("later"))
		for _, n := range []int{4, 1} {
			select {
			case <-read:
				t.Error("has waited for less than what was there")
			default:
			}
			r.Read(make([]byte, n))
			synctest.Wait()
		}
		<-read
		if n := r.Len(); n != len("later") {
			t.Errorf("got %d bytes in the pipe, want %d", n, len("later"))
		}
		go r.Close()
		r.WaitRead()
	})
}

func TestStdio(t *testing.T) {
	stdin, in := wasi.NewPipe(0)
	out, stdout := wasi.NewPipe(0)
	g := start(t, wasi.Config{Stdin: stdin.OpenFile(), Stdout: stdout.OpenFile()})
	in.Write([]byte("abc"))
	in.Close()
	for _, want := range []string{"ab", "c", "", ""} {
		if got, e := g.read(0, 2); got != want || e != errno.SUCCESS {
			t.Errorf("got %q, %v, want %q", got, e, want)
		}
	}
	all := collect(t, out)
	g.write(1, "on stdout")
	if n, e := g.write(2, "nowhere"); n != 7 || e != errno.SUCCESS {
		t.Errorf("stderr that nobody reads: got %d, %v, want 7", n, e)
	}
	if _, e := g.write(0, "x"); e != errno.BADF {
		t.Errorf("writing to stdin: got %v, want %v", e, errno.BADF)
	}
	if _, e := g.read(1, 1); e != errno.BADF {
		t.Errorf("reading from stdout: got %v, want %v", e, errno.BADF)
	}
	g.p.Close()
	if got := <-all; got != "on stdout" {
		t.Errorf("got %q, want %q", got, "on stdout")
	}
}

// The end of a file that is typed is one to the reader who comes to it, and no
// more.
func TestEndFile(t *testing.T) {
	terminal, in, _ := newTerminal(true)
	g := start(t, wasi.Config{Stdin: terminal.Input()})
	in.EndFile()
	in.Write([]byte("abc"))
	in.EndFile()
	in.EndFile()
	in.Write([]byte("d"))
	for _, want := range []string{"", "ab", "c", "", "", "d"} {
		if got, e := g.read(0, 2); got != want || e != errno.SUCCESS {
			t.Errorf("got %q, %v, want %q", got, e, want)
		}
	}
	in.EndFile()
	if events, e := g.poll(readSub(1, 0)); e != nil || len(events) != 1 {
		t.Errorf("the end of the file: got %v, %v, want that it can be read", events, e)
	}
}

// A pipe is awaited while a guest waits for it and for nothing else.
func TestAwaited(t *testing.T) {
	for _, test := range []struct {
		name string
		wait func(g *guest)
		want bool
	}{
		{"fd_read", func(g *guest) { g.read(0, 2) }, true},
		{"poll_oneoff", func(g *guest) { g.poll(readSub(1, 0)) }, true},
		{"poll_oneoff of another one too", func(g *guest) {
			r, _ := g.pipe(0)
			g.poll(readSub(1, 0), readSub(2, r))
		}, false},
		{"poll_oneoff with a timeout", func(g *guest) { g.poll(readSub(1, 0), clockSub(2, uint64(time.Hour))) }, false},
		{"a sleep", func(g *guest) { g.poll(clockSub(2, uint64(time.Hour))) }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				terminal, in, _ := newTerminal(true)
				g := start(t, wasi.Config{Stdin: terminal.Input()})
				if in.Awaited() {
					t.Error("is awaited before anybody waits")
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					test.wait(g)
				}()
				synctest.Wait()
				if got := in.Awaited(); got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
				in.Write([]byte("a"))
				if in.Awaited() {
					t.Error("is awaited with something to read in it")
				}
				<-done
			})
		})
	}
}

// TestBackPressure has a guest write more than its pipe holds.
func TestBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, stdout := wasi.NewPipe(8)
		g := start(t, wasi.Config{Stdout: stdout.OpenFile()})
		long := strings.Repeat("0123456789", 10)
		wrote := make(chan bool)
		go func() {
			if n, e := g.write(1, long); n != 100 || e != errno.SUCCESS {
				t.Errorf("got %d, %v, want 100", n, e)
			}
			g.p.Close()
			close(wrote)
		}()
		synctest.Wait()
		select {
		case <-wrote:
			t.Error("the guest did not wait for the reader")
		default:
		}
		if got := <-collect(t, out); got != long {
			t.Errorf("got %q, want %q", got, long)
		}
		<-wrote
	})
}

func TestNonblocking(t *testing.T) {
	g := start(t, wasi.Config{})
	r, w := g.pipe(1)
	if _, e := g.read(r, 1); e != errno.AGAIN {
		t.Errorf("reading from an empty pipe: got %v, want %v", e, errno.AGAIN)
	}
	if got, e := g.read(r, 0); got != "" || e != errno.SUCCESS {
		t.Errorf("reading nothing: got %q, %v, want success", got, e)
	}
	big := strings.Repeat("x", 60<<10)
	if n, e := g.write(w, big); n != 60<<10 || e != errno.SUCCESS {
		t.Errorf("got %d, %v, want all", n, e)
	}
	if n, e := g.write(w, big); n != 4<<10 || e != errno.SUCCESS {
		t.Errorf("got %d, %v, want what there was room for", n, e)
	}
	if _, e := g.write(w, "x"); e != errno.AGAIN {
		t.Errorf("writing to a full pipe: got %v, want %v", e, errno.AGAIN)
	}
	g.read(r, 100)
	if _, e := g.write(w, strings.Repeat("x", 101)); e != errno.AGAIN {
		t.Errorf("writing a little more than there is room for: got %v, want %v, not a part of it", e, errno.AGAIN)
	}
	if n, e := g.write(w, strings.Repeat("x", 100)); n != 100 || e != errno.SUCCESS {
		t.Errorf("got %d, %v, want 100", n, e)
	}
	g.must("fd_close", uint64(r))
	if _, e := g.write(w, "x"); e != errno.PIPE {
		t.Errorf("writing without a reader: got %v, want %v", e, errno.PIPE)
	}
}

func TestPipeEnds(t *testing.T) {
	g := start(t, wasi.Config{})
	r, w := g.pipe(0)
	dup := g.room(4)
	g.must(wasi.Proc+".dup", uint64(w), 10, dup)
	if got := g.u32(dup); got != 10 {
		t.Errorf("dup: got descriptor %d, want 10", got)
	}
	g.write(w, "one ")
	g.must("fd_close", uint64(w))
	g.write(10, "two")
	g.must("fd_close", 10)
	if got, e := g.read(r, 100); got != "one two" || e != errno.SUCCESS {
		t.Errorf("got %q, %v, want %q", got, e, "one two")
	}
	if got, e := g.read(r, 100); got != "" || e != errno.SUCCESS {
		t.Errorf("without writers: got %q, %v, want the end of the file", got, e)
	}
}

// TestGathered writes and reads in pieces.
func TestGathered(t *testing.T) {
	g := start(t, wasi.Config{})
	r, w := g.pipe(0)
	a, an := g.put("ab")
	b, bn := g.put("cdef")
	result := g.room(4)
	iovs, n := g.vector(a, an, b, 0, b, bn)
	g.must("fd_write", uint64(w), iovs, n, result)
	if got := g.u32(result); got != 6 {
		t.Errorf("got %d, want 6", got)
	}
	x, y := g.room(4), g.room(4)
	iovs, n = g.vector(x, 3, 0, 0, y, 4)
	g.must("fd_read", uint64(r), iovs, n, result)
	if got := string(g.mem[x:x+3]) + string(g.mem[y:y+3]); got != "abcdef" || g.u32(result) != 6 {
		t.Errorf("got %q, %d, want %q, 6", got, g.u32(result), "abcdef")
	}
}

// TestEmptyPipesAreSmall fills and empties many pipes.
func TestEmptyPipesAreSmall(t *testing.T) {
	const pipes = 500
	b := make([]byte, 64<<10)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // a pool keeps what it has for one cycle more
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	var ends []io.Closer
	for range pipes {
		r, w := wasi.NewPipe(0)
		w.Write(b[:100])
		w.Write(b[100:])
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, r, w)
	}
	if got := (heap() - before) / pipes; got > 6<<10 {
		t.Errorf("an empty pipe takes %d bytes, want at most 6 KiB", got)
	}
	runtime.KeepAlive(ends)
}

func TestReadWriteAllocateNothing(t *testing.T) {
	g := start(t, wasi.Config{})
	r, w := g.pipe(0)
	buf, n := g.put(strings.Repeat("x", 1000))
	iovs, count := g.vector(buf, n/2, buf, n/2)
	result := g.room(4)
	fdWrite, fdRead := funcs[wasi.Preview1+".fd_write"].Call, funcs[wasi.Preview1+".fd_read"].Call
	stack := make([]uint64, 4)
	var guest any = g.p
	mem := engine.Lent(g.mem)
	got := testing.AllocsPerRun(100, func() {
		copy(stack, []uint64{uint64(w), iovs, count, result})
		if err := fdWrite(guest, mem, stack); err != nil || stack[0] != 0 {
			t.Fatal(err, stack[0])
		}
		copy(stack, []uint64{uint64(r), iovs, count, result})
		if err := fdRead(guest, mem, stack); err != nil || stack[0] != 0 {
			t.Fatal(err, stack[0])
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations in a write and a read, want 0", got)
	}
}
