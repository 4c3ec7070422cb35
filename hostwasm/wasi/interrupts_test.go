package wasi_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// patience is how long a guest has to answer an interrupt: longer than a busy machine keeps a test
// waiting.
const patience = time.Minute

// interrupts opens a descriptor that does not block.
func (g *guest) interrupts() uint32 {
	g.t.Helper()
	at := g.room(4)
	g.must(wasi.Proc+".interrupts", at)
	const nonblock = 4
	g.must("fd_fdstat_set_flags", uint64(g.u32(at)), nonblock)
	return g.u32(at)
}

// lead starts a guest that leads a terminal.
func lead(t *testing.T) (*guest, *wasi.PipeWriter) {
	terminal, keys, _ := newTerminal(true)
	g := start(t, wasi.Config{Stdin: terminal.Input(), Stdout: terminal.Output(), Terminal: terminal, Spawner: &nursery{}})
	return g, keys
}

func TestInterruptsNeedATerminal(t *testing.T) {
	g := start(t, wasi.Config{})
	if e := g.call(wasi.Proc+".interrupts", g.room(4)); e != errno.NOSYS {
		t.Errorf("got %v, want %v", e, errno.NOSYS)
	}
	g, _ = lead(t)
	if got := g.features(); got != 63+128 {
		t.Errorf("the features of who leads a terminal: got %d, want 191", got)
	}
	if e := g.call(wasi.Proc+".interrupts", uint64(len(g.mem)-3)); e != errno.FAULT {
		t.Errorf("got %v, want %v", e, errno.FAULT)
	}
}

// An interrupt goes before what is typed, and takes what was.
func TestInterrupts(t *testing.T) {
	g, keys := lead(t)
	if keys.Interrupt(patience) {
		t.Error("a guest took an interrupt that it has not asked for")
	}
	fd := g.interrupts()
	if _, e := g.read(fd, 8); e != errno.AGAIN {
		t.Errorf("before there is one: got %v, want %v", e, errno.AGAIN)
	}
	keys.Write([]byte("before"))
	keys.EndFile()
	for range 2 { // they count as one
		if !keys.Interrupt(patience) {
			t.Error("the guest did not take an interrupt")
		}
	}
	keys.Write([]byte("behind"))
	events, err := g.poll(readSub(1, 0), readSub(2, fd), writeSub(3, fd))
	if want := []event{{2, 0, 1, 1, false}, {3, errno.BADF, 2, 0, false}}; err != nil || !slices.Equal(events, want) {
		t.Errorf("got %v, %v, want %v", events, err, want)
	}
	if got, e := g.read(fd, 8); got != "\x03" || e != errno.SUCCESS {
		t.Errorf("got %q, %v, want ^C", got, e)
	}
	if _, e := g.read(fd, 8); e != errno.AGAIN {
		t.Errorf("a second time: got %v, want %v", e, errno.AGAIN)
	}
	if got, e := g.read(0, 100); got != "behind" || e != errno.SUCCESS {
		t.Errorf("got %q, %v, want what was typed behind it", got, e)
	}
	keys.Close()
	if got, e := g.read(fd, 8); got != "" || e != errno.SUCCESS {
		t.Errorf("after the end of input: got %q, %v, want the end of the file", got, e)
	}
	g.must("fd_close", uint64(fd))
	if keys.Interrupt(patience) {
		t.Error("a guest took an interrupt that it does not ask for any more")
	}
}

// What was typed ahead is held back until an interrupt is answered, for whoever
// reads then.
func TestInterruptHoldsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, keys := lead(t)
		fd := g.interrupts()
		keys.Interrupt(patience)
		keys.Write([]byte("x"))
		events, err := g.poll(readSub(1, 0), clockSub(2, uint64(time.Millisecond)))
		if err != nil || len(events) != 1 || events[0].userdata != 2 {
			t.Errorf("got %v, %v, want that nothing can be read", events, err)
		}
		g.must("fd_close", uint64(fd))
		if got, e := g.read(0, 1); got != "x" || e != errno.SUCCESS {
			t.Errorf("got %q, %v, want x", got, e)
		}
	})
}

func TestUnansweredInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, keys := lead(t)
		fd := g.interrupts()
		keys.Interrupt(patience)
		time.Sleep(patience - 1)
		if !keys.Interrupt(patience) {
			t.Error("the guest was given no time to answer")
		}
		time.Sleep(time.Nanosecond)
		if keys.Interrupt(patience) {
			t.Error("the guest took an interrupt and has not answered the one before it")
		}
		g.read(fd, 1)
		if !keys.Interrupt(patience) {
			t.Error("the guest has answered, and did not take the next one")
		}
	})
}

// Who waits for interrupts too waits to read, whatever else it looks after; and
// does not once it was interrupted.
func TestInterruptedIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, keys := lead(t)
		fd := g.interrupts()
		r, _ := g.pipe(0)
		polled := make(chan []event)
		go func() {
			events, _ := g.poll(readSub(1, 0), readSub(2, fd), readSub(3, r), clockSub(4, uint64(time.Hour)))
			polled <- events
		}()
		synctest.Wait()
		if !keys.Awaited() {
			t.Error("is not awaited while the guest waits")
		}
		keys.Interrupt(patience)
		if keys.Awaited() {
			t.Error("is awaited after an interrupt")
		}
		if events := <-polled; len(events) != 1 || events[0].userdata != 2 {
			t.Errorf("got %v, want the interrupt", events)
		}
		if keys.Awaited() {
			t.Error("is awaited by a guest that does not wait")
		}
	})
}

// What waits for room in the terminal's pipe goes with what is in it.
func TestInterruptDropsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, keys := lead(t)
		fd := g.interrupts()
		wrote := make(chan int)
		go func() {
			n, _ := keys.Write(make([]byte, 100<<10))
			wrote <- n
		}()
		synctest.Wait()
		keys.Interrupt(patience)
		if n := <-wrote; n != 100<<10 {
			t.Errorf("got %d, want all taken", n)
		}
		g.read(fd, 1)
		keys.Write([]byte("x"))
		if got, _ := g.read(0, 100); got != "x" {
			t.Errorf("got %q, want what was typed behind it", got)
		}
	})
}

func TestInterruptsAreNotInherited(t *testing.T) {
	g, _ := lead(t)
	fd := g.interrupts()
	at, n := g.put(string(request(1, part(1, "kid"), part(4, words(3, fd, 0)))))
	if e := g.call(wasi.Proc+".spawn", at, n, g.room(4)); e != errno.INVAL {
		t.Errorf("got %v, want %v", e, errno.INVAL)
	}
}
