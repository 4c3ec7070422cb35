//go:build !js

package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

func newEngine() (engine.Engine, error) { return wazero.New(wazero.Config{}) }

// compiled returns the cache in the folder kept, which gets the module in box if it has not got it.
func compiled(_, kept string) (hostwasm.Cache, error) { return hostwasm.CacheIn(kept) }
