package hostwasm_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// A backend is an engine to test the Host on.
type backend struct {
	name string
	open func() (engine.Engine, error)
}

// backends are those that are compiled in. A file with a build tag adds to them.
var backends = []backend{{"wazero", func() (engine.Engine, error) {
	return wazero.New(wazero.Config{})
}}}

// onEachEngine runs a test once for each engine.
func onEachEngine(t *testing.T, test func(*testing.T, backend)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { test(t, b) })
	}
}
