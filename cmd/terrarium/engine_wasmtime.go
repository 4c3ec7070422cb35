//go:build wasmtime

package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wasmtime"
)

func init() {
	engines = append(engines, "wasmtime")
	engineOpeners["wasmtime"] = func() (engine.Engine, error) { return wasmtime.New() }
}
