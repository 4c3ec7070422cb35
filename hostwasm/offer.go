package hostwasm

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// offer returns all functions that modules may import: ours, and those of the
// embedder's. These may neither replace ours nor each other.
func offer(theirs []engine.Func) ([]engine.Func, error) {
	type name struct{ module, name string }
	funcs := wasi.Funcs()
	taken := make(map[name]bool, len(funcs)+len(theirs))
	for _, f := range funcs {
		taken[name{f.Module, f.Name}] = true
	}
	for _, f := range theirs {
		called := printable(f.Module) + "." + printable(f.Name)
		n := name{f.Module, f.Name}
		switch {
		case f.Call == nil:
			return nil, fmt.Errorf("hostwasm: function %s: Call is nil", called)
		case strings.Trim(f.Params+f.Results, "iIfF") != "" || len(f.Results) > 1:
			return nil, fmt.Errorf("hostwasm: function %s (%q, %q): want letters of i, I, f, F, and at most one result", called, f.Params, f.Results)
		case f.Module == meter.RefillModule:
			return nil, fmt.Errorf("hostwasm: function %s: the module %s is ours", called, f.Module)
		case taken[n]:
			return nil, fmt.Errorf("hostwasm: function %s: there is one of that name", called)
		}
		taken[n] = true
		funcs = append(funcs, f)
	}
	return funcs, nil
}
