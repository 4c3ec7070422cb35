package wazero

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// program is an engine.Program: one module in a runtime of its own.
type program struct {
	cache     wazero.CompilationCache
	runtime   wazero.Runtime
	module    wazero.CompiledModule
	hasMemory bool
	image     *image // nil if the module puts its data into the memory itself
}

// Close frees the runtime and the compiled code.
func (p *program) Close() error {
	var errs []error
	if p.runtime != nil {
		errs = append(errs, p.runtime.Close(context.Background()))
	}
	if p.image != nil {
		errs = append(errs, p.image.Close())
	}
	return errors.Join(append(errs, p.cache.Close(context.Background()))...)
}

// run is one instance under way. Host functions find it in their context.
type run struct {
	program *program
	config  *engine.RunConfig
	fuel    api.MutableGlobal
	memory  engine.Memory
	err     error // what ended the guest, if that was a host function
}

type runKey struct{}

func runOf(ctx context.Context) *run { return ctx.Value(runKey{}).(*run) }

// end leaves the guest for good.
func (r *run) end(err error) {
	r.err = err
	panic(errEnd)
}

// refill is core/meter's import. Compiled code can't be interrupted; here Go's
// collector can stop the world, and others get their turn.
func (r *run) refill() {
	runtime.Gosched()
	left, err := r.config.Refill(int64(r.fuel.Get()))
	if err != nil {
		r.end(err)
	}
	r.fuel.Set(uint64(left))
}

// Run implements engine.Program.
func (p *program) Run(c engine.RunConfig) (err error) {
	memory, err := p.newMemory(c.MaxMemory, c.Grow)
	if err != nil {
		return err
	}
	defer release(memory.space)
	stack, err := newStack(c.MaxStack)
	if err != nil {
		return err
	}
	defer stack.release()
	r := &run{program: p, config: &c}
	ctx := context.WithValue(context.Background(), runKey{}, r)
	m, err := p.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, memory), p.module, anonymous)
	if err != nil {
		return trap(err, p.module.Name())
	}
	defer m.Close(ctx)
	r.fuel = m.ExportedGlobal(meter.FuelExport).(api.MutableGlobal)
	defer func() {
		if c.Done != nil {
			refused := m.ExportedGlobal(meter.RefusedExport)
			c.Done(int64(r.fuel.Get()), refused != nil && refused.Get() != 0)
		}
	}()
	for _, name := range []string{meter.StartExport, "_start"} {
		f := m.ExportedFunction(name) // which has a stack already, so asking costs something
		switch {
		case f == nil && name == "_start":
			return errors.New("the module exports no _start")
		case f == nil:
			continue
		}
		if err := stack.lend(f); err != nil {
			return err
		}
		if err := f.CallWithStack(ctx, nil); err != nil {
			return r.reason(err)
		}
	}
	return nil
}

// anonymous instances do not meet each other; _start is ours to call. Random
// numbers are hostwasm/wasi's: that there are some spares making others.
var anonymous = wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader)

// reason returns why a call of the guest failed with err.
func (r *run) reason(err error) error {
	if r.err != nil {
		return r.err
	}
	return trap(err, r.program.module.Name())
}
