package worker

import (
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// engines make the engines of this build, by name. Only compilers write to
// the cache.
var engines = map[string]func(cacheDir string, write bool) (engine.Engine, error){
	"": newWazero, "wazero": newWazero,
}

func newWazero(cacheDir string, write bool) (engine.Engine, error) {
	return wazero.New(wazero.Config{CacheDir: cacheDir, ReadOnly: !write})
}

// checkEngine says why workers would have no engine.
func checkEngine(name, cacheDir string) error {
	open, ok := engines[name]
	switch {
	case !ok:
		return fmt.Errorf("hostwasm/worker: engine %s: not in this build", name)
	case cacheDir == "":
		return fmt.Errorf("hostwasm/worker: Config.CacheDir is missing")
	}
	e, err := open(cacheDir, true) // makes the directory
	if err != nil {
		return err
	}
	return e.Close()
}

// notCached reports whether a module has to be compiled first.
func notCached(err error) bool { return errors.Is(err, engine.ErrNotCached) }
