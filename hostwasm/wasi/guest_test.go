package wasi_test

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A guest calls the functions as an engine does for a module, with memory of
// its own. It is not safe for concurrent use.
type guest struct {
	t    testing.TB
	p    *wasi.Process
	mem  []byte
	free uint32 // where the next thing goes; 0 stays unused
}

var funcs = func() map[string]engine.Func {
	m := make(map[string]engine.Func)
	for _, f := range wasi.Funcs() {
		m[f.Module+"."+f.Name] = f
	}
	return m
}()

func start(t testing.TB, c wasi.Config) *guest {
	t.Helper()
	p, err := wasi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return &guest{t: t, p: p, mem: make([]byte, 1<<20), free: 64}
}

// raw calls a function of preview 1, or MODULE.NAME.
func (g *guest) raw(name string, params ...uint64) (result uint64, err error) {
	g.t.Helper()
	f, ok := funcs[name]
	if !ok {
		f, ok = funcs[wasi.Preview1+"."+name]
	}
	if !ok || len(f.Params) != len(params) {
		g.t.Fatalf("no function %s of %d parameters", name, len(params))
	}
	stack := make([]uint64, max(len(params), len(f.Results)))
	copy(stack, params)
	if err := g.tryThenCall(f, stack); err != nil {
		return 0, err
	}
	return stack[0], nil
}

// call is raw for a function that answers with an errno.
func (g *guest) call(name string, params ...uint64) errno.Errno {
	g.t.Helper()
	result, err := g.raw(name, params...)
	if err != nil {
		g.t.Fatalf("%s%v ended the guest: %v", name, params, err)
	}
	return errno.Errno(result)
}

// must is call for a function that must succeed.
func (g *guest) must(name string, params ...uint64) {
	g.t.Helper()
	if e := g.call(name, params...); e != errno.SUCCESS {
		g.t.Fatalf("%s%v: got %v, want success", name, params, e)
	}
}

// room returns the address of n fresh bytes.
func (g *guest) room(n int) uint64 {
	at := g.free
	g.free += uint32(n+15) &^ 15
	if int(g.free) > len(g.mem) {
		g.t.Fatal("the guest's memory is full")
	}
	return uint64(at)
}

// put stores bytes and returns their address and length.
func (g *guest) put(s string) (ptr, n uint64) {
	at := g.room(len(s))
	copy(g.mem[at:], s)
	return at, uint64(len(s))
}

func (g *guest) u32(at uint64) uint32 { return binary.LittleEndian.Uint32(g.mem[at:]) }
func (g *guest) u64(at uint64) uint64 { return binary.LittleEndian.Uint64(g.mem[at:]) }

// vector stores iovecs for the given addresses and lengths.
func (g *guest) vector(pieces ...uint64) (ptr, n uint64) {
	at := g.room(4 * len(pieces))
	for i, v := range pieces {
		binary.LittleEndian.PutUint32(g.mem[at+uint64(4*i):], uint32(v))
	}
	return at, uint64(len(pieces) / 2)
}

// write is fd_write of one piece.
func (g *guest) write(fd uint32, s string) (n uint32, e errno.Errno) {
	g.t.Helper()
	defer func(free uint32) { g.free = free }(g.free)
	iovs, count := g.vector(g.put(s))
	result := g.room(4)
	e = g.call("fd_write", uint64(fd), iovs, count, result)
	return g.u32(result), e
}

// read is fd_read of at most n bytes.
func (g *guest) read(fd uint32, n int) (string, errno.Errno) {
	g.t.Helper()
	defer func(free uint32) { g.free = free }(g.free)
	buf := g.room(n)
	iovs, count := g.vector(buf, uint64(n))
	result := g.room(4)
	if e := g.call("fd_read", uint64(fd), iovs, count, result); e != errno.SUCCESS {
		return "", e
	}
	return string(g.mem[buf : buf+uint64(g.u32(result))]), errno.SUCCESS
}

// pipes makes two pipes of terrarium_proc_v0.
func (g *guest) pipe(flags uint64) (r, w uint32) {
	g.t.Helper()
	at := g.room(8)
	g.must(wasi.Proc+".pipe", flags, at, at+4)
	return g.u32(at), g.u32(at + 4)
}

// endedBy calls a function that must end the guest with want.
func (g *guest) endedBy(want error, name string, params ...uint64) {
	g.t.Helper()
	if _, err := g.raw(name, params...); err != want {
		g.t.Errorf("%s%v: got %v, want it to end with %v", name, params, err, want)
	}
}

// collect reads a pipe to its end.
func collect(t testing.TB, r *wasi.PipeReader) <-chan string {
	c := make(chan string, 1)
	go func() {
		b, err := io.ReadAll(r)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		c <- string(b)
	}()
	return c
}
