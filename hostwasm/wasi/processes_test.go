package wasi_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A census is a table of processes that do nothing.
type census struct {
	list     []wasi.Listed
	last     uint32
	signal   func(pid, signal uint32) error
	signaled []uint32
}

func (c *census) Self() uint32 { return 7 }

func (c *census) Each(yield func(wasi.Listed)) {
	for _, l := range c.list {
		yield(l)
	}
}

func (c *census) Reserve() (uint32, error) {
	if c.last == 2 {
		return 0, errno.AGAIN
	}
	c.last++
	return c.last, nil
}

func (c *census) Signal(pid, signal uint32) error {
	c.signaled = append(c.signaled, pid, signal)
	if c.signal == nil {
		return nil
	}
	return c.signal(pid, signal)
}

func TestProcesses(t *testing.T) {
	long := strings.Repeat("x", 5000)
	c := &census{list: []wasi.Listed{
		{PID: 1, Start: 1 << 40, Fuel: 5 << 32, Memory: 1 << 16, Args: []string{"sh", "", "c"}},
		{PID: 7, Parent: 1, State: wasi.Waiting, Args: []string{"cat", long, "y"}},
		{PID: 9, Parent: 1, State: wasi.Ended},
	}}
	g := start(t, wasi.Config{Processes: c})
	const size = 16 + (48 + 8) + (48 + 4096) + 48
	at := g.room(size)
	for _, n := range []uint64{16, size - 1} {
		if e := g.call(wasi.Proc+".processes", at, n); e != errno.RANGE {
			t.Errorf("%d bytes: got %v, want %v", n, e, errno.RANGE)
		}
		if got := g.u32(at); got != size {
			t.Errorf("%d bytes: got a size of %d, want %d", n, got, size)
		}
	}
	for i := range g.mem[at : at+size] {
		g.mem[int(at)+i] = 0xff
	}
	g.must(wasi.Proc+".processes", at, size)
	got := []uint32{g.u32(at), g.u32(at + 4), g.u32(at + 8), g.u32(at + 12)}
	if want := []uint32{size, 3, 7, 0}; !slices.Equal(got, want) {
		t.Errorf("head: got %v, want %v", got, want)
	}
	at += 16
	for _, want := range []struct {
		head                [4]uint32 // size, number, parent, state
		start, fuel, memory uint64
		args                string
		all                 uint32
	}{
		{[4]uint32{56, 1, 0, 0}, 1 << 40, 5 << 32, 1 << 16, "sh\x00\x00c\x00", 6},
		{[4]uint32{48 + 4096, 7, 1, 1}, 0, 0, 0, "cat\x00" + long[:4092], 4 + 5001 + 2},
		{[4]uint32{48, 9, 1, 2}, 0, 0, 0, "", 0},
	} {
		head := [4]uint32{g.u32(at), g.u32(at + 4), g.u32(at + 8), g.u32(at + 12)}
		args := string(g.mem[at+48:][:g.u32(at+40)])
		if head != want.head || g.u64(at+16) != want.start || g.u64(at+24) != want.fuel || g.u64(at+32) != want.memory ||
			args != want.args || g.u32(at+44) != want.all {
			t.Errorf("got %v, %d, %d, %d, %.20q of %d, want %+v", head, g.u64(at+16), g.u64(at+24), g.u64(at+32), args, g.u32(at+44), want)
		}
		at += uint64(head[0])
	}
}

func TestProcessesRefuses(t *testing.T) {
	g := start(t, wasi.Config{Processes: &census{}})
	end := uint64(len(g.mem))
	for _, c := range []struct {
		ptr, n uint64
		want   errno.Errno
	}{
		{64, 15, errno.INVAL}, {64, 0, errno.INVAL}, {end - 15, 16, errno.FAULT}, {64, 1<<32 - 1, errno.FAULT},
		{1<<32 - 1, 1<<32 - 1, errno.FAULT}, {end - 16, 16, errno.SUCCESS},
	} {
		if e := g.call(wasi.Proc+".processes", c.ptr, c.n); e != c.want {
			t.Errorf("%d bytes at %d: got %v, want %v", c.n, c.ptr, e, c.want)
		}
	}
	none := start(t, wasi.Config{})
	for name, params := range map[string][]uint64{"processes": {64, 16}, "reserve": {64}, "signal": {1, 9}} {
		if e := none.call(wasi.Proc+"."+name, params...); e != errno.NOSYS {
			t.Errorf("%s where there are none: got %v, want %v", name, e, errno.NOSYS)
		}
	}
}

func TestReserve(t *testing.T) {
	c := &census{}
	g := start(t, wasi.Config{Processes: c})
	if e := g.call(wasi.Proc+".reserve", uint64(len(g.mem)-3)); e != errno.FAULT || c.last != 0 {
		t.Errorf("beyond memory: got %v and %d taken, want %v and none", e, c.last, errno.FAULT)
	}
	at := g.room(4)
	for want := range uint32(2) {
		g.must(wasi.Proc+".reserve", at)
		if got := g.u32(at); got != want+1 {
			t.Errorf("got %d, want %d", got, want+1)
		}
	}
	if e := g.call(wasi.Proc+".reserve", at); e != errno.AGAIN {
		t.Errorf("got %v, want %v", e, errno.AGAIN)
	}
}

func TestSignal(t *testing.T) {
	c := &census{}
	g := start(t, wasi.Config{Processes: c})
	g.must(wasi.Proc+".signal", 3, 15)
	if want := []uint32{3, 15}; !slices.Equal(c.signaled, want) {
		t.Errorf("got %v, want %v", c.signaled, want)
	}
	c.signal = func(uint32, uint32) error { return errno.SRCH }
	if e := g.call(wasi.Proc+".signal", 3, 15); e != errno.SRCH {
		t.Errorf("got %v, want %v", e, errno.SRCH)
	}
	over := errors.New("over")
	c.signal = func(uint32, uint32) error {
		g.p.Interrupt(over)
		return nil
	}
	g.endedBy(over, wasi.Proc+".signal", 7, 9)
}

// TestReap tells of a child that has ended once its parent knows, or never will.
func TestReap(t *testing.T) {
	n := &nursery{}
	g := start(t, wasi.Config{Spawner: n})
	var procs []uint32
	for range 4 {
		procs = append(procs, g.spawn())
	}
	at := g.room(16)
	for i, know := range []func(proc uint32){
		func(proc uint32) { g.must(wasi.Proc+".wait", uint64(proc), 0, at) },
		func(proc uint32) {
			g.read(proc, 8)
			if n.kids[1].reaped != 0 {
				t.Error("reaped after half a status")
			}
			g.read(proc, 8)
		},
		func(proc uint32) { g.must("fd_close", uint64(proc)) },
	} {
		n.kids[i].exited(wasi.Status{})
		if got := n.kids[i].reaped; got != 0 {
			t.Errorf("child %d: reaped before its parent knew", i)
		}
		know(procs[i])
		if i != 2 {
			g.must("fd_close", uint64(procs[i]))
		}
		if got := n.kids[i].reaped; got != 1 {
			t.Errorf("child %d: reaped %d times, want once", i, got)
		}
	}
	g.must("fd_close", uint64(procs[3]))
	n.kids[3].exited(wasi.Status{})
	if got := n.kids[3].reaped; got != 1 {
		t.Errorf("a child that ended after its handle: reaped %d times, want once", got)
	}
}
