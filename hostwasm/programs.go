package hostwasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// maxIdle is how many compiled modules are kept that nobody runs. A module's
// code takes about four times its size.
const maxIdle = 16

// programs are the compiled modules of a Host, each compiled once for all who
// run it. It is safe for concurrent use.
type programs struct {
	engine  engine.Engine
	funcs   []engine.Func
	limits  Limits
	notify  func(name string, size int) func() // see Config.Compiling
	compile chan struct{}                      // holds a value while a module is compiled: one at a time

	mu    sync.Mutex
	all   map[[sha256.Size]byte]*program
	clock int64 // counts uses
}

// A program is a compiled module that some guests run.
type program struct {
	engine.Program
	info *meter.Module

	key      [sha256.Size]byte
	ready    chan struct{} // closed when it is compiled, or err says why not
	unwanted chan struct{} // closed when the last user went before its turn came
	err      error

	// Guarded by programs.mu, and all of the above until it is ready.
	turn  bool // to be compiled: it came
	users int
	last  int64 // programs.clock when it was last used
}

func newPrograms(e engine.Engine, funcs []engine.Func, c Config) *programs {
	return &programs{
		engine: e, funcs: funcs, limits: c.Limits, notify: c.Compiling,
		compile: make(chan struct{}, 1),
		all:     make(map[[sha256.Size]byte]*program),
	}
}

// get returns the program of a module, called name in messages, for release when it is no longer run.
// ctx bounds the wait. What nobody waits for any longer is not compiled, but if
// it has begun it is kept for the next.
func (s *programs) get(ctx context.Context, name string, b *binary) (*program, error) {
	s.mu.Lock()
	p := s.all[b.hash]
	if p == nil {
		p = &program{key: b.hash, ready: make(chan struct{}), unwanted: make(chan struct{})}
		s.all[b.hash] = p
		go s.make(p, name, b.wasm) // ends when p is unwanted, or compiled
	}
	p.users++
	s.mu.Unlock()

	timeout := time.NewTimer(s.limits.Compile)
	defer timeout.Stop()
	var err error
	select {
	case <-p.ready:
		err = p.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
		err = fmt.Errorf("compiling takes longer than %v", s.limits.Compile)
	}
	if err != nil {
		s.release(p)
		return nil, err
	}
	return p, nil
}

// make compiles p, unless nobody wants it any longer when its turn comes.
func (s *programs) make(p *program, name string, wasm []byte) {
	select {
	case s.compile <- struct{}{}:
		defer func() { <-s.compile }()
	case <-p.unwanted:
		return
	}
	s.mu.Lock()
	p.turn = s.all[p.key] == p
	s.mu.Unlock()
	if !p.turn {
		return
	}
	if s.notify != nil {
		if done := s.notify(printable(name), len(wasm)); done != nil {
			defer done()
		}
	}
	info, compiled, err := s.build(wasm)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.info, p.Program, p.err = info, compiled, err
	close(p.ready)
	s.settle(p)
}

func (s *programs) build(wasm []byte) (*meter.Module, engine.Program, error) {
	metered, info, err := s.meter(wasm)
	if err != nil {
		return nil, nil, err
	}
	funcs, err := imports(info, s.funcs)
	if err == nil {
		err = exports(info)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := s.engine.Compile(context.Background(), metered, funcs)
	return info, p, err
}

// What a function may have: more than twice what there is in CPython, esbuild
// and our own programs, and little enough for engines, which take time and
// memory out of proportion for more.
const (
	maxBody   = 1 << 19 // bytes
	maxBlocks = 1 << 14 // inside each other
	maxLocals = 1 << 12
)

// meter rewrites a module.
func (s *programs) meter(wasm []byte) ([]byte, *meter.Module, error) {
	c := meterConfig(s.limits)
	metered, info, err := meter.Rewrite(wasm, c)
	if err != nil || len(info.Tables) < 2 {
		return metered, info, err
	}
	return meter.Rewrite(wasm, sharedTables(c, len(info.Tables)))
}

func meterConfig(l Limits) meter.Config {
	return meter.Config{
		MaxModuleSize: int(l.Module), MaxTableEntries: l.Table,
		MaxBodySize: maxBody, MaxDepth: maxBlocks, MaxLocals: maxLocals,
	}
}

// sharedTables gives each of n tables an equal share of what they may have
// together.
func sharedTables(c meter.Config, n int) meter.Config {
	c.MaxTableEntries = max(c.MaxTableEntries/n, 1)
	return c
}

// release takes back what get returned.
func (s *programs) release(p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.users--
	s.clock++
	p.last = s.clock
	s.settle(p)
}

// settle looks after p when it has fewer users, or has been compiled. If that
// failed it is forgotten, so that the next one tries again.
func (s *programs) settle(p *program) {
	switch {
	case p.users > 0:
	case !p.turn:
		delete(s.all, p.key)
		close(p.unwanted)
	case p.failed():
		delete(s.all, p.key)
	default:
		s.evict()
	}
}

// failed reports whether p is known not to compile.
func (p *program) failed() bool {
	select {
	case <-p.ready:
		return p.err != nil
	default:
		return false
	}
}

// evict closes the programs that were used longest ago, beyond maxIdle.
func (s *programs) evict() {
	for {
		var oldest *program
		idle := 0
		for _, p := range s.all {
			if p.users > 0 || p.Program == nil {
				continue
			}
			idle++
			if oldest == nil || p.last < oldest.last {
				oldest = p
			}
		}
		if idle <= maxIdle {
			return
		}
		delete(s.all, oldest.key)
		oldest.Close()
	}
}

// close frees all programs, unless one is in use.
func (s *programs) close() error {
	s.compile <- struct{}{} // for good, if all goes well: nothing is compiled from now on
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.all {
		if p.users > 0 {
			<-s.compile
			return errStuck
		}
	}
	var errs []error
	for key, p := range s.all {
		delete(s.all, key)
		if p.Program != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
