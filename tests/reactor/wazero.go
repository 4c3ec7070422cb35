package reactor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// errMemory is returned for a step outside memory.
var errMemory = errors.New("reactor: outside memory")

// compiled is the module in wazero, compiled once per process and never closed.
type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

var compile = sync.OnceValues(func() (*compiled, error) {
	wasm, err := module()
	if err != nil {
		return nil, err
	}
	root, err := watch()
	if err != nil {
		return nil, err
	}
	// With -race, compiling takes a minute: what it makes is kept, in the ignored folder.
	kept, err := wazero.NewCompilationCacheWithDir(filepath.Join(root, ".cache", "reactor"))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(kept))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, err
	}
	m, err := r.CompileModule(ctx, wasm)
	return &compiled{r, m}, err
})

// Exports returns the functions of the reactor.
func Exports(tb testing.TB) map[string]api.FunctionDefinition {
	tb.Helper()
	c, err := compile()
	if err != nil {
		tb.Fatal(err)
	}
	return c.module.ExportedFunctions()
}

type wazeroInstance struct {
	module api.Module
	stderr strings.Builder
	data   []byte
}

func openWazero(tb testing.TB) Instance {
	tb.Helper()
	c, err := compile()
	if err != nil {
		tb.Fatal(err)
	}
	w := new(wazeroInstance)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").WithStderr(&w.stderr)
	w.module, err = c.runtime.InstantiateModule(context.Background(), c.module, config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.module.Close(context.Background()) })
	return w
}

func (w *wazeroInstance) Run(times int, steps ...Step) (value uint64, data []byte, err error) {
	functions := make([]api.Function, len(steps))
	for i, s := range steps {
		if s.kind != stepCall {
			continue
		}
		if functions[i] = w.module.ExportedFunction(s.export); functions[i] == nil {
			return 0, nil, fmt.Errorf("reactor: no export %s", s.export)
		}
	}
	memory := w.module.Memory()
	stack := make([]uint64, 8) // arguments go in, the result comes out
	w.data = w.data[:0]
	for range times {
		for i := range steps {
			s := &steps[i]
			inside := true
			switch s.kind {
			case stepCall:
				copy(stack, s.args)
				if err := functions[i].CallWithStack(context.Background(), stack); err != nil {
					return 0, nil, fmt.Errorf("%s: %w\n%s", s.export, err, w.stderr.String())
				}
				value = stack[0]
			case stepWrite:
				inside = memory.Write(s.at, s.data)
			case stepRead:
				inside = w.read(s.at, s.n)
			case stepTake:
				inside = w.read(unpack(value))
			}
			if !inside {
				return 0, nil, errMemory
			}
		}
	}
	return value, w.data, nil
}

// read leaves a copy in w.data.
func (w *wazeroInstance) read(at, n uint32) bool {
	view, inside := w.module.Memory().Read(at, n)
	w.data = append(w.data[:0], view...)
	return inside
}

// MemorySize returns how much memory the instance has, in bytes.
func (w *wazeroInstance) MemorySize() uint32 { return w.module.Memory().Size() }
