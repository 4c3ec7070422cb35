//go:build !reactor

package core_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
)

// TestScripts runs the machine's scripts. The same ones run against the
// driver, and against the reactor under every engine (package tests).
func TestScripts(t *testing.T) {
	for _, file := range coretest.Scripts(t, "testdata") {
		t.Run(coretest.Name(file), func(t *testing.T) {
			coretest.Run(t, file, coretest.NewMachine(coretest.OpenNative), false)
		})
	}
}
