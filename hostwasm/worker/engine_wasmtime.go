//go:build wasmtime

package worker

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wasmtime"
)

func init() {
	engines["wasmtime"] = func() (engine.Engine, error) { return wasmtime.New() }
}
