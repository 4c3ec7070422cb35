package reactor_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// TestScripts runs the scripts of the native machine and of its ACP connection
// against the reactor in each engine.
func TestScripts(t *testing.T) {
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			// Where there is no such engine, this is one skip, not one for each script.
			engine.Open(t)
			for _, dir := range []string{"../../core/testdata", "../acp"} {
				for _, file := range coretest.Scripts(t, dir) {
					t.Run(coretest.Name(file), func(t *testing.T) {
						coretest.Run(t, file, coretest.NewMachine(engine.OpenBackend(t)), false)
					})
				}
			}
		})
	}
}
