package hostwasm_test

import (
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// waiting writes a byte and reads one.
var waiting = hostwasm.NewModule("waiting", build(func(m *Module) {
	const shape = "(i32,i32,i32,i32)->i32"
	write, read := m.Import(preview1, "fd_write", shape), m.Import(preview1, "fd_read", shape)
	m.Data(0, []byte{16, 0, 0, 0, 1, 0, 0, 0}) // a vector: the byte at 16
	call := func(f uint32, fd int32) []byte { return Code(I32(fd), I32(0), I32(1), I32(8), Call(f), Op(Drop)) }
	m.Export("_start", m.Func("()->()", "", call(write, 1), call(read, 0)))
}))

// BenchmarkBlocked starts many small commands that wait for input, as many as an
// engine lets there be or 1,000, and reports how long it takes until all wait and
// what each takes of this process's memory:
//
//	go test -tags wasmtime -run '^$' -bench Blocked -benchtime 1x -count 3 ./hostwasm
func BenchmarkBlocked(b *testing.B) {
	most := map[string]int{"wazero": 1000, "wasmtime": 256}
	for _, on := range backends {
		guests := most[on.name]
		b.Run(on.name+"/"+strconv.Itoa(guests), func(b *testing.B) {
			h := newHost(b, on, hostwasm.Config{
				Memory:   16 << 30, // of which each books its whole stack
				Commands: map[string]*hostwasm.Module{"waiting": waiting},
			})
			if err := h.Prepare(b.Context(), "waiting"); err != nil {
				b.Fatal(err)
			}
			var took time.Duration
			var memory int
			for b.Loop() {
				debug.FreeOSMemory()
				before := resident(b, "VmRSS")
				began := time.Now()
				end := startWaiting(b, h, guests)
				took = time.Since(began)
				memory = resident(b, "VmRSS") - before
				end()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took.Seconds()*1000, "ms-to-start-all")
			b.ReportMetric(float64(memory)/float64(guests)/1024, "KiB/guest")
		})
	}
}

// startWaiting starts so many commands, and returns when all of them wait. end
// ends them.
func startWaiting(b *testing.B, h *hostwasm.Host, guests int) (end func()) {
	b.Helper()
	var ready, ended sync.WaitGroup
	ready.Add(guests)
	var inputs []interface{ CloseInput() error }
	for range guests {
		p := launch(b, h, core.Command{Command: "waiting", Args: []string{"x"}, Interactive: true})
		inputs = append(inputs, p)
		ended.Go(func() {
			defer p.Close()
			p.Output(func(uint8, []byte) { ready.Done() })
			if exit, err := p.Wait(); err != nil || exit.Status != exitCode(0) {
				b.Errorf("got %+v, %v, want exit 0", exit, err)
			}
		})
	}
	ready.Wait()
	return func() {
		for _, p := range inputs {
			p.CloseInput()
		}
		ended.Wait()
	}
}
