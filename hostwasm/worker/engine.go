package worker

import (
	"runtime"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// engines make the engines of this build, by name.
var engines = map[string]func() (engine.Engine, error){"": newWazero, "wazero": newWazero}

// newWazero uses all processors: a worker that ends for a fault of the compiler
// takes nothing with it.
func newWazero() (engine.Engine, error) {
	return wazero.New(wazero.Config{Compilers: runtime.GOMAXPROCS(0)})
}
