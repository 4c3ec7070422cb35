package page

import "github.com/terrarium-dev/terrarium/hostwasm/engine"

// Target is the engine as those know it who meter modules for it elsewhere.
type Target struct{}

var _ engine.Target = Target{}

// Name returns "page".
func (Target) Name() string { return "page" }

// Version returns what compiled modules are of: the browser's code is never kept,
// so that it is that of the glue and its modules.
func (Target) Version() string { return "1" }

// AsksGrow returns true: the browser asks nobody before memory grows.
func (Target) AsksGrow() bool { return true }
