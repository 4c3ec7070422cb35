//go:build linux || darwin

package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A Host runs WASI commands, each in a worker. It is safe for concurrent use.
type Host struct {
	config   Config
	limits   hostwasm.Limits
	helper   string // the program that workers are
	names    []string
	resolver *hostwasm.Host // finds commands, and runs none
	modules  *modules
	scratch  *scratch
	memory   *budget
	starter  *starter
	pool     *pool

	compiling chan struct{}              // holds a value while a module is compiled: one at a time
	compiled  map[[sha256.Size]byte]bool // who holds compiling guards it

	mu     sync.Mutex
	warm   int            // the command that was run last, or -1
	all    map[*child]any // that were not reaped
	idle   sync.WaitGroup // of all
	closed bool
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
	if err := checkEngine(c.Engine, c.CacheDir); err != nil {
		return nil, err
	}
	h := &Host{
		config: c, limits: c.Limits.WithDefaults(), helper: helper,
		names:     slices.Sorted(maps.Keys(c.Commands)),
		scratch:   newScratch(c.TmpDir),
		compiling: make(chan struct{}, 1),
		compiled:  make(map[[sha256.Size]byte]bool),
		warm:      -1,
		all:       make(map[*child]any),
	}
	if len(h.names) == 1 {
		h.warm = 0
	}
	h.memory = newBudget(c.Memory)
	h.modules = newModules(c.Commands, h.names)
	var err error
	h.resolver, err = hostwasm.New(hostwasm.Config{
		Engine: noEngine{}, Commands: c.Commands, Mounts: c.Mounts, Dir: c.Dir, Limits: c.Limits,
		Tmp: h.tmp,
	})
	if err != nil {
		return nil, err
	}
	h.starter = newStarter()
	h.pool = newPool(h, c.Pool)
	return h, nil
}

// Close ends all workers, waits for them and removes what sessions have left
// in /tmp.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	for c := range h.all {
		c.kill()
	}
	h.mu.Unlock()
	h.idle.Wait()
	h.pool.wait()
	h.starter.close()
	h.modules.close()
	return errors.Join(h.resolver.Close(), h.scratch.close())
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
	c, err := h.startWorker(ctx, nil)
	if err != nil {
		return err
	}
	defer c.close()
	return c.begin(ctx, &job{Prepare: index})
}

// PrepareAll is Prepare for the modules of all commands.
func (h *Host) PrepareAll(ctx context.Context) error {
	for i, name := range h.names {
		if h.modules.numbers[i] != i {
			continue // another command's too
		}
		if err := h.Prepare(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Report tells what holds workers here. It starts one.
func (h *Host) Report(ctx context.Context) ([]Measure, error) {
	c, err := h.startWorker(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.measures, nil
}

// errNoCompiler is what compiling in this program fails with.
var errNoCompiler = errors.New("hostwasm/worker: only workers compile")

// noEngine is the engine of a host that finds commands only.
type noEngine struct{}

func (noEngine) Name() string { return "none" }
func (noEngine) Close() error { return nil }
func (noEngine) Compile(context.Context, []byte, []engine.Func) (engine.Program, error) {
	return nil, errNoCompiler
}
