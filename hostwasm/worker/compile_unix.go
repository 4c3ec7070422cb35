//go:build linux || darwin

package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
)

// compileFor has a module compiled for a worker, which is answered then.
func (c *child) compileFor(q *ask) {
	if c.compiling.Swap(true) { // so that it has us keep one module, and a file or two
		c.reply(&answer{ID: q.ID}, errors.New("another module is compiled"))
		return
	}
	var handed *os.File
	if q.What == askCompileFile {
		handed, c.module = c.module, nil
	}
	by, starting := c.compilesFor()
	c.host.compiles.Go(func() { // ends soon after the worker, at the latest
		defer handed.Close() // an error means that there is none
		defer c.waits.Begin()()
		for _, ctx := range starting {
			defer driver.Doing(ctx, hostwasm.StillCompiled)()
		}
		var err error
		switch {
		case q.What == askCompile:
			err = c.host.compileCommand(c.context, by, q.Module, q.Again)
		case handed == nil:
			err = errors.New("no module was handed in")
		default:
			err = c.host.compileFile(c.context, by, q.Name, handed, q.Again)
		}
		c.compiling.Store(false) // before it can ask for the next
		c.reply(&answer{ID: q.ID}, err)
	})
}

// compilesFor returns who has the worker's session, and the contexts of its commands
// that have not started yet.
func (c *child) compilesFor() (by asker, starting []context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tmp != nil {
		by = c.tmp.asker
	}
	for _, m := range c.commands {
		if !m.begun {
			starting = append(starting, m.ctx)
		}
	}
	return by, starting
}

// compileCommand has a command's module compiled and kept, unless it was, when it
// is the asker's turn. again says that what was kept can't be loaded.
func (h *Host) compileCommand(ctx context.Context, by asker, command int, again bool) error {
	sum, err := h.modules.sum(command)
	if err != nil {
		return err
	}
	leave, err := h.compiling.take(ctx, by)
	if err != nil {
		return err
	}
	defer leave()
	return h.compile(ctx, sum, h.modules.names[command], again, func() (*os.File, error) { return h.modules.file(command) })
}

// compileFile is the same for a module that a worker has put into a file, which it
// may still change: we go by what we read. That we do when its turn has come, so
// that those who wait take no memory of ours.
func (h *Host) compileFile(ctx context.Context, by asker, name string, sent *os.File, again bool) error {
	leave, err := h.compiling.take(ctx, by)
	if err != nil {
		return err
	}
	defer leave()
	info, err := sent.Stat()
	if err != nil {
		return err
	}
	ours := 2 * min(info.Size(), h.limits.Module) // what we read, and what we hand to the compiler
	if !h.memory.take(ours) {
		return h.memory.refusal(name)
	}
	defer h.memory.give(ours)
	wasm, err := readModule(sent, h.limits.Module)
	if err != nil {
		return err
	}
	return h.compile(ctx, sha256.Sum256(wasm), fmt.Sprintf("%.100q", name), again, func() (*os.File, error) { return memoryFile("module", wasm) })
}

// compile has a module compiled by a worker that does nothing else, into a
// directory of its own, which we make an entry of the cache when it has ended.
// The caller has the turn. ctx ends it, as Limits.Compile does. The error is what
// is wrong with the module: what can't be kept is none.
func (h *Host) compile(ctx context.Context, sum [sha256.Size]byte, name string, again bool, open func() (*os.File, error)) error {
	key := cache.Key{Module: sum, By: h.by}
	log := driver.LoggerOf(h.config.Logger)
	switch _, err := h.kept(key); {
	case err == nil && !(again && h.compileAgain(key)):
		return nil // it was, or others have asked for the same
	case err == nil:
		log.Warn("what was compiled can't be loaded, and is compiled again", "module", name)
	case !errors.Is(err, fs.ErrNotExist):
		log.Warn("what was compiled is not used, and is compiled again", "module", name, "err", err)
	}
	module, err := open()
	if err != nil {
		return err
	}
	defer module.Close()
	var errs []error
	for _, c := range h.caches {
		done, err := h.compileIn(ctx, c, key, name, again, module)
		if done {
			return err
		}
		// The next cache is a temporary one: whoever comes later has it compiled again.
		log.Warn("what was compiled is not kept", "module", name, "err", err)
		errs = append(errs, err)
	}
	return fmt.Errorf("nowhere to keep what is compiled: %w", errors.Join(errs...))
}

// maxAgain is of how many modules we know that they were compiled again.
const maxAgain = 1024

// compileAgain reports whether a module is to be compiled that was: a worker says
// that it can't be loaded. We believe that once, and again when we have heard it of
// many others, each of which somebody had to have compiled.
func (h *Host) compileAgain(key cache.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.again) >= maxAgain {
		clear(h.again)
	}
	before := h.again[key]
	h.again[key] = true
	return !before
}

// kept returns what was compiled of a module.
func (h *Host) kept(key cache.Key) (_ cache.Entry, err error) {
	for _, c := range h.caches {
		e, notFound := c.Find(key)
		if notFound == nil {
			return e, nil
		}
		err = cmp.Or(err, notFound) // the first cache's tells more than that of the temporary one
	}
	return cache.Entry{}, err
}

// compileIn has a module compiled into a cache. It is done unless nothing can be
// kept there; then the error is what is wrong with the module. again says that what is there is to
// be replaced.
func (h *Host) compileIn(ctx context.Context, c *cache.Cache, key cache.Key, name string, again bool, module *os.File) (done bool, err error) {
	stage, err := c.Stage()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(stage) // unless it has become an entry
	if err := h.compileTo(ctx, stage, name, module); err != nil {
		return true, err
	}
	if _, err := c.Find(key); err == nil && !again {
		return true, nil // another program was first, whose commands may be loading it
	}
	err = c.Keep(key, stage)
	return err == nil, err
}

// busyMachine is how many times Limits.Compile a compiler may take by the clock,
// since it may have that much processor time and gets it when the machine has it.
const busyMachine = 10

func (h *Host) compileTo(ctx context.Context, dir, name string, module *os.File) (err error) {
	longest := busyMachine * h.limits.Compile
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("compiling takes longer than %v", longest))
	defer cancel()
	info, err := module.Stat()
	if err != nil {
		return err
	}
	if h.config.Compiling != nil {
		if done := h.config.Compiling(name, int(info.Size())); done != nil {
			defer done()
		}
	}
	began := time.Now()
	defer func() {
		if err == nil {
			driver.LoggerOf(h.config.Logger).Info("module compiled", "module", name, "bytes", info.Size(), "duration", time.Since(began))
		}
	}()
	c, err := h.startWorker(ctx, setup{Compile: true, Stage: dir}, module)
	if err != nil {
		return err
	}
	defer func() { // what is to be kept nobody may write to any longer
		if stuck := c.close(); err == nil {
			err = stuck
		}
	}()
	err = await(ctx, c.answered, c.ended)
	switch {
	case err != errGone:
		return err
	// Linux ends it by what it had at clock ticks, and then says what it had in truth. On a machine
	// that is busy that was 0.84 s of 1.
	case c.state != nil && wasKilled(c.state) && c.used >= h.limits.Compile/2:
		return fmt.Errorf("compiling takes more than %v of processor time", h.limits.Compile)
	}
	return fmt.Errorf("the compiler has ended without a result: it met a fault of its own, or needs more than %d bytes of memory",
		compilerMemory+memoryPerByte*info.Size())
}
