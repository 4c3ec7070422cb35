package wasi_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// list reads a directory as wasi-libc does, with a buffer of some size, which
// grows only if not even one entry fits.
func (g *guest) list(fd uint32, size int) (names []string, calls int) {
	g.t.Helper()
	used := g.room(4)
	for cookie := uint64(0); ; {
		free := g.free
		buf := g.room(size)
		g.must("fd_readdir", uint64(fd), buf, uint64(size), cookie, used)
		calls++
		b := g.mem[buf : buf+uint64(g.u32(used))]
		whole := 0
		for len(b) >= 24 {
			end := 24 + int(binary.LittleEndian.Uint32(b[16:]))
			if end > len(b) {
				break
			}
			cookie = binary.LittleEndian.Uint64(b)
			names = append(names, string(b[24:end]))
			b = b[end:]
			whole++
		}
		g.free = free
		if int(g.u32(used)) < size {
			return names, calls
		}
		if whole == 0 {
			size *= 2
		}
	}
}

// TestReaddir reads the same directory with buffers of all sizes.
func TestReaddir(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	want := []string{".", ".."}
	for i := range 40 {
		name := fmt.Sprintf("%0*dä", i+1, i)
		g.create(dir, name, "")
		want = append(want, name)
	}
	slices.Sort(want)
	for size := 1; size < 3000; size += 7 {
		got, _ := g.list(dir, size)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("buffers of %d bytes: got %q, want %q", size, got, want)
		}
	}
}

func TestReaddirEntries(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "file", "")
	ino := g.stat(uint64(g.open(dir, "file", 0, readOnly, 0))).ino
	buf, used := g.room(1000), g.room(4)
	g.must("fd_readdir", uint64(dir), buf, 1000, 0, used)
	last := buf + 2*24 + 1 + 2
	if got := g.u32(used); got != 3*24+1+2+4 {
		t.Fatalf("got %d bytes, want %d", got, 3*24+1+2+4)
	}
	if g.u64(last+8) != ino || g.mem[last+20] != 4 || g.mem[buf+20] != 3 || g.mem[buf+25+20] != 3 {
		t.Errorf("got %v, want a file with number %d, and directories", g.mem[last:last+28], ino)
	}
	file := g.open(dir, "file", 0, readOnly, 0)
	for fd, want := range map[uint32]errno.Errno{file: errno.NOTDIR, 1: errno.NOTDIR, 99: errno.BADF} {
		if e := g.call("fd_readdir", uint64(fd), buf, 10, 0, used); e != want {
			t.Errorf("descriptor %d: got %v, want %v", fd, e, want)
		}
	}
	g.must("fd_readdir", uint64(dir), buf, 1000, 1<<64-1, used)
	if g.u32(used) != 0 {
		t.Errorf("from a cookie beyond the end: got %d bytes, want none", g.u32(used))
	}
}

func TestReaddirBig(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	const n = 5000
	for i := range n {
		g.create(dir, fmt.Sprint("file", i), "")
	}
	names, calls := g.list(dir, 64<<10)
	slices.Sort(names)
	if got := len(slices.Compact(names)); got != n+2 || calls > 4 {
		t.Errorf("got %d names in %d calls, want %d in 3", got, calls, n+2)
	}
}
