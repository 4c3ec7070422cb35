//go:build js

package page

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall/js"
	"unsafe"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// Engine is an engine.Engine. It is safe for concurrent use.
type Engine struct{ Target }

var _ engine.Engine = Engine{}

// New returns an Engine. The error says what the browser lacks.
func New() (engine.Engine, error) {
	if js.Global().Get("WebAssembly").Get("Suspending").IsUndefined() {
		return nil, errors.New("this browser has no WebAssembly JavaScript Promise Integration")
	}
	return Engine{}, nil
}

// Close does nothing: an Engine holds nothing besides its programs.
func (Engine) Close() error { return nil }

// What Compile leaves in a directory: the module, and the types of its imports,
// which no browser tells.
const (
	moduleFile = "module.wasm"
	typesFile  = "types"
)

// Compile has the browser compile wasm. A directory gets the module itself: there
// is no other form that browsers take code in.
func (Engine) Compile(ctx context.Context, wasm []byte, funcs []engine.Func, dir string) (engine.Program, error) {
	p, err := compile(ctx, wasm)
	if err != nil {
		return nil, err
	}
	if err := p.link(engine.Among(funcs)); err != nil {
		p.Close()
		return nil, err
	}
	if dir != "" {
		// What can't be loaded is compiled again.
		_ = os.WriteFile(filepath.Join(dir, moduleFile), wasm, 0o600)
		_ = os.WriteFile(filepath.Join(dir, typesFile), p.types(), 0o600)
	}
	return p, nil
}

// Load implements engine.Engine. dir may also be what Cache.Get has returned.
func (Engine) Load(ctx context.Context, dir string, find func(engine.Import) (engine.Func, error)) (engine.Program, error) {
	p, err := registered(dir)
	if errors.Is(err, errNotKey) {
		p, err = load(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	if err := p.link(find); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// load returns what Compile has left in dir, not linked.
func load(ctx context.Context, dir string) (*program, error) {
	wasm, err := os.ReadFile(filepath.Join(dir, moduleFile))
	if err != nil {
		return nil, err
	}
	types, err := os.ReadFile(filepath.Join(dir, typesFile))
	if err != nil {
		return nil, err
	}
	p, err := compile(ctx, wasm)
	if err != nil {
		return nil, err
	}
	if err := p.setTypes(types); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// compiling are the programs that the browser is compiling.
var compiling = map[int32]chan outcome{}

// An outcome is how that has ended.
type outcome struct {
	ok   bool
	text string // the imports, or what is wrong
}

// lastProgram is the number of the last program.
var lastProgram int32

// compile returns what the browser makes of wasm, not linked.
func compile(ctx context.Context, wasm []byte) (*program, error) {
	if len(wasm) == 0 {
		return nil, errors.New("the module is empty")
	}
	pages, err := initialPages(wasm)
	if err != nil {
		return nil, err
	}
	lastProgram++
	p := &program{id: lastProgram, pages: pages}
	ready := make(chan outcome, 1)
	compiling[p.id] = ready
	defer delete(compiling, p.id)
	jsCompile(p.id, unsafe.Pointer(unsafe.SliceData(wasm)), uint32(len(wasm)))
	select {
	case o := <-ready:
		if !o.ok {
			return nil, fmt.Errorf("the browser can't compile it: %s", printable(o.text))
		}
		if p.imports, err = parseImports(o.text); err != nil {
			p.Close()
			return nil, err
		}
		return p, nil
	case <-ctx.Done():
		jsForget(p.id)
		return nil, context.Cause(ctx)
	}
}

// pageCompiled tells how compiling a program has ended: n bytes of text, its
// imports or what is wrong with it.
//
//go:wasmexport page_compiled
func pageCompiled(program, ok, n int32) {
	if ready := compiling[program]; ready != nil {
		delete(compiling, program)
		ready <- outcome{ok != 0, text(n)}
	} else {
		jsForget(program) // nobody waits for it any longer
	}
	leave()
}
