//go:build wasmtime

package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wasmtime"
)

func init() {
	engines = append(engines, "wasmtime")
	engineOpeners["wasmtime"] = func(dir string) (engine.Engine, error) {
		return wasmtime.New(wasmtime.Config{CacheDir: dir})
	}
}
