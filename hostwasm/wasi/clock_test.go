package wasi_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

func (g *guest) now(clock uint64) uint64 {
	g.t.Helper()
	at := g.room(8)
	g.must("clock_time_get", clock, 0, at)
	return g.u64(at)
}

func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, wasi.Config{})
		if got, want := g.now(0), uint64(time.Now().UnixNano()); got != want {
			t.Errorf("realtime: got %d, want %d", got, want)
		}
		before := g.now(1)
		time.Sleep(time.Second)
		if got := g.now(1) - before; got != 1e9 {
			t.Errorf("monotonic, a second later: got %d, want 1e9", got)
		}
		if got := g.now(2); got != 1e9 {
			t.Errorf("CPU time: got %d, want 1e9", got)
		}
		for clock := range uint64(4) {
			at := g.room(8)
			g.must("clock_res_get", clock, at)
			if g.u64(at) == 0 {
				t.Errorf("clock %d has no resolution", clock)
			}
		}
		if got := g.call("clock_time_get", 4, 0, 64); got != errno.INVAL {
			t.Errorf("clock_time_get of clock 4: got %v, want %v", got, errno.INVAL)
		}
		if got := g.call("clock_res_get", 4, 64); got != errno.INVAL {
			t.Errorf("clock_res_get of clock 4: got %v, want %v", got, errno.INVAL)
		}
	})
}

// TestDeterministic runs the same guest twice, at different times.
func TestDeterministic(t *testing.T) {
	run := func() (list []uint64) {
		g := start(t, wasi.Config{Deterministic: true})
		list = append(list, g.now(0), g.now(1))
		if _, err := g.poll(clockSub(1, uint64(time.Hour))); err != nil {
			t.Error(err)
		}
		list = append(list, g.now(0), g.now(2))
		at := g.room(16)
		g.must("random_get", at, 16)
		return append(list, g.u64(at), g.u64(at+8))
	}
	synctest.Test(t, func(t *testing.T) {
		first := run()
		if took := time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); took != 0 {
			t.Errorf("sleeping took %v, want no time", took)
		}
		time.Sleep(time.Minute)
		second := run()
		for i := range first {
			if first[i] != second[i] {
				t.Errorf("value %d: got %d, then %d, want the same", i, first[i], second[i])
			}
		}
		start := uint64(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
		if got := first[0] - start; got > uint64(time.Millisecond) {
			t.Errorf("got a beginning %d ns after 2026-01-01", got)
		}
		if got := first[2] - first[0]; got < uint64(time.Hour) || got > uint64(time.Hour+time.Millisecond) {
			t.Errorf("after sleeping for an hour: got %v, want an hour", time.Duration(got))
		}
	})
}

// TestVirtualSleepForever has time end.
func TestVirtualSleepForever(t *testing.T) {
	g := start(t, wasi.Config{Deterministic: true})
	for range 3 {
		if events, err := g.poll(clockSub(1, math.MaxUint64)); err != nil || len(events) != 1 {
			t.Errorf("got %v, %v, want an event", events, err)
		}
	}
	if got := g.now(0); got != math.MaxInt64 {
		t.Errorf("got %d, want the end of time", got)
	}
}

// TestVirtualTimeout waits for something that does not come, in real time.
func TestVirtualTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, wasi.Config{Deterministic: true})
		r, _ := g.pipe(0)
		before := g.now(1)
		began := time.Now()
		events, err := g.poll(readSub(1, r), clockSub(2, 1e9))
		if err != nil || len(events) != 1 || events[0].userdata != 2 {
			t.Errorf("got %v, %v, want the timeout", events, err)
		}
		if took := time.Since(began); took < 990*time.Millisecond || took > time.Second {
			t.Errorf("it took %v, want a second", took)
		}
		if got := g.now(1) - before; got < 1e9 {
			t.Errorf("the guest's clock moved by %v, want a second", time.Duration(got))
		}
	})
}

func TestRandom(t *testing.T) {
	g := start(t, wasi.Config{})
	at := g.room(1000)
	g.must("random_get", at, 1000)
	zeros := 0
	for _, b := range g.mem[at : at+1000] {
		if b == 0 {
			zeros++
		}
	}
	if zeros > 100 {
		t.Errorf("got %d zeros in 1000 bytes", zeros)
	}
	after := g.room(1)
	if got := g.call("random_get", after, math.MaxUint32); got != errno.FAULT {
		t.Errorf("4 GiB: got %v, want %v", got, errno.FAULT)
	}
	if g.mem[after] != 0 {
		t.Error("it began before it had looked whether there is room")
	}
}
