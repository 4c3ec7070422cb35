package wasi_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	mt "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// BenchmarkCall is what one call costs without an engine.
func BenchmarkCall(b *testing.B) {
	g := start(b, wasi.Config{Files: tree(b), Dir: "/work"})
	dir := uint64(g.preopen("."))
	g.create(uint32(dir), "file", string(make([]byte, 32<<10)))
	fd := uint64(g.open(uint32(dir), "file", 0, readWrite, 0))
	r, w := g.pipe(0)
	buf, result := g.room(32<<10), g.room(64)
	small, one := g.vector(buf, 64)
	big, _ := g.vector(buf, 32<<10)
	name, n := g.put("file")
	in, out := g.room(2*48), g.room(2*32)
	s, c := writeSub(1, w), clockSub(2, 1e9)
	copy(g.mem[in:], s[:])
	copy(g.mem[in+48:], c[:])
	type step struct {
		function string
		params   []uint64
	}
	for _, bench := range []struct {
		name  string
		bytes int64
		steps []step
	}{
		{"clock_time_get", 0, []step{{"clock_time_get", []uint64{1, 0, result}}}},
		{"fd_pread/64B", 64, []step{{"fd_pread", []uint64{fd, small, one, 0, result}}}},
		{"fd_pread/32KiB", 32 << 10, []step{{"fd_pread", []uint64{fd, big, one, 0, result}}}},
		{"fd_pwrite/32KiB", 32 << 10, []step{{"fd_pwrite", []uint64{fd, big, one, 0, result}}}},
		{"pipe/64B", 64, []step{{"fd_write", []uint64{uint64(w), small, one, result}}, {"fd_read", []uint64{uint64(r), small, one, result}}}},
		{"pipe/32KiB", 32 << 10, []step{{"fd_write", []uint64{uint64(w), big, one, result}}, {"fd_read", []uint64{uint64(r), big, one, result}}}},
		{"poll_oneoff", 0, []step{{"poll_oneoff", []uint64{in, out, 2, result}}}},
		{"path_filestat_get", 0, []step{{"path_filestat_get", []uint64{dir, 1, name, n, result}}}},
		{"random_get/64B", 64, []step{{"random_get", []uint64{buf, 64}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var guest any = g.p
			stack := make([]uint64, 9)
			var calls []func(any, *engine.Memory, []uint64) error
			for _, s := range bench.steps {
				calls = append(calls, funcs[wasi.Preview1+"."+s.function].Call)
			}
			b.SetBytes(bench.bytes)
			b.ReportAllocs()
			mem := engine.Lent(g.mem)
			for b.Loop() {
				for i, s := range bench.steps {
					copy(stack, s.params)
					if err := calls[i](guest, mem, stack); err != nil || stack[0] != 0 {
						b.Fatal(s.function, err, stack[0])
					}
				}
			}
		})
	}
}

// BenchmarkNew makes a process that has a root of four file systems, and ends
// it.
func BenchmarkNew(b *testing.B) {
	files := tree(b)
	b.ReportAllocs()
	for b.Loop() {
		p, err := wasi.New(wasi.Config{Files: files, Dir: "/work"})
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// BenchmarkEngine runs a module that calls fd_pread of 64 bytes 10,000 times,
// so that its time is that of 10,000 calls through an engine.
func BenchmarkEngine(b *testing.B) {
	var m mt.Module
	pread := m.Import(wasi.Preview1, "fd_pread", "(i32,i32,i32,i64,i32)->i32")
	m.Memory(1, 1)
	m.ExportMemory("memory")
	m.Data(0, []byte("\x00\x01\x00\x00\x40\x00\x00\x00")) // 64 bytes at 256
	m.Export("_start", m.Func("()->()", "i32",
		mt.I32(10_000), mt.Set(0),
		mt.Loop(mt.EmptyType,
			mt.I32(0), mt.I32(0), mt.I32(1), mt.I64(0), mt.I32(100), mt.Call(pread),
			mt.If(mt.EmptyType, mt.Op(mt.Unreachable)),
			mt.Get(0), mt.I32(1), mt.Op(mt.I32Sub), mt.Tee(0), mt.BrIf(0))))
	e, err := openEngine()
	if err != nil {
		b.Fatal(err)
	}
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{AskGrow: e.AsksGrow()})
	if err != nil {
		b.Fatal(err)
	}
	program, err := e.Compile(b.Context(), metered, wasi.Funcs(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer program.Close()
	g := start(b, wasi.Config{Files: tree(b), Dir: "/work"})
	g.create(g.preopen("."), "file", string(make([]byte, 64)))
	file := g.open(g.preopen("."), "file", 0, readOnly, 0)
	g.must("fd_renumber", uint64(file), 0)
	b.ReportAllocs()
	for b.Loop() {
		if err := program.Run(engine.RunConfig{
			Guest: g.p, MaxMemory: 1 << 16, Refill: func(int64) (int64, error) { return 1 << 30, nil },
		}); err != nil {
			b.Fatal(err)
		}
	}
}
