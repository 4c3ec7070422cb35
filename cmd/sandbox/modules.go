package main

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
)

// loaded is what the page answers when it is asked for a module: its bytes, or
// nothing where it has been compiled.
type loaded struct {
	wasm []byte
	err  error
}

// modules returns the commands that the page has, and where the plugins among
// them are in the config, by their sums.
func (s *sandbox) modules() (commands map[string]*hostwasm.Module, plugins map[[sha256.Size]byte]int) {
	commands = make(map[string]*hostwasm.Module)
	plugins = make(map[[sha256.Size]byte]int)
	for i, m := range s.config.modules {
		module := &hostwasm.Module{Name: m.name}
		if m.plugin {
			plugins[m.sum] = i
			module.Hash = func() ([sha256.Size]byte, error) { return m.sum, nil }
			module.Load = func() ([]byte, error) { return nil, errVersion(m.name) }
		} else {
			module.Load = func() ([]byte, error) { return s.load(i) }
		}
		for _, name := range m.commands {
			commands[name] = module
		}
	}
	return commands, plugins
}

// errVersion says that what a page has of a plugin is of no use here.
func errVersion(name string) error {
	return &core.HostError{Reason: "wrong_version", Message: name + ": it was not made for this version of the sandbox"}
}

// load asks the page for the module at that place of the config, and waits.
func (s *sandbox) load(place int) ([]byte, error) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return nil, errClosed
	}
	number, answer := s.request(), make(chan loaded, 1)
	s.loads[number] = answer
	s.tell("load", func(e *encoder) {
		e.Int("request", int64(number))
		e.Int("module", int64(place))
	})
	s.mu.Unlock()
	l := <-answer
	if l.err == nil && int64(len(l.wasm)) > s.config.limits.WithDefaults().Module {
		return nil, &core.HostError{Reason: "refused", Message: fmt.Sprintf("a module of %d bytes", len(l.wasm))}
	}
	return l.wasm, l.err
}

// answeredLoad is the page's answer.
func (s *sandbox) answeredLoad(number int32, l loaded) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.loads[number]
	if answer == nil {
		return errUnknownRequest
	}
	delete(s.loads, number)
	answer <- l
	return nil
}

// compiling is hostwasm.Config.Compiling.
func (s *sandbox) compiling(name string, _ int) (done func()) {
	tell := func(done bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tell("compiling", func(e *encoder) {
			e.Text("name", name)
			e.Bool("done", done)
		})
	}
	tell(false)
	return func() { tell(true) }
}

// A lazyCache has the page fetch and compile a plugin when somebody wants it.
type lazyCache struct {
	hostwasm.Cache
	sandbox *sandbox
	plugins map[[sha256.Size]byte]int
}

func (c lazyCache) Get(key cache.Key) (dir string, err error) {
	place, plugin := c.plugins[key.Module]
	dir, err = c.Cache.Get(key)
	if err == nil || !plugin {
		return dir, err
	}
	if _, err = c.sandbox.load(place); err != nil {
		return "", err
	}
	if dir, err = c.Cache.Get(key); err != nil {
		return "", errVersion(c.sandbox.config.modules[place].name)
	}
	return dir, nil
}

// Put is called where Get has failed. A plugin can't be compiled from what it was
// before it was metered, for the page has not got that: what Get has said is told.
func (c lazyCache) Put(key cache.Key, m *hostwasm.Module, compile func(dir string) error) error {
	if _, plugin := c.plugins[key.Module]; plugin {
		if _, err := c.Get(key); err != nil {
			return err
		}
		return errors.New("it was compiled meanwhile")
	}
	return c.Cache.Put(key, m, compile)
}
