//go:build linux || darwin

package worker

import (
	"crypto/sha256"
	"errors"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// asks are a worker's questions to its host. It is safe for concurrent use.
type asks struct {
	conn     *conn
	commands map[*hostwasm.Module]int // the number of one that has this module

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan<- reply
}

type reply struct {
	answer *answer
	files  []*os.File
}

// ask asks q and waits for the answer; if we do in vain, so does the command.
func (a *asks) ask(q ask) (r reply, err error) { return a.askFor(0, q) }

// askFor is ask for a command.
func (a *asks) askFor(id commandID, q ask) (r reply, err error) {
	replies := make(chan reply, 1)
	a.mu.Lock()
	a.last++
	q.ID = a.last
	if a.waiting == nil {
		a.waiting = make(map[uint64]chan<- reply)
	}
	a.waiting[q.ID] = replies
	a.mu.Unlock()
	if err := a.conn.send(&message{Command: id, Ask: &q}); err != nil {
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

// more returns what asks for more of something, for a command or the session:
// hostwasm.Config.More, say.
func (a *asks) more(id commandID, what question) func(n int64) int64 {
	return func(n int64) int64 {
		r, err := a.askFor(id, ask{What: what, Number: n})
		if err != nil {
			return 0
		}
		return r.answer.Number
	}
}

// A setter has the host set modes and times below a directory.
type setter struct {
	asks *asks
	dir  string
}

// setter is hostwasm.Config.Setter.
func (a *asks) setter(dir string) vfs.Setter { return setter{a, dir} }

func (s setter) SetMode(name string, mode vfs.Mode) error {
	return s.set(ask{What: askMode, Name: name, Number: int64(mode)})
}

func (s setter) SetTimes(name string, t vfs.Times) error {
	return s.set(ask{What: askTimes, Name: name, Times: times(t)})
}

func (s setter) set(q ask) error {
	q.Dir = s.dir
	_, err := s.asks.tree(q)
	return err
}

// tree asks for something in one of the host's trees. The error is a guest's.
func (a *asks) tree(q ask) (r reply, err error) {
	r, err = a.ask(q)
	switch {
	case err != nil:
		return r, errno.IO
	case r.answer.Number != 0:
		return r, errno.Errno(r.answer.Number)
	}
	return r, nil
}

// sum returns the sum of a command's module.
func (a *asks) sum(command int) (sum [sha256.Size]byte, err error) {
	r, err := a.ask(ask{What: askSum, Module: command})
	if err == nil && copy(sum[:], r.answer.Sum) != len(sum) {
		err = errors.New("no sum came")
	}
	return sum, err
}

// module returns the bytes of a command's module.
func (a *asks) module(command int) ([]byte, error) {
	r, err := a.ask(ask{What: askModule, Module: command})
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

// A hostCache is the cache of a worker that runs guests: the host tells what is
// there, which it has checked, and compiles what is not. No key is here.
type hostCache struct {
	asks *asks
	got  *sync.Map // the cache.Keys of what was there
}

// Get implements hostwasm.Cache.
func (c hostCache) Get(k cache.Key) (dir string, err error) {
	r, err := c.asks.ask(ask{What: askKept, Sum: string(k.Module[:])})
	if err != nil {
		return "", err
	}
	e := cache.Entry(r.answer.Kept)
	if err := e.Same(); err != nil {
		return "", err
	}
	c.got.Store(k, nil)
	return e.Dir, nil
}

// Put implements hostwasm.Cache. What was there can't be loaded if we come here.
func (c hostCache) Put(k cache.Key, m *hostwasm.Module, _ func(dir string) error) error {
	_, again := c.got.Load(k)
	if command, ok := c.asks.commands[m]; ok {
		_, err := c.asks.ask(ask{What: askCompile, Module: command, Again: again})
		return err
	}
	wasm, err := m.Read()
	if err != nil {
		return err
	}
	if err := c.asks.handIn(wasm); err != nil {
		return err
	}
	_, err = c.asks.ask(ask{What: askCompileFile, Name: m.Name, Again: again})
	return err
}

// handIn gives the host a module, in a file of the host's: we may send none.
func (a *asks) handIn(wasm []byte) error {
	r, err := a.ask(ask{What: askFile})
	defer closeAll(r.files)
	switch {
	case err != nil:
		return err
	case len(r.files) != 1:
		return errors.New("no file for a module came")
	}
	_, err = r.files[0].Write(wasm)
	return err
}
