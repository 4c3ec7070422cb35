package hostwasm

import (
	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// Check says what is known of a module without compiling it. The error is the
// one that a Host with these limits and no Funcs refuses it with; what only an
// engine finds, such as operands of a wrong type, Prepare tells.
func Check(wasm []byte, l Limits) (*meter.Module, error) {
	l = l.WithDefaults()
	c := checkConfig(l)
	c.MaxFlow = l.flowFor(len(wasm))
	info, err := meter.Inspect(wasm, c)
	if err == nil && len(info.Tables) > 1 {
		info, err = meter.Inspect(wasm, sharedTables(c, len(info.Tables)))
	}
	if err != nil {
		return nil, err
	}
	if _, err := imports(info, wasi.Funcs()); err != nil {
		return nil, err
	}
	if err := exports(info); err != nil {
		return nil, err
	}
	return info, nil
}

// Offered reports whether a Host offers the function that a module imports. One
// that is not offered answers ENOSYS when it is called.
func Offered(i meter.Import) bool {
	for _, f := range wasi.Funcs() {
		if f.Module == i.Module && f.Name == i.Name {
			return f.Type() == i.Type
		}
	}
	return false
}
