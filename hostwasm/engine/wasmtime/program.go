//go:build wasmtime

package wasmtime

import (
	"errors"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// program is an engine.Program.
type program struct {
	engine *Engine
	module *wasmtime.Module
	linker *wasmtime.Linker
	memory string // what the memory is exported as, if it is
	least  uint64 // what it has at first, in bytes
}

// inspect learns about the memory.
func (p *program) inspect() {
	for _, export := range p.module.Exports() {
		if m := export.Type().MemoryType(); m != nil { // core/meter lets no module have two
			p.memory, p.least = export.Name(), m.Minimum()<<16
			return
		}
	}
}

// Close frees the code.
func (p *program) Close() error {
	p.linker.Close()
	p.module.Close()
	return nil
}

// Run implements engine.Program.
func (p *program) Run(c engine.RunConfig) (err error) {
	select {
	case p.engine.guests <- struct{}{}:
		defer func() { <-p.engine.guests }()
	default:
		return engine.ErrTooMany
	}
	r := &run{program: p, config: &c}
	if p.least > c.MaxMemory || !r.grow(p.least) {
		return engine.ErrMemory
	}
	r.store = wasmtime.NewStoreWithData(p.engine.engine, r)
	defer r.store.Close()
	r.store.Limiter(int64(c.MaxMemory), -1, 1, -1, 1)
	instance, err := p.linker.Instantiate(r.store, p.module)
	if err != nil {
		return r.reason(err)
	}
	r.fuel = global(instance.GetExport(r.store, meter.FuelExport))
	defer r.done(instance)
	if instance.GetFunc(r.store, "_start") == nil {
		return errors.New("the module exports no _start")
	}
	for _, name := range []string{meter.StartExport, "_start"} {
		f := instance.GetFunc(r.store, name)
		if f == nil {
			continue
		}
		if _, err := f.Call(r.store); err != nil {
			return r.reason(err)
		}
	}
	return nil
}

// run is one instance under way. Host functions find it in its store.
type run struct {
	program *program
	config  *engine.RunConfig
	store   *wasmtime.Store
	memory  *wasmtime.Memory // nil until it is first needed
	lent    engine.Memory
	fuel    *wasmtime.Global
	size    uint64   // the memory that was asked for, in bytes
	stack   []uint64 // of the function that is called
	err     error    // what ended the guest, if that was a host function
}

// grow asks for memory up to size, if that is more than there was.
func (r *run) grow(size uint64) bool {
	if size > r.size && r.config.Grow != nil && !r.config.Grow(r.size, size) {
		return false
	}
	r.size = max(r.size, size)
	return true
}

// done tells how much fuel is left, and whether memory was refused.
func (r *run) done(instance *wasmtime.Instance) {
	if r.config.Done == nil {
		return
	}
	refused := global(instance.GetExport(r.store, meter.RefusedExport))
	r.config.Done(r.fuel.Get(r.store).I64(), refused != nil && refused.Get(r.store).I32() != 0)
}

// global returns an export that is a global, or nil.
func global(e *wasmtime.Extern) *wasmtime.Global {
	if e == nil {
		return nil
	}
	defer e.Close()
	return e.Global()
}

// reason returns why a call of the guest failed with err.
func (r *run) reason(err error) error {
	// Either holds on to the code of the functions that it tells of.
	switch e := err.(type) {
	case *wasmtime.Trap:
		defer e.Close()
		if r.err == nil {
			return trap(e)
		}
	case *wasmtime.Error:
		defer e.Close()
		err = errors.New(e.Error())
	}
	if r.err != nil {
		return r.err
	}
	return err
}
