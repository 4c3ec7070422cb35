//go:build !js

package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

func newEngine() (engine.Engine, error) { return wazero.New(wazero.Config{}) }
