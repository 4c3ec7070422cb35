package hostwasm

import (
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A Cache keeps compiled modules. Its methods are called from any goroutine.
type Cache interface {
	// Get returns the directory with what was kept for key, to be read, or an
	// error if there is nothing to be used.
	Get(key cache.Key) (dir string, err error)
	// Put has m compiled, and keeps that. compile writes to the directory that
	// it is handed, which is empty and nobody else's; "" stands for none. It
	// need not be called, if that is done elsewhere. The error says why m can't
	// be compiled.
	Put(key cache.Key, m *Module, compile func(dir string) error) error
}

// CacheIn returns the cache in dir, of at most 2 GiB. What it has is native code
// that is run. So a dir that is not there is made, with mode 0700; one that is
// there must belong to this user and have no more than that mode, which that of
// testing.T.TempDir has not; and nobody else may be able to write to what leads to
// it. Nothing is used that a key in dir has not sealed. The error says what is
// wrong with dir, or that no key can be made there: an image that can't be written
// to brings its own.
func CacheIn(dir string) (Cache, error) {
	c, err := cache.Open(dir)
	return dirCache{c}, err
}

// A dirCache has modules compiled here.
type dirCache struct{ *cache.Cache }

func (c dirCache) Put(key cache.Key, _ *Module, compile func(dir string) error) error {
	return c.Cache.Put(key, compile)
}

// CompiledBy is the By of the keys that a Host with this engine and these
// limits uses.
func CompiledBy(e engine.Target, l Limits) string { return compiledBy(e, l.WithDefaults()) }

// CompileTo compiles m as a Host with this engine and these limits does, and
// leaves in dir, which is empty, what it can load. The error is what is wrong
// with the module.
func CompileTo(dir string, m *Module, e engine.Engine, l Limits) error {
	p, err := newPrograms(e, wasi.Funcs(), Config{Limits: l.WithDefaults()}).compile(m, dir)
	if err != nil {
		return err
	}
	return p.Close()
}

// MeterFor returns m as a Host with such an engine and these limits would have
// that compile it, for where the engine is another's. What a Host offers besides
// by Config.Funcs does not count. The error is what is wrong with the module.
func MeterFor(e engine.Target, m *Module, l Limits) ([]byte, error) {
	wasm, err := m.Read()
	if err != nil {
		return nil, err
	}
	metered, _, err := rewrite(wasm, e, l.WithDefaults(), wasi.Funcs())
	return metered, err
}
