package main

import (
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

func newEngine() (engine.Engine, error) { return page.New() }
