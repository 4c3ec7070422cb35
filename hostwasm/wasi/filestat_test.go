package wasi_test

import (
	"encoding/binary"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A filestat is what fd_filestat_get stores.
type filestat struct {
	dev, ino         uint64
	kind             uint8
	nlink, size      uint64
	atim, mtim, ctim uint64
}

func (g *guest) stat(fd uint64) filestat {
	g.t.Helper()
	at := g.room(64)
	g.must("fd_filestat_get", fd, at)
	return filestat{g.u64(at), g.u64(at + 8), g.mem[at+16], g.u64(at + 24), g.u64(at + 32), g.u64(at + 40), g.u64(at + 48), g.u64(at + 56)}
}

// TestUnstableFilestat looks at the layout of snapshot 0: 56 bytes, with a
// link count of 4.
func TestUnstableFilestat(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "file", "12345")
	fd := uint64(g.open(dir, "file", 0, readWrite, 0))
	g.must("fd_filestat_set_times", fd, 11, 22, 1|4)
	s := g.stat(fd)
	name, n := g.put("file")
	for function, params := range map[string][]uint64{
		"fd_filestat_get": {fd}, "path_filestat_get": {uint64(dir), 0, name, n},
	} {
		at := g.room(64)
		binary.LittleEndian.PutUint64(g.mem[at+56:], 0xdead)
		g.must(wasi.Unstable+"."+function, append(params, at)...)
		got := filestat{g.u64(at), g.u64(at + 8), g.mem[at+16], uint64(g.u32(at + 20)), g.u64(at + 24), g.u64(at + 32), g.u64(at + 40), g.u64(at + 48)}
		if got != s || s.size != 5 || s.atim != 11 || s.mtim != 22 || s.nlink != 1 || s.kind != 4 {
			t.Errorf("%s: got %+v, want %+v", function, got, s)
		}
		if g.u64(at+56) != 0xdead {
			t.Errorf("%s wrote more than 56 bytes", function)
		}
		if e := g.call(wasi.Unstable+"."+function, append(params, uint64(len(g.mem)-56))...); e != errno.SUCCESS {
			t.Errorf("%s at the end of memory: got %v, want success", function, e)
		}
	}
}

func TestUnstableSeek(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	g.create(g.preopen("."), "file", "0123456789")
	fd := uint64(g.open(g.preopen("."), "file", 0, readOnly, 0))
	at := g.room(8)
	for _, c := range []struct{ offset, whence, want uint64 }{{4, 2, 4}, {1, 0, 5}, {1<<64 - 1, 1, 9}} {
		g.must(wasi.Unstable+".fd_seek", fd, c.offset, c.whence, at)
		if got := g.u64(at); got != c.want {
			t.Errorf("offset %d, whence %d: got %d, want %d", int64(c.offset), c.whence, got, c.want)
		}
	}
	if e := g.call(wasi.Unstable+".fd_seek", fd, 0, 3, at); e != errno.INVAL {
		t.Errorf("whence 3: got %v, want %v", e, errno.INVAL)
	}
}

// TestUnstablePoll has subscriptions of 56 bytes: a clock has an identifier
// before its id.
func TestUnstablePoll(t *testing.T) {
	g := start(t, wasi.Config{Deterministic: true})
	_, w := g.pipe(0)
	in, out, n := g.room(2*56), g.room(2*32), g.room(4)
	le := binary.LittleEndian
	le.PutUint64(g.mem[in:], 1)
	le.PutUint64(g.mem[in+16:], 99) // the identifier
	le.PutUint32(g.mem[in+24:], 1)
	le.PutUint64(g.mem[in+32:], 1e9)
	g.must(wasi.Unstable+".poll_oneoff", in, out, 1, n)
	if events := g.events(out, g.u32(n)); len(events) != 1 || events[0] != (event{userdata: 1}) {
		t.Errorf("got %v, want the clock", events)
	}
	le.PutUint64(g.mem[in+56:], 2)
	g.mem[in+56+8] = 2
	le.PutUint32(g.mem[in+56+16:], w)
	g.must(wasi.Unstable+".poll_oneoff", in, out, 2, n)
	if events := g.events(out, g.u32(n)); len(events) != 1 || events[0].userdata != 2 {
		t.Errorf("got %v, want the descriptor", events)
	}
}
