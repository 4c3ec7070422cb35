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

// link provides the functions that the module imports, as find has them: each
// import module is a host module in p's runtime.
func (p *program) link(ctx context.Context, find func(engine.Import) (engine.Func, error)) error {
	type name struct{ module, name string }
	found := map[name]bool{} // a module may import a function many times
	byModule := map[string][]engine.Func{}
	for _, d := range p.module.ImportedFunctions() {
		module, called, _ := d.Import()
		if n := (name{module, called}); found[n] {
			continue
		} else {
			found[n] = true
		}
		f := refill
		if module != meter.RefillModule {
			var err error
			f, err = find(engine.Import{Module: module, Name: called, Params: letters(d.ParamTypes()), Results: letters(d.ResultTypes())})
			if err != nil {
				return err
			}
		}
		byModule[module] = append(byModule[module], f)
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
		if r.program.hasMemory {
			memory := m.Memory()
			mem, _ := memory.Read(0, memory.Size())
			r.memory.Lend(mem)
		}
		if err := f.Call(r.config.Guest, &r.memory, stack); err != nil {
			r.end(err)
		}
	}
}

func letters(types []api.ValueType) string {
	letters := make([]byte, len(types))
	for i, t := range types {
		switch t {
		case api.ValueTypeI32:
			letters[i] = 'i'
		case api.ValueTypeI64:
			letters[i] = 'I'
		case api.ValueTypeF32:
			letters[i] = 'f'
		case api.ValueTypeF64:
			letters[i] = 'F'
		default:
			letters[i] = '?'
		}
	}
	return string(letters)
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
