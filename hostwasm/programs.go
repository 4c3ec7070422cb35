package hostwasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/turn"
)

// maxIdle is how many compiled modules are kept that nobody runs. A module's
// code takes about four times its size.
const maxIdle = 16

// programs are the compiled modules of a Host, each compiled once for all who
// run it. It is safe for concurrent use.
type programs struct {
	engine engine.Engine
	cache  Cache // nil if nothing is kept
	by     string
	funcs  []engine.Func
	find   func(engine.Import) (engine.Func, error) // one of funcs
	limits Limits
	notify func(name string, size int) func() // see Config.Compiling
	log    driver.Logger
	// holds a value while a module is compiled: one at a time
	turns chan struct{}

	mu    sync.Mutex
	all   map[[sha256.Size]byte]*program
	clock int64 // counts uses
}

// A program is a compiled module that some guests run.
type program struct {
	engine.Program

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
	by := ""
	if c.Cache != nil {
		by = compiledBy(e, c.Limits)
	}
	return &programs{
		engine: e, cache: c.Cache, by: by,
		funcs: funcs, find: finder(funcs), limits: c.Limits, notify: c.Compiling, log: driver.LoggerOf(c.Logger),
		turns: make(chan struct{}, 1),
		all:   make(map[[sha256.Size]byte]*program),
	}
}

// get returns a module's program, for release when it is no longer run.
// ctx bounds the wait. What nobody waits for any longer is not compiled, but if
// it has begun it is kept for the next.
func (s *programs) get(ctx context.Context, m *Module) (*program, error) {
	key, err := m.Sum()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	p := s.all[key]
	if p == nil {
		p = &program{key: key, ready: make(chan struct{}), unwanted: make(chan struct{})}
		s.all[key] = p
		go s.make(p, m) // ends when p is unwanted, or compiled
	}
	p.users++
	s.mu.Unlock()

	timeout := time.NewTimer(s.limits.Compile)
	defer timeout.Stop()
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
func (s *programs) make(p *program, m *Module) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-p.unwanted:
		return
	}
	s.mu.Lock()
	p.turn = s.all[p.key] == p
	s.mu.Unlock()
	if !p.turn {
		return
	}
	compiled, err := s.build(m, p.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Program, p.err = compiled, err
	close(p.ready)
	s.settle(p)
}

// build takes a module's program from the cache, or compiles it and keeps it.
func (s *programs) build(m *Module, sum [sha256.Size]byte) (p engine.Program, err error) {
	if s.cache == nil {
		return s.compile(m, "")
	}
	key := cache.Key{Module: sum, By: s.by}
	if p, err = s.load(key); err == nil {
		return p, nil
	}
	err = s.cache.Put(key, m, func(dir string) error {
		p, err = s.compile(m, dir)
		return err
	})
	if err != nil || p != nil {
		return p, err
	}
	// It was compiled elsewhere. To compile it here as well, where guests run,
	// would take seconds at every start, and nobody would know why.
	if p, err = s.load(key); err != nil {
		return nil, fmt.Errorf("what was compiled can't be loaded: %w", err)
	}
	return p, nil
}

// load returns a program that is in the cache.
func (s *programs) load(key cache.Key) (engine.Program, error) {
	dir, err := s.cache.Get(key)
	if err != nil {
		return nil, err
	}
	return s.engine.Load(context.Background(), dir, s.find)
}

// compile compiles a module. If dir is not empty, the engine leaves there what
// it can load.
func (s *programs) compile(m *Module, dir string) (engine.Program, error) {
	wasm, err := m.Read()
	if err != nil {
		return nil, err
	}
	if s.notify != nil {
		if done := s.notify(printable(m.Name), len(wasm)); done != nil {
			defer done()
		}
	}
	began := time.Now()
	metered, funcs, err := rewrite(wasm, s.engine, s.limits, s.funcs)
	if err != nil {
		return nil, err
	}
	p, err := s.engine.Compile(context.Background(), metered, funcs, dir)
	if err == nil {
		s.log.Info("module compiled", "module", printable(m.Name), "bytes", len(wasm), "duration", time.Since(began))
	}
	return p, err
}

// rewrite returns what an engine gets of a module: it metered, and those of the
// functions that it imports.
func rewrite(wasm []byte, e engine.Target, l Limits, offered []engine.Func) ([]byte, []engine.Func, error) {
	c := meterConfig(e, l)
	c.MaxFlow = l.flowFor(len(wasm))
	metered, info, err := meter.RewriteInTurns(wasm, c, turn.Give)
	if err == nil && len(info.Tables) > 1 {
		metered, info, err = meter.RewriteInTurns(wasm, sharedTables(c, len(info.Tables)), turn.Give)
	}
	if err != nil {
		return nil, nil, err
	}
	funcs, err := imports(info, offered)
	if err == nil {
		err = exports(info)
	}
	if err != nil {
		return nil, nil, err
	}
	return metered, funcs, nil
}

// compiledBy names what compiled code depends on besides the module: the
// engine, and how the module is rewritten.
func compiledBy(e engine.Target, l Limits) string {
	return fmt.Sprint(e.Name(), " ", e.Version(), " meter ", meter.Version, " ", meterConfig(e, l))
}

// What a function may have: more than twice what there is in CPython, esbuild
// and our own programs, and little enough for engines, which take time and
// memory out of proportion for more.
const (
	maxBody   = 1 << 19 // bytes
	maxBlocks = 1 << 14 // inside each other
	maxLocals = 1 << 12
)

// maxImports is how many functions a module may import, some more than it may use: an
// engine takes time for each at every start, and a browser 60 µs.
const maxImports = 1 << 10

// What a module may have of control flow, in the units of Limits.Flow: small ones
// some, for an interpreter in one large function, and larger ones more. clang's,
// with 61 MB the largest that we know, has 124,936. A module of some kilobytes
// that has as much was made to compile for minutes.
const (
	flowOfAny  = 16_000
	flowPerMiB = 8_000
)

// flowFor returns how much control flow a module of so many bytes may have.
func (l Limits) flowFor(size int) int {
	flow := flowOfAny + size/(1<<20)*flowPerMiB
	if l.Flow < 0 {
		return flow
	}
	return min(flow, l.Flow)
}

// meterConfig is what a rewritten module depends on.
func meterConfig(e engine.Target, l Limits) meter.Config {
	c := checkConfig(l)
	c.AskGrow = e.AsksGrow()
	return c
}

// checkConfig is what a module must keep, for any engine.
func checkConfig(l Limits) meter.Config {
	return meter.Config{
		MaxModuleSize: int(l.Module), MaxTableEntries: l.Table,
		MaxBodySize: maxBody, MaxDepth: maxBlocks, MaxLocals: maxLocals,
		MaxImports: maxImports,
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
	s.turns <- struct{}{} // for good, if all goes well: nothing is compiled from now on
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.all {
		if p.users > 0 {
			<-s.turns
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
