//go:build wasmtime

package wasmtime

import (
	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A callback is a function of ours as wasmtime calls it.
type callback = func(*wasmtime.Caller, []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap)

// link provides the functions that the module imports, as find has them.
func (p *program) link(find func(engine.Import) (engine.Func, error)) error {
	type name struct{ module, name string }
	found := make(map[name]bool) // a module may import a function many times
	for _, i := range p.module.Imports() {
		t := i.Type().FuncType()
		if t == nil || i.Name() == nil || i.Module() == meter.RefillModule {
			continue // functions are all that core/meter and hostwasm let pass
		}
		n := name{i.Module(), *i.Name()}
		if found[n] {
			continue
		}
		found[n] = true
		f, err := find(engine.Import{Module: n.module, Name: n.name, Params: letters(t.Params()), Results: letters(t.Results())})
		if err == nil {
			err = p.linker.FuncNew(f.Module, f.Name, typeOf(f), call(f))
		}
		if err != nil {
			return err
		}
	}
	return p.linker.FuncNew(meter.RefillModule, meter.RefillName, wasmtime.NewFuncType(nil, nil), refill)
}

func letters(types []*wasmtime.ValType) string {
	letters := make([]byte, len(types))
	for i, t := range types {
		letters[i] = '?'
		for letter, kind := range kinds {
			if t.Kind() == kind {
				letters[i] = letter
			}
		}
	}
	return string(letters)
}

func typeOf(f engine.Func) *wasmtime.FuncType {
	return wasmtime.NewFuncType(types(f.Params), types(f.Results))
}

func types(letters string) []*wasmtime.ValType {
	types := make([]*wasmtime.ValType, len(letters))
	for i := range letters {
		types[i] = wasmtime.NewValType(kinds[letters[i]])
	}
	return types
}

var kinds = map[byte]wasmtime.ValKind{
	'i': wasmtime.KindI32, 'I': wasmtime.KindI64, 'f': wasmtime.KindF32, 'F': wasmtime.KindF64,
}

// call returns f's callback.
func call(f engine.Func) callback {
	return func(c *wasmtime.Caller, args []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap) {
		r := c.Data().(*run)
		r.stack = r.stack[:0]
		for i, v := range args {
			r.stack = append(r.stack, bits(f.Params[i], v))
		}
		for len(r.stack) < len(f.Results) {
			r.stack = append(r.stack, 0)
		}
		mem, err := r.view(c)
		if err == nil {
			r.lent.Lend(mem)
			err = f.Call(r.config.Guest, &r.lent, r.stack)
		}
		switch {
		case err != nil:
			return nil, r.end(err)
		case f.Results == "":
			return nil, nil
		}
		return []wasmtime.Val{value(f.Results[0], r.stack[0])}, nil
	}
}

// refill is core/meter's import.
func refill(c *wasmtime.Caller, _ []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap) {
	r := c.Data().(*run)
	if _, err := r.view(c); err != nil {
		return nil, r.end(err)
	}
	fuel, err := r.config.Refill(r.fuel.Get(c).I64())
	if err == nil {
		err = r.fuel.Set(c, wasmtime.ValI64(fuel))
	}
	if err != nil {
		return nil, r.end(err)
	}
	return nil, nil
}

// end leaves the guest for good. What the trap says is not told to anybody.
func (r *run) end(err error) *wasmtime.Trap {
	r.err = err
	return wasmtime.NewTrap("guest ended")
}

// view returns the guest's memory, and asks for what it has grown by.
func (r *run) view(c *wasmtime.Caller) ([]byte, error) {
	if r.program.memory == "" {
		return nil, nil
	}
	if r.memory == nil {
		e := c.GetExport(r.program.memory)
		defer e.Close()
		r.memory = e.Memory()
	}
	mem := r.memory.UnsafeData(c)
	if !r.grow(uint64(len(mem))) {
		return nil, engine.ErrMemory
	}
	return mem, nil
}
