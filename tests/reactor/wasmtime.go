//go:build wasmtime

package reactor

import (
	"fmt"
	"sync"
	"testing"

	"github.com/bytecodealliance/wasmtime-go/v39"
)

func init() { engines = append(engines, Engine{"wasmtime", openWasmtime}) }

// compileWasmtime compiles the module once per process.
var compileWasmtime = sync.OnceValues(func() (*wasmtime.Module, error) {
	wasm, err := module()
	if err != nil {
		return nil, err
	}
	return wasmtime.NewModule(wasmtimeEngine(), wasm)
})

var wasmtimeEngine = sync.OnceValue(wasmtime.NewEngine)

type wasmtimeInstance struct {
	store    *wasmtime.Store
	instance *wasmtime.Instance
	memory   *wasmtime.Memory
	data     []byte
}

func openWasmtime(tb testing.TB) Instance {
	tb.Helper()
	module, err := compileWasmtime()
	if err != nil {
		tb.Fatal(err)
	}
	linker := wasmtime.NewLinker(wasmtimeEngine())
	if err := linker.DefineWasi(); err != nil {
		tb.Fatal(err)
	}
	w := &wasmtimeInstance{store: wasmtime.NewStore(wasmtimeEngine())}
	tb.Cleanup(w.store.Close)
	config := wasmtime.NewWasiConfig()
	config.InheritStderr()
	w.store.SetWasi(config)
	if w.instance, err = linker.Instantiate(w.store, module); err != nil {
		tb.Fatal(err)
	}
	w.memory = w.instance.GetExport(w.store, "memory").Memory()
	if _, err := w.instance.GetFunc(w.store, "_initialize").Call(w.store); err != nil {
		tb.Fatal(err)
	}
	return w
}

func (w *wasmtimeInstance) Run(times int, steps ...Step) (value uint64, data []byte, err error) {
	functions := make([]*wasmtime.Func, len(steps))
	args := make([][]any, len(steps))
	for i, s := range steps {
		if s.kind != stepCall {
			continue
		}
		if functions[i] = w.instance.GetFunc(w.store, s.export); functions[i] == nil {
			return 0, nil, fmt.Errorf("reactor: no export %s", s.export)
		}
		for k, t := range functions[i].Type(w.store).Params() {
			if t.Kind() == wasmtime.KindI64 {
				args[i] = append(args[i], int64(s.args[k]))
				continue
			}
			args[i] = append(args[i], int32(s.args[k]))
		}
	}
	w.data = w.data[:0]
	for range times {
		for i := range steps {
			s := &steps[i]
			inside := true
			switch s.kind {
			case stepCall:
				result, err := functions[i].Call(w.store, args[i]...)
				if err != nil {
					return 0, nil, fmt.Errorf("%s: %w", s.export, err)
				}
				value = toUint64(result)
			case stepWrite:
				if inside = w.inside(s.at, len(s.data)); inside {
					copy(w.memory.UnsafeData(w.store)[s.at:], s.data)
				}
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

func toUint64(result any) uint64 {
	switch v := result.(type) {
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	}
	return 0
}

func (w *wasmtimeInstance) inside(at uint32, n int) bool {
	return uint64(at)+uint64(n) <= uint64(w.memory.DataSize(w.store))
}

// read leaves a copy in w.data.
func (w *wasmtimeInstance) read(at, n uint32) bool {
	if !w.inside(at, int(n)) {
		return false
	}
	w.data = append(w.data[:0], w.memory.UnsafeData(w.store)[at:uint64(at)+uint64(n)]...)
	return true
}
