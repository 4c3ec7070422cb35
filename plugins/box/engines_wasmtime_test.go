//go:build wasmtime

package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wasmtime"
)

func init() {
	backends = append(backends, backend{"wasmtime", func() (engine.Engine, error) { return wasmtime.New() }})
}
