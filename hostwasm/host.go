package hostwasm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A Config says how a Host runs commands. Only Engine is needed; without
// Commands, only modules in a session's directories can be run.
type Config struct {
	// Engine runs the modules. The Host closes it.
	Engine engine.Engine

	// Cache keeps compiled modules: see CacheIn. If nil, none is kept.
	Cache Cache

	// Commands are the modules that can be started by name.
	Commands map[string]*Module

	// Mounts are handed over to every command, besides its Roots.
	Mounts []Mount

	// Hidden are directories that no command reaches, whatever is handed over,
	// besides that of a Cache by CacheIn: plugins, say, that a command could
	// change for the next one. A Mount of one of them, or of what is below, is
	// refused, as are Roots. Of what is not there when New is called the name is
	// kept: no command makes it, and what somebody else makes there is hidden. A
	// Tmp that lies in one of them is not affected.
	Hidden []string

	// Funcs are functions of yours that modules may import, besides WASI's; none may have the name
	// of one of ours. Guests that don't import them notice nothing. Call is handed a guest that is
	// opaque, is called from many goroutines, and must return soon: a guest that is in it can't be
	// ended. mem is the guest's to fill with lies: its methods check every pointer and length, and
	// what they find there may be anything. An error from Call ends the guest as SIGKILL would; one
	// that is the guest's own fault is better its result.
	Funcs []engine.Func

	// Env is the environment, as NAME=value, that every command's own Env is
	// added to, after our defaults. Nothing of this program's is passed on.
	Env []string

	// Dir is the current directory of commands that have none. If empty, it
	// is the first root or mount, or "/".
	Dir string

	// Limits bound each command; Memory all of them together, in bytes:
	// their own, and what they have us keep for them in pipes, in /tmp, which
	// may take a quarter of it, and of modules in files. Default 4 GiB.
	Limits Limits
	Memory int64

	// Logger, if set, is told of what was compiled. A *slog.Logger is one.
	Logger driver.Logger

	// Compiling, if not nil, is called when a module begins to be compiled, in
	// this run for the first time and not in the cache, which takes a second
	// for each 3 MB. The function that it returns, if not nil, is called when
	// that is done. Both are called from any goroutine.
	Compiling func(name string, size int) (done func())

	// Tmp, if not nil, returns the /tmp of one of a session's commands, which
	// closes it. By default /tmp is in memory, one for each session.
	Tmp func(core.SessionID) (vfs.FS, error)

	// Root, if not nil, opens a session's directory, one of core.Command.Roots, where
	// those are not of this machine: in a page, say. Who asks closes it.
	Root func(dir string) (vfs.FS, error)

	// Setter, if not nil, returns what sets permissions and times below dir, a
	// mount's Dir or a root, where this program may not: see vfs.HostOptions.
	Setter func(dir string) vfs.Setter

	// Names, if not nil, returns what does below dir what takes a name, where
	// this program may not, or nil.
	Names func(dir string) vfs.Names

	// More, if not nil, is asked for n bytes of memory where Memory is used
	// up, and returns by how many bytes it grows: at least n, or 0.
	More func(n int64) int64

	// HTTP, if not nil, answers what commands ask by HTTP. If nil, they reach no
	// network at all. It is not used where commands are deterministic.
	HTTP Fetcher
	// Bounds, if not nil, says what a command gets that asks for core.Bounds: the
	// Exec.Terms of it, whether it may fetch at all, or why it can't be had. b is nil
	// if it asks for nothing. Without it, nobody gets more than the others, and all may
	// fetch. A Fetcher finds what was asked for by NetOf.
	Bounds func(b *core.Bounds) (terms string, fetches bool, err error)

	// Deterministic gives commands a clock and random numbers that are the
	// same each time.
	Deterministic bool
}

// A Host runs WASI commands in this process. It is safe for concurrent use.
type Host struct {
	config   Config
	programs *programs
	hidden   *vfs.Hidden
	account  *account      // of all commands
	left     *atomic.Int64 // see within
}

var _ driver.Host = (*Host)(nil)

// New returns a Host.
func New(c Config) (*Host, error) {
	if c.Engine == nil {
		return nil, errors.New("hostwasm: Config.Engine is missing")
	}
	vfs.Umask() // which a worker can't ask for later
	c.Limits = c.Limits.WithDefaults()
	c.Memory = or(c.Memory, 4<<30)
	c.Commands = maps.Clone(c.Commands)
	c.Mounts = slices.Clone(c.Mounts)
	hidden, err := vfs.Hide(c.hidden()...)
	if err != nil {
		return nil, fmt.Errorf("hostwasm: %w", err)
	}
	for _, m := range c.Mounts {
		if err := m.check(hidden); err != nil {
			return nil, err
		}
	}
	funcs, err := offer(c.Funcs)
	if err != nil {
		return nil, err
	}
	account := newAccount(nil, -1, c.Memory, -1)
	account.memory.more = c.More
	if c.Tmp == nil {
		c.Tmp = newScratch(c.Limits.Scratch, c.Memory, account).of
	}
	return &Host{
		config:   c,
		programs: newPrograms(c.Engine, funcs, c),
		hidden:   hidden,
		account:  account,
		left:     new(atomic.Int64),
	}, nil
}

// WithMemory returns a Host whose commands have memory of their own, memory bytes
// and what more lends: as Config.Memory and Config.More say. Else it is h: it runs
// what h has compiled, and it is h that is closed, when the processes of both were.
// h has a Config.Tmp, since the memory of a /tmp would be h's.
func (h *Host) WithMemory(memory int64, more func(n int64) int64) *Host {
	account := newAccount(nil, -1, memory, -1)
	account.memory.more = more
	return &Host{config: h.config, programs: h.programs, hidden: h.hidden, account: account, left: h.left}
}

// hidden returns the directories to hide.
func (c *Config) hidden() []string {
	if own, ok := c.Cache.(dirCache); ok {
		return append(slices.Clone(c.Hidden), own.Dir())
	}
	return c.Hidden
}

// Close frees compiled modules and the engine. Every process must have been
// closed. It fails where a guest was left behind in a file system: what such a
// guest uses can be freed by another Close, when it has ended.
func (h *Host) Close() error {
	if err := h.programs.close(); err != nil {
		return err
	}
	return h.config.Engine.Close()
}

// Prepare compiles a command's module, so that nobody waits for it later.
func (h *Host) Prepare(ctx context.Context, name string) error {
	m := h.config.Commands[name]
	if m == nil {
		return fmt.Errorf("%s: no such command", name)
	}
	p, err := h.programs.get(ctx, m)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	h.programs.release(p)
	return nil
}

// Compiled reports whether a command's module is in the cache.
func (h *Host) Compiled(name string) (bool, error) {
	m := h.config.Commands[name]
	if m == nil {
		return false, fmt.Errorf("%s: no such command", name)
	}
	sum, err := m.Sum()
	if err != nil || h.config.Cache == nil {
		return false, err
	}
	_, err = h.config.Cache.Get(cache.Key{Module: sum, By: h.programs.by})
	return err == nil, nil
}
