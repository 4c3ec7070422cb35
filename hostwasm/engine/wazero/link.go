package wazero

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// errEnd is what a host function panics with to leave the guest. What really
// ended it is in run.err.
var errEnd = errors.New("guest ended")

// link provides the functions that the module imports, each import module
// being a host module in p's runtime.
func (p *program) link(ctx context.Context, funcs []engine.Func) error {
	wanted := map[string]map[string]bool{}
	for _, f := range p.module.ImportedFunctions() {
		module, name, _ := f.Import()
		if wanted[module] == nil {
			wanted[module] = map[string]bool{}
		}
		wanted[module][name] = true
	}
	byModule := map[string][]engine.Func{}
	for _, f := range append(funcs, refill) {
		if wanted[f.Module][f.Name] {
			byModule[f.Module] = append(byModule[f.Module], f)
		}
	}
	for module, funcs := range byModule {
		b := p.runtime.NewHostModuleBuilder(module)
		for _, f := range funcs {
			b.NewFunctionBuilder().
				WithGoModuleFunction(goFunc(f), types(f.Params), types(f.Results)).
				Export(f.Name)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("import module %q: %w", module, err)
		}
	}
	return nil
}

// refill stands for core/meter's import; run.refill does its work.
var refill = engine.Func{Module: meter.RefillModule, Name: meter.RefillName}

func goFunc(f engine.Func) api.GoModuleFunc {
	if f.Call == nil {
		return func(ctx context.Context, _ api.Module, _ []uint64) { runOf(ctx).refill() }
	}
	return func(ctx context.Context, m api.Module, stack []uint64) {
		r := runOf(ctx)
		var mem []byte
		if r.program.hasMemory {
			memory := m.Memory()
			mem, _ = memory.Read(0, memory.Size())
		}
		if err := f.Call(r.config.Guest, mem, stack); err != nil {
			r.end(err)
		}
	}
}

func types(letters string) []api.ValueType {
	types := make([]api.ValueType, len(letters))
	for i := range letters {
		switch letters[i] {
		case 'i':
			types[i] = api.ValueTypeI32
		case 'I':
			types[i] = api.ValueTypeI64
		case 'f':
			types[i] = api.ValueTypeF32
		case 'F':
			types[i] = api.ValueTypeF64
		}
	}
	return types
}
