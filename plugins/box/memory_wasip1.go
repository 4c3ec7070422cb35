package main

import (
	"runtime/debug"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// By itself Go's collector lets memory grow to twice what is kept, which is all that a sandbox has.
func init() { debug.SetMemoryLimit(tool.MostKept * 3 / 2) }
