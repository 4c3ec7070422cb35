package hostwasm

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// imports returns the functions that a module imports, out of those that are
// offered. A function that is not, and that returns an i32, is answered with
// ENOSYS when it is called: many programs import more than they use. Anything
// else that is not offered is an error which names it.
func imports(m *meter.Module, offered []engine.Func) ([]engine.Func, error) {
	type name struct{ module, name string }
	byName := make(map[name]engine.Func, len(offered))
	for _, f := range offered {
		byName[name{f.Module, f.Name}] = f
	}
	var funcs []engine.Func
	added := make(map[name]bool) // a module may import a function many times
	for _, i := range m.Imports {
		if i.Kind != meter.KindFunc {
			return nil, fmt.Errorf("imports %s.%s, a %v: only functions are offered", i.Module, i.Name, i.Kind)
		}
		n := name{i.Module, i.Name}
		f, ok := byName[n]
		switch {
		case ok && f.Type() != i.Type:
			return nil, fmt.Errorf("imports %s.%s as %s: it is %s", i.Module, i.Name, i.Type, f.Type())
		case !ok:
			params, found := strings.CutSuffix(i.Type, "->i32")
			letters, known := engine.Letters(params)
			if !found || !known {
				return nil, fmt.Errorf("imports %s.%s %s, which is not offered", i.Module, i.Name, i.Type)
			}
			f = engine.Func{Module: i.Module, Name: i.Name, Params: letters, Results: "i", Call: noSys}
		}
		if !added[n] {
			added[n] = true
			funcs = append(funcs, f)
		}
	}
	return funcs, nil
}

// noSys stands for a function that is not offered.
func noSys(_ any, _ []byte, stack []uint64) error {
	stack[0] = uint64(errno.NOSYS)
	return nil
}
