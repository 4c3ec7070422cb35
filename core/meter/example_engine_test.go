//go:build !wasip1

package meter_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// A guest that would run for ever gets 10 million units, a million at a time.
func ExampleRewrite() {
	var m Module
	m.Export("forever", m.Func("()->()", "", Loop(EmptyType, Br(0))))
	metered, module, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(module.Exports[0].Name, module.Exports[0].Type)

	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	errFuel := errors.New("out of fuel")
	left := 10
	refill := func(_ context.Context, guest api.Module) {
		if left == 0 {
			panic(errFuel)
		}
		left--
		fuel := guest.ExportedGlobal(meter.FuelExport).(api.MutableGlobal)
		fuel.Set(fuel.Get() + 1_000_000)
	}
	_, err = r.NewHostModuleBuilder(meter.RefillModule).
		NewFunctionBuilder().WithFunc(refill).Export(meter.RefillName).Instantiate(ctx)
	if err != nil {
		panic(err)
	}
	guest, err := r.Instantiate(ctx, metered)
	if err != nil {
		panic(err)
	}
	_, err = guest.ExportedFunction("forever").Call(ctx)
	fmt.Println(errors.Is(err, errFuel))
	// Output:
	// forever ()->()
	// true
}
