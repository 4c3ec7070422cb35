//go:build !wasip1

package meter_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/terrarium-dev/terrarium/core/meter"
)

const slice = 2_000_000 // of fuel, for each refill

// errOutOfFuel ends a guest whose budget is used up.
type errOutOfFuel struct{}

func (errOutOfFuel) Error() string { return "out of fuel" }

// A fuelTank refills guests until its budget, if it has one, is used up.
type fuelTank struct {
	budget  int64         // 0 means without end
	stop    chan struct{} // closed when guests have to end, if not nil
	refills int
	granted int64

	answer uint32   // to those that ask before they grow
	wishes []uint32 // what they asked for
}

// grow notes a wish, and answers it.
func (f *fuelTank) grow(pages uint32) uint32 {
	f.wishes = append(f.wishes, pages)
	return f.answer
}

func (f *fuelTank) refill(_ context.Context, m api.Module) {
	f.refills++
	select {
	case <-f.stop:
		panic(errOutOfFuel{})
	default: // also if there is no such channel
	}
	if f.budget > 0 && f.granted >= f.budget {
		panic(errOutOfFuel{})
	}
	f.granted += slice
	g := m.ExportedGlobal(meter.FuelExport).(api.MutableGlobal)
	g.Set(uint64(int64(g.Get()) + slice))
}

// used returns how much fuel m has used up.
func (f *fuelTank) used(m api.Module) int64 {
	return f.granted - int64(m.ExportedGlobal(meter.FuelExport).Get())
}

// newRuntime returns a runtime with WASI, and with f for metered modules.
func newRuntime(t testing.TB, f *fuelTank) wazero.Runtime {
	return newRuntimeWith(t, f, wazero.NewRuntimeConfig())
}

func newRuntimeWith(t testing.TB, f *fuelTank, config wazero.RuntimeConfig) wazero.Runtime {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { r.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	_, err := r.NewHostModuleBuilder(meter.RefillModule).
		NewFunctionBuilder().WithFunc(f.refill).Export(meter.RefillName).
		NewFunctionBuilder().WithFunc(f.grow).Export(meter.GrowName).Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
