//go:build linux || darwin

package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// asks are a worker's questions to its host. It is safe for concurrent use.
type asks struct {
	conn *conn

	// compiling is the name of what is being compiled, one at a time.
	compiling string

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan<- reply
}

type reply struct {
	answer *answer
	files  []*os.File
}

// ask asks q and waits for the answer; if we do in vain, so does the command.
func (a *asks) ask(q ask, files ...*os.File) (r reply, err error) {
	replies := make(chan reply, 1)
	a.mu.Lock()
	a.last++
	q.ID = a.last
	if a.waiting == nil {
		a.waiting = make(map[uint64]chan<- reply)
	}
	a.waiting[q.ID] = replies
	a.mu.Unlock()
	if err := a.conn.send(&message{Ask: &q}, files...); err != nil {
		return r, err
	}
	r = <-replies
	if r.answer.Error != "" {
		err = errors.New(r.answer.Error)
	}
	return r, err
}

// answered takes an answer, and files that came with it.
func (a *asks) answered(n *answer, files []*os.File) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if replies, ok := a.waiting[n.ID]; ok {
		delete(a.waiting, n.ID)
		replies <- reply{n, files}
	}
}

// memory is hostwasm.Config.More.
func (a *asks) memory(n int64) int64 {
	r, err := a.ask(ask{What: askMemory, Bytes: n})
	if err != nil {
		return 0
	}
	return r.answer.Bytes
}

// module returns the bytes of a command's module.
func (a *asks) module(command int) ([]byte, error) {
	r, err := a.ask(ask{What: askModule, Command: command})
	defer closeAll(r.files)
	switch {
	case err != nil:
		return nil, err
	case len(r.files) != 1:
		return nil, errors.New("no module came")
	}
	info, err := r.files[0].Stat()
	if err != nil {
		return nil, err
	}
	return readModule(r.files[0], info.Size())
}

// begin is hostwasm.Config.Compiling: an engine is not told names.
func (a *asks) begin(name string, _ int) func() {
	a.compiling = name
	return nil
}

// compile has a metered module compiled.
func (a *asks) compile(wasm []byte, again bool) error {
	f, err := memoryFile("module", wasm)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = a.ask(ask{What: askCompile, Bytes: int64(len(wasm)), Key: sha256.Sum256(wasm), Again: again, Name: a.compiling}, f)
	return err
}

// cached is an engine that takes compiled modules from a cache that it only
// reads, and asks for those that are not there.
type cached struct {
	engine.Engine
	asks  *asks
	fresh func(cacheDir string, write bool) (engine.Engine, error)
}

// Compile implements engine.Engine. What the host can't keep is compiled here.
func (c cached) Compile(ctx context.Context, wasm []byte, funcs []engine.Func) (engine.Program, error) {
	for _, again := range []bool{false, true} {
		p, err := c.Engine.Compile(ctx, wasm, funcs)
		if !notCached(err) {
			return p, err
		}
		if err := c.asks.compile(wasm, again); err != nil {
			return nil, err
		}
	}
	p, err := c.Engine.Compile(ctx, wasm, funcs)
	if !notCached(err) {
		return p, err
	}
	e, err := c.fresh("", true)
	if err != nil {
		return nil, err
	}
	return e.Compile(ctx, wasm, funcs)
}
