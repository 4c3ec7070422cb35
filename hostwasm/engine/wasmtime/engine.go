//go:build wasmtime

package wasmtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// maxGuests is how many guests may run at once: each has a thread.
const maxGuests = 256

// Engine is an engine.Engine. It is safe for concurrent use.
type Engine struct {
	engine *wasmtime.Engine
	guests chan struct{} // holds a value for each that runs
}

var _ engine.Engine = (*Engine)(nil)

// New returns an Engine. The error says what is wrong with the limits of this
// process.
func New() (*Engine, error) {
	stack, err := maxStack()
	if err != nil {
		return nil, fmt.Errorf("wasmtime: %w", err)
	}
	e := &Engine{guests: make(chan struct{}, maxGuests)}
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

// Version names the module of wasmtime that is linked: the code itself tells
// which processor it is for.
func (e *Engine) Version() string { return version() }

// AsksGrow returns false: wasmtime keeps MaxMemory itself, and RunConfig.Grow is
// asked afterwards.
func (e *Engine) AsksGrow() bool { return false }

// usual is the version of wasmtime in our go.mod.
const usual = "v39.0.1"

var version = sync.OnceValue(func() string {
	return engine.LinkedVersion("github.com/bytecodealliance/wasmtime-go", usual)
})

// codeFile is a compiled module.
const codeFile = "code"

// Compile implements engine.Engine.
func (e *Engine) Compile(_ context.Context, wasm []byte, funcs []engine.Func, dir string) (engine.Program, error) {
	module, err := wasmtime.NewModule(e.engine, wasm)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		// What can't be kept is compiled again next time.
		if code, err := module.Serialize(); err == nil {
			_ = os.WriteFile(filepath.Join(dir, codeFile), code, 0o600)
		}
	}
	return e.program(module, engine.Among(funcs))
}

// Load implements engine.Engine. The code tells which wasmtime and which
// processor it is for. That of others is an error.
func (e *Engine) Load(_ context.Context, dir string, find func(engine.Import) (engine.Func, error)) (engine.Program, error) {
	module, err := wasmtime.NewModuleDeserializeFile(e.engine, filepath.Join(dir, codeFile))
	if err != nil {
		return nil, err
	}
	return e.program(module, find)
}

// program links a module, which it closes if that fails.
func (e *Engine) program(module *wasmtime.Module, find func(engine.Import) (engine.Func, error)) (engine.Program, error) {
	p := &program{engine: e, module: module, linker: wasmtime.NewLinker(e.engine)}
	p.inspect()
	if err := p.link(find); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}
