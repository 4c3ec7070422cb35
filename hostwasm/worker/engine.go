package worker

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// engines make the engines of this build, by name.
var engines = map[string]func() (engine.Engine, error){"": newWazero, "wazero": newWazero}

func newWazero() (engine.Engine, error) { return wazero.New(wazero.Config{}) }
