package wasi_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// FuzzCalls makes calls with parameters that point wherever they like, among
// them all that a module could make. None may panic, allocate much more than
// the guest has memory, or, once the guest is interrupted, go on.
func FuzzCalls(f *testing.F) {
	for i := range wasi.Funcs() {
		f.Add([]byte{byte(i)})
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := make([]byte, 2000)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		f.Add(b)
	}
	all := wasi.Funcs()
	f.Fuzz(func(t *testing.T, b []byte) {
		synctest.Test(t, func(t *testing.T) {
			over := errors.New("over")
			g := fuzzGuest(t, b)
			ended := make(chan error, 1)
			go func() {
				in := &fuzzInput{b}
				for len(in.b) > 0 {
					fn := all[int(in.byte())%len(all)]
					stack := make([]uint64, max(1, len(fn.Params)))
					for i, kind := range fn.Params {
						stack[i] = in.param(kind, len(g.mem))
					}
					params := append([]uint64(nil), stack...)
					before := allocated()
					err := fn.Call(g.p, engine.Lent(g.mem), stack)
					if n := allocated() - before; n > 4<<20 {
						t.Errorf("%s%v allocated %d bytes", fn.Name, params, n)
					}
					if err == over {
						ended <- err
						return
					}
				}
				ended <- nil
			}()
			synctest.Wait() // it is done, or it waits for what will not come
			g.p.Interrupt(over)
			if err := <-ended; err != nil && err != over {
				t.Error(err)
			}
		})
	})
}

// fuzzGuest has files, a pipe, a child that never ends, and memory that is full
// of b, with one iovec and one name at its beginning.
func fuzzGuest(t *testing.T, b []byte) *guest {
	files := vfs.New(vfs.Config{MaxBytes: 1 << 20, MaxFiles: 100})
	for dir, fs := range map[string]vfs.FS{"/": memory(files), "/dev": vfs.Devices(rand.NewChaCha8([32]byte{}), false)} {
		if err := files.Mount(dir, fs); err != nil {
			t.Fatal(err)
		}
	}
	g := start(t, wasi.Config{
		Args: []string{"fuzz", "x"}, Env: []string{"A=b"}, Files: files, Dir: "/dev", Deterministic: true, Spawner: &nursery{},
		Processes: &census{list: []wasi.Listed{{PID: 1, Args: []string{"fuzz", "x"}}, {PID: 2, Parent: 1}}},
		Limits:    wasi.Limits{OpenFiles: 20},
	})
	g.create(g.preopen("/"), "name", "text")
	g.open(g.preopen("/"), "name", 0, readWrite, 0)
	g.pipe(0)
	g.spawn()
	g.mem = g.mem[:16<<10]
	if len(b) > 0 {
		for n := 0; n < len(g.mem); {
			n += copy(g.mem[n:], b)
		}
	}
	binary.LittleEndian.PutUint32(g.mem, 16)
	binary.LittleEndian.PutUint32(g.mem[4:], 100)
	copy(g.mem[8:], "name")
	return g
}

// fuzzInput makes parameters of bytes. At their end all are 0.
type fuzzInput struct{ b []byte }

func (in *fuzzInput) byte() byte {
	if len(in.b) == 0 {
		return 0
	}
	c := in.b[0]
	in.b = in.b[1:]
	return c
}

func (in *fuzzInput) param(kind rune, memory int) uint64 {
	n := uint64(in.byte())
	switch c := n >> 5; {
	case c < 3: // a descriptor, a flag, a length
		return n % 24
	case c == 3: // a place
		return n%32<<8 | uint64(in.byte())
	case c == 4: // around the end of memory
		return uint64(memory) + n%32 - 16
	case c == 5 && kind == 'i':
		return math.MaxUint32 - n%32
	case c == 5:
		return math.MaxUint64 - n%32
	case c == 6:
		return 1<<(n%32) | uint64(in.byte())
	case kind == 'I':
		return 1<<(32+n%32) - 1
	}
	return 1 << (n % 32)
}

// allocated is a little late, by what the runtime has not counted yet.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// FuzzRequest hands bytes to spawn.
func FuzzRequest(f *testing.F) {
	f.Add(request(0, part(1, "/bin/cat")))
	f.Add(request(1, part(1, "sh"), part(2, "sh"), part(2, "-c"), part(3, "A=b"), part(4, words(1, 1, 0)),
		part(5, words(1)+"/src"), part(6, "/src"), part(7, words(1, 0, 2, 0, 3, 0, 4, 0)), part(8, words(7)), part(0x7fff, "x")))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := &nursery{}
		g := start(t, wasi.Config{Spawner: n})
		if len(b) > len(g.mem)/2 {
			return
		}
		at, size := g.put(string(b))
		before := allocated()
		e := g.call(wasi.Proc+".spawn", at, size, g.room(4))
		if got := allocated() - before; got > 1<<20+20*size {
			t.Errorf("a request of %d bytes allocated %d", size, got)
		}
		if (e == 0) != (len(n.kids) == 1) {
			t.Fatalf("got %v and %d children", e, len(n.kids))
		}
		if e != 0 {
			return
		}
		r := n.kids[0].request
		total := len(r.Program) + len(r.Cwd)
		for _, s := range append(r.Args, r.Env...) {
			total += len(s)
		}
		if r.Program == "" || total > int(size) {
			t.Errorf("got %+v of %d bytes", r, size)
		}
	})
}
