//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A Host runs WASI commands, those of each session in a worker. It is safe for concurrent use.
type Host struct {
	config   Config
	limits   hostwasm.Limits
	helper   string // the program that workers are
	names    []string
	resolver *hostwasm.Host // finds commands, and runs none
	modules  *modules
	scratch  *scratch
	hidden   *vfs.Hidden // Config.Hidden
	landlock bool        // workers keep to what is handed over
	memory   *budget
	starter  *starter
	pool     *pool
	services *services

	caches     []*cache.Cache // the first that can keep something does
	by         string         // of the keys there
	compiling  turns          // one module at a time
	compiles   sync.WaitGroup // for workers
	processors int            // that a worker may use

	mu      sync.Mutex
	warm    int    // the command that was run last, or -1
	warmSum []byte // of its module
	again   map[cache.Key]bool
	all     map[*child]any // that were not reaped
	closed  bool

	refused    sync.Map    // how many system calls, *atomic.Int64, by name
	unconfined atomic.Bool // Config.Unconfined and the Logger were told
}

var _ driver.Host = (*Host)(nil)

// New returns a Host. It fails where there is no program to be a worker.
func New(c Config) (*Host, error) {
	helper := c.Helper
	_, nested := os.LookupEnv(marker)
	switch {
	case nested:
		// A program that was to be a worker has come here because its main
		// does not begin with Main. It must not start itself again.
		return nil, fmt.Errorf("hostwasm/worker: %s is set: we are a worker ourselves, and our main does not begin with worker.Main()", marker)
	case helper == "" && !hasMain.Load():
		return nil, errors.New("hostwasm/worker: no Config.Helper, and the program's main does not begin with worker.Main()")
	case helper == "":
		var err error
		if helper, err = self(); err != nil {
			return nil, fmt.Errorf("hostwasm/worker: %w", err)
		}
	}
	for _, m := range c.Mounts {
		if m.FS != nil {
			return nil, fmt.Errorf("hostwasm/worker: mount %s: a file system of yours is in this program, where workers can't reach it: use hostwasm.Host", m.Guest)
		}
	}
	if c.Limits.Flow == 0 {
		c.Limits.Flow = -1 // a compiler that takes long can be ended
	}
	h := &Host{
		config: c, limits: c.Limits.WithDefaults(), helper: helper,
		names:      slices.Sorted(maps.Keys(c.Commands)),
		processors: runtime.GOMAXPROCS(0),
		warm:       -1,
		all:        make(map[*child]any),
		again:      make(map[cache.Key]bool),
	}
	if err := h.openCache(); err != nil {
		return nil, err
	}
	if c.Undumpable {
		if err := beUndumpable(); err != nil {
			return nil, err
		}
	}
	h.landlock = landlockMeasure().Used
	h.memory = newBudget(c.Memory)
	h.services = newServices(c.Engine, h.limits, c.Deterministic)
	h.scratch = newScratch(c.TmpDir, c.Scratch, h.limits)
	h.scratch.dismiss = h.services.dismiss
	h.modules = newModules(c.Commands, h.names)
	if len(h.names) == 1 {
		h.warmUp(0)
	}
	if err := h.hide(); err != nil {
		h.scratch.close()
		return nil, err
	}
	var err error
	h.resolver, err = hostwasm.New(hostwasm.Config{
		Bounds: c.Bounds,
		Engine: noEngine{}, Commands: c.Commands, Mounts: c.Mounts, Dir: c.Dir, Limits: c.Limits,
		Hidden: h.config.Hidden, Tmp: h.tmp,
	})
	if err != nil {
		h.scratch.close()
		return nil, err
	}
	h.starter = newStarter()
	h.pool = newPool(h, c.Pool)
	return h, nil
}

// hide notes what no guest reaches. That is why the directory for /tmp is made now.
func (h *Host) hide() error {
	base, err := h.scratch.start()
	if err != nil {
		return err
	}
	c, err := cache.Temporary(filepath.Join(h.scratch.dir, "modules"))
	if err != nil {
		return err
	}
	h.caches = append(h.caches, c)
	all := append(slices.Clone(h.config.Hidden), base)
	if h.config.CacheDir != "" {
		all = append(all, h.config.CacheDir)
	}
	for i, dir := range all {
		if all[i], err = filepath.Abs(dir); err != nil { // workers are elsewhere
			return err
		}
	}
	h.config.Hidden = all
	if h.hidden, err = vfs.Hide(all...); err != nil {
		return fmt.Errorf("hostwasm/worker: %w", err)
	}
	return nil
}

// openCache opens the cache, or says why there is no engine.
func (h *Host) openCache() error {
	open, ok := engines[h.config.Engine]
	if !ok {
		return fmt.Errorf("hostwasm/worker: engine %s: not in this build", h.config.Engine)
	}
	e, err := open()
	if err != nil {
		return err
	}
	defer e.Close()
	h.by = hostwasm.CompiledBy(e, h.limits)
	if h.config.CacheDir == "" {
		return nil
	}
	// Workers have another current directory.
	if h.config.CacheDir, err = filepath.Abs(h.config.CacheDir); err != nil {
		return err
	}
	c, err := cache.Open(h.config.CacheDir)
	h.caches = append(h.caches, c)
	return err
}

// Close ends all workers, waits for them and removes what sessions have left
// in /tmp. It fails if a worker is left behind.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	all := slices.Collect(maps.Keys(h.all))
	h.mu.Unlock()
	stuck := closeChildren(all)
	if stuck == nil { // or a compiler that is would keep us as well
		h.compiles.Wait() // what was begun in a cache is removed
	}
	h.services.close()
	h.pool.wait()
	h.starter.close()
	h.modules.close()
	return errors.Join(stuck, h.resolver.Close(), h.scratch.close())
}

// Resolve finds out what c means, as hostwasm.Host does. No guest runs.
func (h *Host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	return h.resolver.Resolve(ctx, c)
}

// Prepare has a command's module compiled, so that nobody waits for it later.
func (h *Host) Prepare(ctx context.Context, name string) error {
	index, ok := slices.BinarySearch(h.names, name)
	if !ok {
		return fmt.Errorf("%s: no such command", name)
	}
	if err := h.compileCommand(ctx, "", index, false); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// PrepareAll is Prepare for all modules of commands.
func (h *Host) PrepareAll(ctx context.Context) error {
	for i, number := range h.modules.numbers {
		if number != i {
			continue // another command's too
		}
		if err := h.compileCommand(ctx, "", i, false); err != nil {
			return fmt.Errorf("%s: %w", h.modules.names[i], err)
		}
	}
	return nil
}

// Report tells what holds workers here. It starts one. If Config.Required is
// set and not all does, it fails.
func (h *Host) Report(ctx context.Context) ([]Measure, error) {
	c, err := h.startWorker(ctx, setup{})
	if err != nil {
		return nil, err
	}
	defer c.close()
	if h.config.Undumpable {
		return append(c.measures, measure("undumpable", nil, "no other program of yours reads or changes this one's memory")), nil
	}
	return c.measures, nil
}

// confined is told what holds a worker that has started. The error is that it
// is not enough.
func (h *Host) confined(measures []Measure) error {
	missing := Missing(measures)
	switch {
	case len(missing) == 0:
	case h.config.Required:
		return &UnconfinedError{missing}
	default:
		if h.unconfined.Swap(true) {
			break
		}
		driver.LoggerOf(h.config.Logger).Warn("sandbox not held as it should be", "missing", Describe(missing))
		if h.config.Unconfined != nil {
			h.config.Unconfined(missing)
		}
	}
	return nil
}

// refusedCall is told of a system call that was refused.
func (h *Host) refusedCall(name string) {
	count, known := h.refused.LoadOrStore(name, new(atomic.Int64))
	count.(*atomic.Int64).Add(1)
	if known {
		return
	}
	driver.LoggerOf(h.config.Logger).Warn("system call refused", "call", name)
	if h.config.Refused != nil {
		h.config.Refused(name)
	}
}

// RefusedCalls returns how often workers have made each system call that was
// refused: those of which Config.Refused is told. After Close it is all.
func (h *Host) RefusedCalls() map[string]int64 {
	counts := make(map[string]int64)
	h.refused.Range(func(name, count any) bool {
		counts[name.(string)] = count.(*atomic.Int64).Load()
		return true
	})
	return counts
}

// noEngine is the engine of a host that finds commands only.
type noEngine struct{ engine.Engine }

func (noEngine) Close() error { return nil }
