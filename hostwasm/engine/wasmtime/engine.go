//go:build wasmtime

package wasmtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/internal/cache"
)

// A Config says how an Engine compiles. The zero value is usable.
type Config struct {
	// CacheDir keeps compiled modules, at most 2 GiB of them. It is made if it
	// is not there, for this user alone, and must not be open to others, since
	// it has native code that is run, nor used by another kind of engine. If
	// empty, nothing is kept.
	CacheDir string
	// ReadOnly has compiled modules taken from CacheDir, while nothing in it is
	// changed: Compile of one that is not there fails with
	// engine.ErrNotCached.
	ReadOnly bool
}

// maxGuests is how many guests may run at once: each has a thread.
const maxGuests = 256

// Engine is an engine.Engine. It is safe for concurrent use.
type Engine struct {
	engine   *wasmtime.Engine
	cache    *cache.Cache // nil if nothing is kept
	readOnly bool
	guests   chan struct{} // holds a value for each that runs
}

var _ engine.Engine = (*Engine)(nil)

// New returns an Engine. The error says what is wrong with the cache, or with
// the limits of this process.
func New(c Config) (*Engine, error) {
	stack, err := maxStack()
	if err != nil {
		return nil, fmt.Errorf("wasmtime: %w", err)
	}
	e := &Engine{readOnly: c.ReadOnly, guests: make(chan struct{}, maxGuests)}
	if c.CacheDir != "" {
		if e.cache, err = cache.Open(c.CacheDir, c.ReadOnly); err != nil {
			return nil, err
		}
	}
	config := wasmtime.NewConfig()
	config.SetMaxWasmStack(stack)
	// What core/meter does not let pass is off.
	config.SetWasmThreads(false)
	config.SetWasmTailCall(false)
	config.SetWasmMultiMemory(false)
	config.SetWasmMemory64(false)
	config.SetWasmRelaxedSIMD(false)
	config.SetWasmFunctionReferences(false)
	config.SetWasmGC(false)
	config.SetWasmWideArithmetic(false)
	e.engine = wasmtime.NewEngineWithConfig(config)
	return e, nil
}

// Name returns "wasmtime".
func (e *Engine) Name() string { return "wasmtime" }

// Close frees the engine.
func (e *Engine) Close() error {
	e.engine.Close()
	return nil
}

// Kept reports whether the cache has what Compile would make of wasm.
func (e *Engine) Kept(wasm []byte) bool { return e.cache != nil && e.cache.Has(wasm) }

// Compile compiles wasm, or loads what was kept of it.
func (e *Engine) Compile(_ context.Context, wasm []byte, funcs []engine.Func) (engine.Program, error) {
	module, err := e.module(wasm)
	if err != nil {
		return nil, err
	}
	p := &program{engine: e, module: module, linker: wasmtime.NewLinker(e.engine)}
	p.inspect()
	if err := p.link(funcs); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// codeFile is a compiled module, in its directory of the cache.
const codeFile = "code"

func (e *Engine) module(wasm []byte) (*wasmtime.Module, error) {
	if e.cache == nil {
		return wasmtime.NewModule(e.engine, wasm)
	}
	dir, err := e.cache.Entry(wasm)
	if err != nil {
		return nil, fmt.Errorf("compile cache: %w", err)
	}
	file := filepath.Join(dir, codeFile)
	// The code tells which wasmtime and which processor it is for. That of
	// others is an error, like a file that is missing.
	if m, err := wasmtime.NewModuleDeserializeFile(e.engine, file); err == nil {
		return m, nil
	}
	m, err := wasmtime.NewModule(e.engine, wasm)
	if err != nil {
		return nil, err
	}
	if e.readOnly {
		return m, nil
	}
	// What can't be kept is compiled again next time.
	if code, err := m.Serialize(); err == nil && os.WriteFile(file, code, 0o600) == nil {
		_ = e.cache.Commit(dir)
	}
	return m, nil
}
