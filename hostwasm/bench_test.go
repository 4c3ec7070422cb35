package hostwasm_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// BenchmarkRun is a command from its start to its exit, compiled before: one of
// a few bytes, and one of 2.7 MB that is written in Go.
func BenchmarkRun(b *testing.B) {
	for _, on := range backends {
		h := newHost(b, on, hostwasm.Config{Commands: map[string]*hostwasm.Module{
			"small": hostwasm.NewModule("small", hostileCommand("")), "guest": guest,
		}})
		for _, c := range []core.Command{{Command: "small", Args: []string{"x"}}, command("exit", "0")} {
			b.Run(on.name+"/"+c.Command, func(b *testing.B) {
				if err := h.Prepare(b.Context(), c.Command); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if got := run(b, h, c); got.exit.Status != exitCode(0) {
						b.Fatalf("got %v", got.exit.Status)
					}
				}
			})
		}
	}
}

// BenchmarkCompile compiles a module of 2.7 MB that is written in Go.
func BenchmarkCompile(b *testing.B) {
	wasm, err := guest.Load()
	if err != nil {
		b.Fatal(err)
	}
	metered, _, err := meter.Rewrite(wasm, meter.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, on := range backends {
		b.Run(on.name, func(b *testing.B) {
			b.SetBytes(int64(len(wasm)))
			e, err := on.open()
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			for b.Loop() {
				p, err := e.Compile(b.Context(), metered, wasi.Funcs(), "")
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}
