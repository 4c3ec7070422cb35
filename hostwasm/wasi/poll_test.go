package wasi_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// An event is what poll_oneoff stores.
type event struct {
	userdata uint64
	err      errno.Errno
	kind     uint8
	n        uint64
	hangup   bool
}

// A subscription is preview 1's, in bytes.
type subscription [48]byte

func sub(userdata uint64, kind byte) (s subscription) {
	binary.LittleEndian.PutUint64(s[:], userdata)
	s[8] = kind
	return s
}

// clockSub is for the monotonic clock.
func clockSub(userdata, timeout uint64) subscription { return clockSubOf(userdata, 1, timeout, 0) }

func clockSubOf(userdata uint64, clock uint32, timeout uint64, flags uint16) subscription {
	s := sub(userdata, 0)
	binary.LittleEndian.PutUint32(s[16:], clock)
	binary.LittleEndian.PutUint64(s[24:], timeout)
	binary.LittleEndian.PutUint16(s[40:], flags)
	return s
}

func readSub(userdata uint64, fd uint32) subscription {
	s := sub(userdata, 1)
	binary.LittleEndian.PutUint32(s[16:], fd)
	return s
}

func writeSub(userdata uint64, fd uint32) subscription {
	s := sub(userdata, 2)
	binary.LittleEndian.PutUint32(s[16:], fd)
	return s
}

// poll is poll_oneoff. An errno is the error too.
func (g *guest) poll(subs ...subscription) ([]event, error) {
	g.t.Helper()
	defer func(free uint32) { g.free = free }(g.free)
	in := g.room(48 * len(subs))
	for i, s := range subs {
		copy(g.mem[in+uint64(48*i):], s[:])
	}
	out, n := g.room(32*len(subs)), g.room(4)
	e, err := g.raw("poll_oneoff", in, out, uint64(len(subs)), n)
	if err != nil {
		return nil, err
	}
	if e != 0 {
		return nil, errno.Errno(e)
	}
	return g.events(out, g.u32(n)), nil
}

func (g *guest) events(out uint64, n uint32) []event {
	var events []event
	for i := range uint64(n) {
		b := g.mem[out+32*i:]
		le := binary.LittleEndian
		events = append(events, event{le.Uint64(b), errno.Errno(le.Uint16(b[8:])), b[10], le.Uint64(b[16:]), le.Uint16(b[24:])&1 != 0})
	}
	return events
}

func TestPoll(t *testing.T) {
	const ns = uint64(time.Millisecond)
	realtime := func() uint64 { return uint64(time.Now().UnixNano()) }
	for _, c := range []struct {
		name string
		subs func(r, w uint32) []subscription
		want []event
		took time.Duration
	}{
		{"relative", func(r, w uint32) []subscription { return []subscription{clockSub(1, 5*ns)} },
			[]event{{userdata: 1}}, 5 * time.Millisecond},
		{"the soonest", func(r, w uint32) []subscription {
			return []subscription{clockSub(1, 50*ns), clockSub(2, 5*ns), clockSubOf(3, 0, 7*ns, 0), clockSub(4, 5*ns)}
		}, []event{{userdata: 2}, {userdata: 4}}, 5 * time.Millisecond},
		{"already over", func(r, w uint32) []subscription { return []subscription{clockSub(1, 50*ns), clockSub(2, 0)} },
			[]event{{userdata: 2}}, 0},
		{"absolute", func(r, w uint32) []subscription {
			return []subscription{clockSubOf(1, 0, realtime()+3*ns, 1), clockSubOf(2, 1, 1<<62, 1)}
		}, []event{{userdata: 1}}, 3 * time.Millisecond},
		{"absolute, long ago", func(r, w uint32) []subscription {
			return []subscription{clockSubOf(1, 0, 1, 1), clockSubOf(2, 1, 0, 1)}
		}, []event{{userdata: 1}, {userdata: 2}}, 0},
		{"the end of time", func(r, w uint32) []subscription {
			return []subscription{clockSub(1, math.MaxUint64), clockSubOf(2, 0, math.MaxUint64, 1), clockSub(3, ns)}
		}, []event{{userdata: 3}}, time.Millisecond},
		{"no such clock", func(r, w uint32) []subscription {
			return []subscription{clockSubOf(1, 4, 0, 0), clockSubOf(2, 2, 0, 0), clockSub(3, ns)}
		}, []event{{userdata: 1, err: errno.INVAL}, {userdata: 2, err: errno.NOTSUP}}, 0},
		{"no such descriptor", func(r, w uint32) []subscription {
			return []subscription{readSub(1, 99), writeSub(2, r), readSub(3, w), clockSub(4, ns)}
		}, []event{{1, errno.BADF, 1, 0, false}, {2, errno.BADF, 2, 0, false}, {3, errno.BADF, 1, 0, false}}, 0},
		{"writable", func(r, w uint32) []subscription { return []subscription{writeSub(1, w), readSub(2, r)} },
			[]event{{1, 0, 2, 64 << 10, false}}, 0},
		{"nothing to read", func(r, w uint32) []subscription { return []subscription{readSub(1, r), clockSub(2, ns)} },
			[]event{{userdata: 2}}, time.Millisecond},
		{"stdio that nobody gave", func(r, w uint32) []subscription { return []subscription{readSub(1, 0), writeSub(2, 2)} },
			[]event{{1, 0, 1, 0, false}, {2, 0, 2, 0, false}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := start(t, wasi.Config{})
				r, w := g.pipe(0)
				began := time.Now()
				got, err := g.poll(c.subs(r, w)...)
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("got %v, %v, want %v", got, err, c.want)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}

// TestPollWakes has things happen to a guest that polls them.
func TestPollWakes(t *testing.T) {
	for _, c := range []struct {
		name    string
		happens func(in *wasi.PipeWriter, out *wasi.PipeReader, kid *kid)
		want    event
	}{
		{"input", func(in *wasi.PipeWriter, _ *wasi.PipeReader, _ *kid) { in.Write([]byte("abc")) }, event{1, 0, 1, 3, false}},
		{"end of input", func(in *wasi.PipeWriter, _ *wasi.PipeReader, _ *kid) { in.Close() }, event{1, 0, 1, 0, true}},
		{"room", func(_ *wasi.PipeWriter, out *wasi.PipeReader, _ *kid) { out.Read(make([]byte, 8)) }, event{2, 0, 2, 8, false}},
		{"no reader", func(_ *wasi.PipeWriter, out *wasi.PipeReader, _ *kid) { out.Close() }, event{2, 0, 2, 8, true}},
		{"child", func(_ *wasi.PipeWriter, _ *wasi.PipeReader, k *kid) { k.exited(wasi.Status{Code: 3}) }, event{3, 0, 1, 16, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stdin, in := wasi.NewPipe(8)
				out, stdout := wasi.NewPipe(8)
				kids := &nursery{}
				g := start(t, wasi.Config{Stdin: stdin.OpenFile(), Stdout: stdout.OpenFile(), Spawner: kids})
				g.write(1, "12345678")
				proc := g.spawn(nil)
				done := make(chan []event, 1)
				go func() {
					events, err := g.poll(readSub(1, 0), writeSub(2, 1), readSub(3, proc), clockSub(4, uint64(time.Hour)))
					if err != nil {
						t.Error(err)
					}
					done <- events
				}()
				synctest.Wait()
				c.happens(in, out, kids.kids[0])
				if got := <-done; !slices.Equal(got, []event{c.want}) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestPollRefuses(t *testing.T) {
	g := start(t, wasi.Config{})
	g.mem = make([]byte, 4<<20)
	n := g.room(4)
	for _, c := range []struct {
		params []uint64
		want   errno.Errno
	}{
		{[]uint64{64, 64, 0, n}, errno.INVAL},
		{[]uint64{64, 64, 1 << 30, n}, errno.FAULT},
		{[]uint64{64, 64, 1<<16 + 1, n}, errno.INVAL},
		{[]uint64{64, 64, math.MaxUint32, n}, errno.FAULT},
		{[]uint64{uint64(len(g.mem) - 47), 64, 1, n}, errno.FAULT},
		{[]uint64{64, uint64(len(g.mem) - 31), 1, n}, errno.FAULT},
		{[]uint64{64, 64, 1, uint64(len(g.mem) - 3)}, errno.FAULT},
	} {
		if got := g.call("poll_oneoff", c.params...); got != c.want {
			t.Errorf("poll_oneoff%v: got %v, want %v", c.params, got, c.want)
		}
	}
	if _, err := g.poll(sub(1, 3)); err != errno.INVAL {
		t.Errorf("an event of type 3: got %v, want %v", err, errno.INVAL)
	}
}

// TestPollOverlaps has the events stored over the subscriptions.
func TestPollOverlaps(t *testing.T) {
	g := start(t, wasi.Config{})
	_, w := g.pipe(0)
	at, n := g.room(10*48), g.room(4)
	for i := range uint64(10) {
		s := writeSub(i, w)
		copy(g.mem[at+48*i:], s[:])
	}
	g.must("poll_oneoff", at, at, 10, n)
	events := g.events(at, g.u32(n))
	if len(events) != 10 || events[9].userdata != 9 {
		t.Errorf("got %v, want one for each", events)
	}
}

func TestManySubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, wasi.Config{})
		g.mem = make([]byte, 8<<20)
		r, w := g.pipe(0)
		subs := make([]subscription, 1<<16)
		for i := range subs {
			subs[i] = clockSub(uint64(i), uint64(time.Hour)-uint64(i))
			if i%2 == 1 {
				subs[i] = readSub(uint64(i), r)
			}
		}
		events, err := g.poll(subs...)
		if err != nil || len(events) != 1 || events[0].userdata != 1<<16-2 {
			t.Errorf("got %v, %v, want the soonest clock", events, err)
		}
		g.write(w, "x")
		if events, err = g.poll(subs...); err != nil || len(events) != 1<<15 {
			t.Errorf("got %d events, %v, want 32768", len(events), err)
		}
	})
}

func TestPollAllocatesNothing(t *testing.T) {
	g := start(t, wasi.Config{})
	_, w := g.pipe(0)
	in, out, n := g.room(96), g.room(64), g.room(4)
	s, c := writeSub(1, w), clockSub(2, 1e9)
	copy(g.mem[in:], s[:])
	copy(g.mem[in+48:], c[:])
	poll := funcs[wasi.Preview1+".poll_oneoff"].Call
	stack := make([]uint64, 4)
	mem := engine.Lent(g.mem)
	var guest any = g.p
	if got := testing.AllocsPerRun(100, func() {
		copy(stack, []uint64{in, out, 2, n})
		if err := poll(guest, mem, stack); err != nil || stack[0] != 0 {
			t.Fatal(err, stack[0])
		}
	}); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}
