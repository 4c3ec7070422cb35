// Package wazero is the engine.Engine that needs no C: tetratelabs/wazero,
// which compiles to machine code ahead of time on amd64 and arm64 and
// interprets elsewhere.
package wazero

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/internal/cache"
)

// features are those that core/meter lets pass.
const features = api.CoreFeaturesV2

// A Config says how an Engine compiles. The zero value is usable.
type Config struct {
	// CacheDir keeps compiled modules, at most 2 GiB of them. It is made if it
	// is not there, for this user alone, and must not be open to others, since
	// it has native code that is run. If empty, nothing is kept.
	CacheDir string
	// ReadOnly has compiled modules taken from CacheDir, while nothing in it is
	// changed: Compile of one that is not there fails with
	// engine.ErrNotCached.
	ReadOnly bool
	// Interpreter runs modules without compiling them, some ninety times
	// slower.
	Interpreter bool
}

// Engine is an engine.Engine. It is safe for concurrent use.
type Engine struct {
	interpreter bool
	cache       *cache.Cache // nil if nothing is kept
}

var _ engine.Engine = (*Engine)(nil)

// New returns an Engine. The error says what is wrong with the cache.
func New(c Config) (*Engine, error) {
	e := &Engine{interpreter: c.Interpreter}
	switch {
	case c.CacheDir == "" && c.ReadOnly:
		return nil, errors.New("wazero: Config.ReadOnly needs a CacheDir")
	case c.CacheDir == "":
		return e, nil
	}
	var err error
	e.cache, err = cache.Open(c.CacheDir, c.ReadOnly)
	return e, err
}

// Name returns "wazero".
func (e *Engine) Name() string { return "wazero" }

// Close does nothing: an Engine holds nothing besides its programs.
func (e *Engine) Close() error { return nil }

// Kept reports whether the cache has what Compile would make of wasm.
func (e *Engine) Kept(wasm []byte) bool {
	if e.cache == nil {
		return false
	}
	module, _ := split(wasm)
	return e.cache.Has(module)
}

// Compile compiles wasm in a runtime of its own, so that neither names nor
// memory of one module meet another's.
func (e *Engine) Compile(ctx context.Context, wasm []byte, funcs []engine.Func) (_ engine.Program, err error) {
	p := &program{cache: wazero.NewCompilationCache()}
	wasm, data := split(wasm)
	if len(data) > 0 {
		p.image = newImage(data)
	}
	dir := ""
	if e.cache != nil {
		if dir, err = e.cache.Entry(wasm); err != nil {
			return nil, fmt.Errorf("compile cache: %w", err)
		}
		if p.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, fmt.Errorf("compile cache: %w", err)
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
	if e.interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(features).WithCompilationCache(p.cache))
	if p.module, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, err
	}
	p.hasMemory = len(p.module.ExportedMemories()) > 0
	if err = p.link(ctx, funcs); err != nil {
		return nil, err
	}
	if e.cache != nil {
		// What can't be kept is compiled again next time.
		_ = e.cache.Commit(dir)
	}
	return p, nil
}
