// Package wazero is the engine.Engine that needs no C: tetratelabs/wazero,
// which compiles to machine code ahead of time on amd64 and arm64 and
// interprets elsewhere.
package wazero

import (
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// features are those that core/meter lets pass.
const features = api.CoreFeaturesV2

// A Config says how an Engine compiles. The zero value is usable.
type Config struct {
	// Interpreter runs modules without compiling them, some ninety times
	// slower.
	Interpreter bool
	// Compilers is how many functions are compiled at once; 0 is one. Where it is
	// more, wazero compiles on goroutines of its own, and a module on which its
	// compiler panics ends the program. Leave it to processes that may end so.
	// What is compiled is the same.
	Compilers int
}

// Engine is an engine.Engine. It is safe for concurrent use.
type Engine struct{ config Config }

var _ engine.Engine = (*Engine)(nil)

// New returns an Engine.
func New(c Config) (*Engine, error) { return &Engine{c}, nil }

// Name returns "wazero".
func (e *Engine) Name() string { return "wazero" }

// Version names the module of wazero that is linked, and the processor's
// features.
func (e *Engine) Version() string { return version() }

// AsksGrow returns false: wazero asks us.
func (e *Engine) AsksGrow() bool { return false }

// Close does nothing: an Engine holds nothing besides its programs.
func (e *Engine) Close() error { return nil }

// Compile compiles wasm in a runtime of its own, so that neither names nor
// memory of one module meet another's.
func (e *Engine) Compile(ctx context.Context, wasm []byte, funcs []engine.Func, dir string) (engine.Program, error) {
	wasm, data := split(wasm)
	p, err := e.compile(experimental.WithCompilationWorkers(ctx, e.config.Compilers), wasm, dir)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 {
		p.image = newImage(data)
	}
	if err := p.link(ctx, engine.Among(funcs)); err != nil {
		p.Close()
		return nil, err
	}
	if dir != "" {
		_ = e.save(wasm, data, dir) // what can't be loaded is compiled again
	}
	return p, nil
}

// compile compiles wasm, or takes what wazero finds in dir.
func (e *Engine) compile(ctx context.Context, wasm []byte, dir string) (_ *program, err error) {
	p := &program{cache: wazero.NewCompilationCache()}
	if dir != "" {
		if p.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, err
		}
	}
	defer func() {
		// Its compiler panics where it meets what it did not expect, and a module
		// can be made so that it does.
		if fault := recover(); fault != nil {
			line, _, _ := strings.Cut(fmt.Sprint(fault), "\n")
			err = fmt.Errorf("wazero can't compile it: %.200s", line)
		}
		if err != nil {
			p.Close()
		}
	}()
	config := wazero.NewRuntimeConfig()
	if e.config.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.WithCoreFeatures(features).WithCompilationCache(p.cache).WithDebugInfoEnabled(false)
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if p.module, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, err
	}
	p.hasMemory = len(p.module.ExportedMemories()) > 0
	return p, nil
}
