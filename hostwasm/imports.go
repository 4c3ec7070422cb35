package hostwasm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// maxImportName is how many bytes the names of an import may have together: engines
// look each up at every start.
const maxImportName = 1 << 10

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
			return nil, fmt.Errorf("imports %s, a %v: only functions are offered", called(i), i.Kind)
		}
		if len(i.Module)+len(i.Name) > maxImportName {
			return nil, fmt.Errorf("imports a function whose name has %d bytes: at most %d are allowed",
				len(i.Module)+len(i.Name), maxImportName)
		}
		n := name{i.Module, i.Name}
		f, ok := byName[n]
		if ok && f.Type() != i.Type && isSocket(i.Module, i.Name) {
			ok = false // it is of another year: there are no sockets anyway
		}
		switch {
		case ok && f.Type() != i.Type:
			return nil, fmt.Errorf("imports %s as %s: it is %s", called(i), printable(i.Type), f.Type())
		case !ok:
			params, found := strings.CutSuffix(i.Type, "->i32")
			letters, known := engine.Letters(params)
			if !found || !known {
				return nil, fmt.Errorf("imports %s %s, which is not offered", called(i), printable(i.Type))
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

// isSocket reports whether a function is one of WASI's for sockets. Their types
// have changed: sock_accept took two parameters once, as in WasmEdge's programs,
// and takes three now. All of them fail here.
func isSocket(module, name string) bool {
	return (module == wasi.Preview1 || module == wasi.Unstable) && strings.HasPrefix(name, "sock_")
}

// errNotOffered makes programs look at the module itself, which tells more.
var errNotOffered = errors.New("an import that is not offered")

// finder returns what does for a module that was compiled before what imports
// does.
func finder(offered []engine.Func) func(engine.Import) (engine.Func, error) {
	type name struct{ module, name string }
	byName := make(map[name]engine.Func, len(offered))
	for _, f := range offered {
		byName[name{f.Module, f.Name}] = f
	}
	return func(i engine.Import) (engine.Func, error) {
		f, ok := byName[name{i.Module, i.Name}]
		switch {
		case ok && (i.Params == engine.Untold || f.Params == i.Params && f.Results == i.Results):
			return f, nil
		case i.Params == engine.Untold:
			return engine.Func{Module: i.Module, Name: i.Name, Results: "i", Call: noSys}, nil
		case (!ok || isSocket(i.Module, i.Name)) && i.Results == "i" && !strings.Contains(i.Params, "?"):
			return engine.Func{Module: i.Module, Name: i.Name, Params: i.Params, Results: "i", Call: noSys}, nil
		}
		return f, errNotOffered
	}
}

// exports says why a module is no command.
func exports(m *meter.Module) error {
	start, memory := false, false
	for _, e := range m.Exports {
		switch {
		case e.Name == "_start" && e.Kind == meter.KindFunc && e.Type == "()->()":
			start = true
		case e.Name == "memory" && e.Kind == meter.KindMemory:
			memory = true
		}
	}
	switch {
	case !start:
		return errors.New("exports no function _start ()->(): it is a library, not a command")
	case m.HasMemory && !memory:
		return errors.New(`has a memory that it does not export as "memory"`)
	}
	return nil
}

// called returns an import's name for messages.
func called(i meter.Import) string { return printable(i.Module) + "." + printable(i.Name) }

// noSys stands for a function that is not offered.
func noSys(_ any, _ *engine.Memory, stack []uint64) error {
	stack[0] = uint64(errno.NOSYS)
	return nil
}
