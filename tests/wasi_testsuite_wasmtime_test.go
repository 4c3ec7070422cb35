//go:build wasmtime

package tests

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wasmtime"
)

func init() {
	engines = append(engines, func() (engine.Engine, error) { return wasmtime.New() })
}
